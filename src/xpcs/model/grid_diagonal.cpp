#include "xpcs/model/grid_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

using Columns = std::array<double, AngleSums::columns>;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

PairSelection neighbours_of(int frames) {
    PairSelection pairs;
    for (int k = 0; k + 1 < frames; ++k) {
        pairs.rows.push_back(k);
        pairs.columns.push_back(k + 1);
    }
    pairs.c2 = {std::vector<double>(pairs.rows.size(), 0.0)};
    return pairs;
}

void add_influence(double r, const nlsq::Loss& loss, AngleSums& sums) {
    const double z = r * r / (loss.scale * loss.scale);
    const auto rho = nlsq::loss_value(loss.kind, z);
    sums(AngleSums::one, AngleSums::one) += rho.first + 2 * rho.second * z;
    sums(AngleSums::residual, AngleSums::residual) += rho.first * r * rho.first * r;
}

/// As Pass::weigh.
/// @returns what the residual costs
double weigh(const nlsq::Loss& loss, Columns& columns) {
    const double r = columns[AngleSums::residual];
    if (loss.kind == nlsq::Loss::Kind::linear) {
        return r * r;
    }
    const double square = loss.scale * loss.scale;
    const auto rho = nlsq::loss_value(loss.kind, r * r / square);
    const double weight = nlsq::curvature_weight(rho, r * r / square);
    for (double& value : columns) {
        value *= weight;
    }
    columns[AngleSums::residual] = r * rho.first / weight;
    return square * rho.value;
}

void add(Columns columns, const nlsq::Loss& loss, Level level, AngleSums& sums) {
    if (level == Level::influence) {
        add_influence(columns[AngleSums::residual], loss, sums);
        return;
    }
    const double cost = weigh(loss, columns);
    const int used = level == Level::value ? AngleSums::first_derivative : AngleSums::columns;
    for (int row = 0; row < used; ++row) {
        for (int column = row; column < used; ++column) {
            const bool is_cost = row == AngleSums::residual && column == row;
            sums(row, column) += is_cost ? cost : columns[at(row)] * columns[at(column)];
        }
    }
}

}  // namespace

GridDiagonal::GridDiagonal(const Measurement& measurement, std::span<const double> first_neighbours)
    : frames_(measurement.frames),
      neighbours_(neighbours_of(measurement.frames)),
      of_neighbours_(measurement.frames) {
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        const double before = first_neighbours.empty() ? none : first_neighbours[at(angle)];
        const auto of_angle = neighbour_diagonal(measurement, angle, before);
        diagonal_.insert(diagonal_.end(), of_angle.begin(), of_angle.end());
    }
}

Columns GridDiagonal::columns_at(int k, double observed, const Scale& reference) const {
    const std::size_t before = at(std::max(k - 1, 0));
    const std::size_t after = at(std::min(k, frames_ - 2));
    const auto mean = [&](const std::vector<double>& column) {
        return (column[before] + column[after]) / 2;
    };
    Columns columns{};
    columns[AngleSums::one] = 1;
    columns[AngleSums::x] = mean(of_neighbours_.x);
    columns[AngleSums::residual] =
        observed - reference.offset - reference.contrast * columns[AngleSums::x];
    for (std::size_t p = 0; p < of_neighbours_.derivatives.size(); ++p) {
        columns[AngleSums::first_derivative + p] = mean(of_neighbours_.derivatives[p]);
    }
    return columns;
}

void GridDiagonal::complete(const PairModel& model,
                            std::span<const AngleData> data,
                            Level level,
                            std::span<AngleSums> sums) {
    for (std::size_t angle = 0; angle < sums.size(); ++angle) {
        for (double& product : sums[angle].products) {
            product *= 2;
        }
        model.fill_chosen(
            neighbours_, static_cast<int>(angle), {neighbours_.c2.front()}, of_neighbours_);
        for (int k = 0; k < frames_; ++k) {
            const double observed = diagonal_[angle * at(frames_) + at(k)];
            if (!std::isnan(observed)) {
                add(columns_at(k, observed, data[angle].reference),
                    data[angle].loss,
                    level,
                    sums[angle]);
            }
        }
    }
}

}  // namespace lockstep::xpcs
