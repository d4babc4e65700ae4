#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/app/text.hpp"
#include "lockstep/formats/xpcs/records.hpp"

#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

Difference difference_of(const std::string& part,
                         const std::string& where,
                         const std::string& quantity,
                         double left,
                         double right) {
    const double absolute = std::abs(left - right);
    const double largest = std::max(std::abs(left), std::abs(right));
    return {part,
            where,
            quantity,
            exact(left),
            exact(right),
            absolute,
            largest > 0 ? absolute / largest : 0};
}

/// The first value that differs; records of one name stand at one place.
template <typename Record, typename F>
std::vector<Difference> first_of(const std::string& part,
                                 const std::vector<Record>& left,
                                 const std::vector<Record>& right,
                                 const char* quantity,
                                 F value) {
    if (left.size() != right.size()) {
        return {difference_of(part,
                              "the number of values",
                              quantity,
                              static_cast<double>(left.size()),
                              static_cast<double>(right.size()))};
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
        if (value(left[k]) != value(right[k])) {
            return {difference_of(part, left[k].name, quantity, value(left[k]), value(right[k]))};
        }
    }
    return {};
}

}  // namespace

std::vector<Difference> xpcs_differences(const PartOnDisk& left, const PartOnDisk& right) {
    if (left.part.name == "fit") {
        const auto a = formats::xpcs::read_fit(left.output);
        const auto b = formats::xpcs::read_fit(right.output);
        auto found =
            first_of("fit", a.values, b.values, "value", [](const auto& of) { return of.value; });
        if (found.empty()) {
            found = first_of("fit", a.values, b.values, "error", [](const auto& of) {
                return of.error.value_or(-1);
            });
        }
        if (found.empty() && a.chi_squared != b.chi_squared) {
            found.push_back(
                difference_of("fit", "the minimum", "chi_squared", a.chi_squared, b.chi_squared));
        }
        return found;
    }
    const auto a = formats::xpcs::read_posterior(left.output);
    const auto b = formats::xpcs::read_posterior(right.output);
    return first_of(
        "posterior", a.quantities, b.quantities, "mean", [](const auto& of) { return of.mean; });
}

}  // namespace lockstep::app
