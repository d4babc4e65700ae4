#include "lockstep/xpcs/nlsq/box.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

void check_length(std::size_t found, int parameters, const char* what) {
    if (found != 0 && found != at(parameters)) {
        throw InputError(fmt::format("{} {} for {} parameters", found, what, parameters));
    }
}

}  // namespace

std::string Box::name(int parameter) const {
    return names.empty() ? fmt::format("parameter {}", parameter + 1) : names[at(parameter)];
}

double Box::lower_of(int parameter) const {
    return lower.empty() ? -std::numeric_limits<double>::infinity() : lower[at(parameter)];
}

double Box::upper_of(int parameter) const {
    return upper.empty() ? std::numeric_limits<double>::infinity() : upper[at(parameter)];
}

void Box::validate(int parameters) const {
    check_length(names.size(), parameters, "names");
    check_length(lower.size(), parameters, "lower bounds");
    check_length(upper.size(), parameters, "upper bounds");
    for (int i = 0; i < parameters; ++i) {
        if (!(lower_of(i) <= upper_of(i))) {
            throw InputError(fmt::format(
                "{}: the bounds [{}, {}] hold no number", name(i), lower_of(i), upper_of(i)));
        }
    }
}

void Box::validate_start(std::span<const double> start) const {
    const int parameters = static_cast<int>(start.size());
    validate(parameters);
    for (int i = 0; i < parameters; ++i) {
        const double value = start[at(i)];
        if (!std::isfinite(value)) {
            throw InputError(
                fmt::format("{}: the start {} is not a finite number", name(i), value));
        }
        if (value < lower_of(i)) {
            throw InputError(fmt::format(
                "{}: the start {} lies below the lower bound {}", name(i), value, lower_of(i)));
        }
        if (value > upper_of(i)) {
            throw InputError(fmt::format(
                "{}: the start {} lies above the upper bound {}", name(i), value, upper_of(i)));
        }
    }
}

void Box::validate_finite(int parameters) const {
    validate(parameters);
    for (int i = 0; i < parameters; ++i) {
        if (!std::isfinite(lower_of(i)) || !std::isfinite(upper_of(i))) {
            throw InputError(fmt::format("{}: a search needs bounds on both sides; found [{}, {}]",
                                         name(i),
                                         lower_of(i),
                                         upper_of(i)));
        }
    }
}

}  // namespace lockstep::xpcs::nlsq
