#include "lockstep/xpcs/model/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::xpcs {
namespace {

void fault(Problems& problems, ProblemKind kind, std::string_view field, std::string message) {
    problems.add(kind, "", std::string(field), std::move(message));
}

void check_positive(double value, std::string_view field, std::string_view unit, Problems& faults) {
    if (!(value > 0) || !std::isfinite(value)) {
        fault(faults,
              ProblemKind::invalid_value,
              field,
              fmt::format("{} {} is not above 0 and finite", value, unit));
    }
}

void check_angles(std::span<const double> phi, Problems& faults) {
    if (phi.empty()) {
        fault(faults, ProblemKind::invalid_value, "phi", "no angle: at least one is needed");
    }
    for (std::size_t k = 0; k < phi.size(); ++k) {
        if (!(phi[k] > -180) || !(phi[k] <= 180)) {
            fault(faults,
                  ProblemKind::invalid_value,
                  fmt::format("phi[{}]", k),
                  fmt::format("{} degrees is outside (-180, 180]", phi[k]));
        } else if (k > 0 && !(phi[k - 1] <= phi[k])) {
            fault(faults,
                  ProblemKind::invalid_value,
                  fmt::format("phi[{}]", k),
                  fmt::format("{} degrees follows {}: angles must ascend", phi[k], phi[k - 1]));
        }
    }
}

bool check_size(std::size_t found, std::int64_t wanted, std::string_view field, Problems& faults) {
    if (found != at(wanted)) {
        fault(faults,
              ProblemKind::dimension_mismatch,
              field,
              fmt::format("{} values instead of {}", found, wanted));
        return false;
    }
    return true;
}

void check_values(std::span<const double> c2, int angle, Problems& faults) {
    const auto infinite =
        std::count_if(c2.begin(), c2.end(), [](double value) { return std::isinf(value); });
    if (infinite > 0) {
        fault(faults,
              ProblemKind::invalid_value,
              fmt::format("c2[{}]", angle),
              fmt::format("{} infinite values: mask them with NaN", infinite));
    }
    if (std::all_of(c2.begin(), c2.end(), [](double value) { return std::isnan(value); })) {
        fault(faults,
              ProblemKind::invalid_value,
              fmt::format("c2[{}]", angle),
              "every pair is masked: leave this angle out");
    }
}

void check_matrices(const Measurement& data, Problems& faults) {
    const std::int64_t pairs = pair_count(data.frames);
    check_size(data.diagonal.size(), std::int64_t{data.angles()} * data.frames, "diagonal", faults);
    if (!check_size(data.c2.size(), data.angles() * pairs, "c2", faults)) {
        return;
    }
    const std::span<const double> all(data.c2);
    for (int angle = 0; angle < data.angles(); ++angle) {
        check_values(all.subspan(at(angle * pairs), at(pairs)), angle, faults);
    }
}

}  // namespace

Measurement Measurement::without_values() const {
    Measurement bare;
    bare.q = q;
    bare.gap = gap;
    bare.dt = dt;
    bare.frames = frames;
    bare.first_frame = first_frame;
    bare.phi = phi;
    return bare;
}

void Measurement::validate() const {
    Problems faults;
    check_positive(q, "q", "1/Å", faults);
    check_positive(gap, "gap", "Å", faults);
    check_positive(dt, "dt", "s", faults);
    check_angles(phi, faults);
    if (first_frame < 0) {
        fault(faults,
              ProblemKind::invalid_value,
              "first_frame",
              fmt::format("{} is below 0", first_frame));
    }
    if (frames < 2) {
        fault(faults,
              ProblemKind::invalid_value,
              "frames",
              fmt::format("{} frames: at least 2 are needed", frames));
    } else {
        check_matrices(*this, faults);
    }
    faults.throw_if_errors("the measurement cannot be used:");
}

double value_at(const Measurement& measurement, int angle, int i, int j) noexcept {
    if (i == j) {
        return measurement.diagonal[at(angle * std::int64_t{measurement.frames} + i)];
    }
    const int low = std::min(i, j);
    return measurement.c2[measurement.row(angle, low) + at(std::max(i, j) - low - 1)];
}

std::vector<double> neighbour_diagonal(const Measurement& measurement, int angle, double before) {
    std::vector<double> diagonal(at(measurement.frames));
    for (int k = 0; k < measurement.frames; ++k) {
        const bool is_last = k + 1 == measurement.frames;
        const bool is_first = k == 0 && std::isnan(before);
        const double after = is_last ? before : measurement.c2[measurement.row(angle, k)];
        diagonal[at(k)] = is_first ? after : 0.5 * (before + after);
        before = after;
    }
    return diagonal;
}

}  // namespace lockstep::xpcs
