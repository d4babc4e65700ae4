#pragma once

#include <vector>

#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

struct Interval {
    double low = 0;
    double high = 0;
};

/// Equation (14): between what the inflow of each plant lies before its noise, b + Σ ψ·a, on every
/// path of the opening tree, [stages][hydros] in m³/s.
///
/// Outer bounds: values that no path takes may lie within. Empty unless inflows with memory are
/// truncated, since nobody else asks.
std::vector<std::vector<Interval>> inflow_means(const Process& process);

bool truncates(NonNegativity method) noexcept;

/// Plants whose inflow is truncated on some path of several, so that it is no affine function of
/// the lags. Ascending.
std::vector<int> truncated_hydros(const Process& process);

/// Stages, ascending, whose cuts (those of the pool before the stage) leave out storages, or lags
/// that differ between paths and have an effect.
std::vector<int> stages_of_partial_cuts(const Calendar& calendar, const Process& process);

/// slope·f + constant
struct AffineSupport {
    double slope = 1;
    double constant = 0;
};

/// The affine function s for which weight·s(f) lies below weight·max(0, f) all over `range`, and
/// nowhere further below than it must: equation (15).
/// @param weight  $/(m³/s) of inflow
/// @param f       where a tangent touches
AffineSupport support_of_truncated(double weight, double f, const Interval& range) noexcept;

}  // namespace lockstep::sddp
