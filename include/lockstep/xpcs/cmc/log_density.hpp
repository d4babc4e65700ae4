#pragma once

#include <span>

namespace lockstep::runtime {
class ThreadTeam;
}

namespace lockstep::xpcs::cmc {

/// The logarithm of a density over unbounded coordinates, up to a constant.
class LogDensity {
public:
    virtual ~LogDensity() = default;
    LogDensity() = default;
    LogDensity(const LogDensity&) = delete;
    LogDensity& operator=(const LogDensity&) = delete;

    [[nodiscard]] virtual int dimension() const = 0;
    /// The value; its derivatives go to `gradient` [dimension]. Allocates nothing. Where the
    /// density is zero or not defined the value is -infinity and the gradient unspecified.
    virtual double evaluate(std::span<const double> x, std::span<double> gradient) = 0;
    /// The value alone.
    virtual double evaluate(std::span<const double> x) = 0;

    /// With how many threads an evaluation is fastest.
    [[nodiscard]] virtual int useful_threads() const { return 1; }
    /// Spreads evaluations over threads from now on, with the same bits; nullptr: they are the
    /// calling thread's alone, as at first.
    virtual void spread_over(runtime::ThreadTeam* /*threads*/) {}
};

}  // namespace lockstep::xpcs::cmc
