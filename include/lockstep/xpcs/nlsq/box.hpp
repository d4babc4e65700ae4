#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep::xpcs::nlsq {

/// Which bound holds a parameter.
enum class AtBound { no, lower, upper };

/// What parameters are called and where they may lie.
struct Box {
    std::vector<std::string> names{};  ///< [p]; empty: "parameter 1", "parameter 2", …
    std::vector<double> lower{};       ///< [p], -infinity: no bound; empty: none at all
    std::vector<double> upper{};       ///< [p], infinity: no bound; empty: none at all

    [[nodiscard]] std::string name(int parameter) const;
    [[nodiscard]] double lower_of(int parameter) const;
    [[nodiscard]] double upper_of(int parameter) const;

    /// @throws InputError  a list of another length than `parameters`, a bound that is not a number
    /// or lies above the other one
    void validate(int parameters) const;
    /// @throws InputError  also a start that is not finite or outside its bounds
    void validate_start(std::span<const double> start) const;
    /// @throws InputError  also a parameter without a finite bound on both sides
    void validate_finite(int parameters) const;
};

}  // namespace lockstep::xpcs::nlsq
