#pragma once

#include <vector>

#include "lockstep/formats/xpcs/records.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::xpcs {

/// A fitted value as files have it.
struct ValueFields : ValueRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Of the parameter", "D0"});
        f.required("unit", unit, {"Of the value", "Å²/s"});
        f.required("value", value, {"At the minimum", "12000"}, records::computed);
        f.optional("error", error, {"Standard error", "100"}, records::computed);
        f.optional("classical_error",
                   classical,
                   {"As if all values were independent", "20"},
                   records::computed);
        f.required("bound", bound, {"At which it stands: lower, upper, or none", ""});
        f.optional("cut", cut, {"Bounds within its error: lower, upper, both, or none", ""});
    }
};

/// Records of the second kind with the fields of the first.
template <typename To, typename From>
std::vector<To> as(const std::vector<From>& from) {
    std::vector<To> to;
    for (const auto& element : from) {
        to.push_back({element});
    }
    return to;
}

template <typename To, typename From>
std::vector<To> back(const std::vector<From>& from) {
    return {from.begin(), from.end()};
}

}  // namespace lockstep::formats::xpcs
