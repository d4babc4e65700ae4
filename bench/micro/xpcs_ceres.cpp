// The model of xpcs.md written as a user of Ceres would: running integrals once an evaluation, then
// one residual block for each row of each matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <ceres/ceres.h>

#include "cpu_time.hpp"
#include "xpcs_peer.hpp"

namespace {

using lockstep::xpcs::Measurement;

/// Running integrals of the transport functions and of their derivatives.
class Integrals : public ceres::EvaluationCallback {
public:
    Integrals(const Measurement& data, const double* parameters)
        : data_(data), parameters_(parameters) {
        for (auto& nodes : values) {
            nodes.resize(static_cast<std::size_t>(data.frames));
        }
    }

    void PrepareForEvaluation(bool, bool) override {
        law(parameters_, 0);
        law(parameters_ + 3, 4);
    }

    std::array<std::vector<double>, 8> values;  // D, by D0, alpha, D_offset; γ̇, by the others

private:
    void law(const double* p, std::size_t first) {
        std::array<double, 4> before{};
        for (int k = 0; k < data_.frames; ++k) {
            const double time = std::max(data_.time(k), data_.dt / 2);
            const double curve = std::pow(time, p[1]);
            const std::array<double, 4> here{
                p[0] * curve + p[2], curve, p[0] * curve * std::log(time), 1};
            for (std::size_t q = 0; q < 4; ++q) {
                auto& nodes = values[first + q];
                nodes[static_cast<std::size_t>(k)] =
                    k == 0 ? 0 : nodes[static_cast<std::size_t>(k - 1)] + (before[q] + here[q]) / 2;
            }
            before = here;
        }
    }

    const Measurement& data_;
    const double* parameters_;
};

/// Residuals of the pairs (row, row + 1 …) at one angle.
class RowCost : public ceres::CostFunction {
public:
    RowCost(const Measurement& data, const Integrals& integrals, int angle, int row, double sigma)
        : data_(data), integrals_(integrals), angle_(angle), row_(row), weight_(1 / sigma) {
        set_num_residuals(data.frames - row - 1);
        *mutable_parameter_block_sizes() = {2, 7};
    }

    bool Evaluate(double const* const* p, double* residuals, double** jacobians) const override {
        const double contrast = p[0][0];
        const double offset = p[0][1];
        const double h = data_.q * data_.q * data_.dt;
        const double psi =
            (p[1][6] - data_.phi[static_cast<std::size_t>(angle_)]) * std::numbers::pi / 180;
        const double scale = data_.q * data_.gap * data_.dt / (2 * std::numbers::pi);
        const double* c2 = &data_.c2[data_.row(angle_, row_)];
        const auto& v = integrals_.values;
        for (int k = 0; k < num_residuals(); ++k) {
            const auto i = static_cast<std::size_t>(row_);
            const auto j = static_cast<std::size_t>(row_ + 1 + k);
            const double decay = std::exp(-h * (v[0][j] - v[0][i]));
            const double flow = v[4][j] - v[4][i];
            const double phase = scale * std::cos(psi) * flow;
            const double sine = std::sin(phase);
            const double sinc = std::abs(phase) < 1e-4 ? 1 - phase * phase / 6 : sine / phase;
            const double slope =
                std::abs(phase) < 1e-4 ? -phase / 3 : (std::cos(phase) - sinc) / phase;
            const double square = sinc * sinc;
            const double x = decay * square * square;
            residuals[k] = weight_ * (c2[k] - offset - contrast * x);
            if (jacobians == nullptr) {
                continue;
            }
            if (jacobians[0] != nullptr) {
                jacobians[0][2 * k] = -weight_ * x;
                jacobians[0][2 * k + 1] = -weight_;
            }
            if (jacobians[1] != nullptr) {
                double* row = jacobians[1] + std::ptrdiff_t{7} * k;
                const double by_exponent = weight_ * contrast * x * h;
                const double by_phase =
                    -weight_ * contrast * 4 * decay * square * sinc * slope * scale;
                for (std::size_t q = 0; q < 3; ++q) {
                    row[q] = by_exponent * (v[1 + q][j] - v[1 + q][i]);
                    row[3 + q] = by_phase * std::cos(psi) * (v[5 + q][j] - v[5 + q][i]);
                }
                row[6] = -by_phase * std::sin(psi) * flow * std::numbers::pi / 180;
            }
        }
        return true;
    }

private:
    const Measurement& data_;
    const Integrals& integrals_;
    int angle_;
    int row_;
    double weight_;
};

}  // namespace

PeerFit fit_by_ceres(const Measurement& measurement, const lockstep::xpcs::FitOptions& options) {
    const double before = cpu_seconds();
    std::array<double, 7> physical{};
    std::copy(options.start.begin(), options.start.end(), physical.begin());
    std::vector<std::array<double, 2>> scales(measurement.phi.size(), {0.3, 1});
    Integrals integrals(measurement, physical.data());

    ceres::Problem::Options ownership;
    ownership.evaluation_callback = &integrals;
    ceres::Problem problem(ownership);
    auto* ordering = new ceres::ParameterBlockOrdering;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        auto& scale = scales[static_cast<std::size_t>(angle)];
        for (int row = 0; row + 1 < measurement.frames; ++row) {
            problem.AddResidualBlock(new RowCost(measurement, integrals, angle, row, options.sigma),
                                     nullptr,
                                     scale.data(),
                                     physical.data());
        }
        ordering->AddElementToGroup(scale.data(), 0);
    }
    ordering->AddElementToGroup(physical.data(), 1);

    ceres::Solver::Options solver;
    solver.linear_solver_type = ceres::DENSE_SCHUR;
    solver.linear_solver_ordering.reset(ordering);
    solver.logging_type = ceres::SILENT;
    solver.num_threads = 1;
    solver.max_num_iterations = 200;
    solver.function_tolerance = 1e-12;
    solver.parameter_tolerance = 1e-12;
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem, &summary);
    return {true,
            2 * summary.final_cost,
            cpu_seconds() - before,
            static_cast<int>(summary.iterations.size())};
}
