#pragma once

#include "lockstep/formats/rl/bounded_value.hpp"

namespace lockstep::formats::rl {

/// BoundedValue as records::FieldReader takes it.
struct BoundedFields : BoundedValue {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("value", value, {"Value", "0.5"});
        f.required("lower", lower, {"Proven lower bound", "0.49"});
        f.required("upper", upper, {"Proven upper bound", "0.51"});
    }
};

}  // namespace lockstep::formats::rl
