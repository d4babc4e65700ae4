#pragma once

#include <span>
#include <string>
#include <vector>

#include "lockstep/xpcs/model/physics.hpp"

namespace lockstep::xpcs {

/// Which of the physical parameters a fit moves; the others are held where they stand.
class FreeParameters {
public:
    /// @param held  names
    /// @throws InputError  a name that is none of the motion's, or all of them held
    FreeParameters(Motion motion, const std::vector<std::string>& held);

    [[nodiscard]] int count() const noexcept { return static_cast<int>(free_.size()); }
    [[nodiscard]] int all() const noexcept { return all_; }
    /// Their places among the motion's parameters, ascending.
    [[nodiscard]] const std::vector<int>& places() const noexcept { return free_; }
    [[nodiscard]] bool is_free(int parameter) const noexcept;

    /// Of numbers for all parameters [all] those of the free ones.
    [[nodiscard]] std::vector<double> part_of(std::span<const double> whole) const;
    void take_part(std::span<const double> whole, std::span<double> part) const;
    /// Of a matrix [before + all, before + all] the rows and columns of the first `before` and of
    /// the free ones.
    void take_square(std::span<const double> whole, std::span<double> part, int before = 0) const;
    /// Puts the free ones into all.
    void put(std::span<const double> part, std::span<double> whole) const;

private:
    int all_;
    std::vector<int> free_;
};

}  // namespace lockstep::xpcs
