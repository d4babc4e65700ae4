#include "xpcs/nlsq/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::nlsq {

EvolutionRates::EvolutionRates(int population, int dimension) : weights(population) {
    const double n = dimension;
    for (int i = 0; i < population; ++i) {
        weights[i] = math::log((population + 1) / 2.0) - math::log(i + 1.0);
    }
    parents = population / 2;
    auto positive = weights.head(parents);
    auto negative = weights.tail(population - parents);
    positive /= positive.sum();
    effective = 1 / positive.squaredNorm();
    step_path = (effective + 2) / (n + effective + 5);
    step_damping = 1 + 2 * std::max(0.0, std::sqrt((effective - 1) / (n + 1)) - 1) + step_path;
    shape_path = (4 + effective / n) / (n + 4 + 2 * effective / n);
    rank_one = 2 / ((n + 1.3) * (n + 1.3) + effective);
    rank_many = std::min(
        1 - rank_one, 2 * (0.25 + effective + 1 / effective - 2) / ((n + 2) * (n + 2) + effective));
    usual_length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    // Negative weights sum up to no more than what keeps the shape positive definite.
    const double sum = -negative.sum();
    const double negative_effective = sum * sum / negative.squaredNorm();
    const double total = std::min({1 + rank_one / rank_many,
                                   1 + 2 * negative_effective / (effective + 2),
                                   (1 - rank_one - rank_many) / (n * rank_many)});
    negative *= total / sum;
}

Evolution::Evolution(Vector mean, double step, int population)
    : rates_(population, static_cast<int>(mean.size())),
      mean_(std::move(mean)),
      step_(step),
      shape_(Matrix::Identity(mean_.size(), mean_.size())),
      directions_(shape_),
      axes_(Vector::Ones(mean_.size())),
      step_path_(Vector::Zero(mean_.size())),
      shape_path_(step_path_),
      white_(mean_.size(), population),
      offsets_(white_),
      members_(white_) {}

std::span<const double> Evolution::sample(const runtime::Random& random, std::uint64_t item) {
    for (Index k = 0; k < white_.cols(); ++k) {
        random.fill_normal(item,
                           static_cast<std::uint32_t>(k),
                           std::span(white_.col(k).data(), at(white_.rows())));
        offsets_.col(k) = directions_ * axes_.cwiseProduct(white_.col(k));
        members_.col(k) = mean_ + step_ * offsets_.col(k);
    }
    return {members_.data(), at(members_.size())};
}

void Evolution::update(std::span<const int> order) {
    Vector shift = Vector::Zero(mean_.size());
    Vector white_shift = shift;
    for (int i = 0; i < rates_.parents; ++i) {
        shift += rates_.weights[i] * offsets_.col(order[at(i)]);
        white_shift += rates_.weights[i] * white_.col(order[at(i)]);
    }
    mean_ += step_ * shift;
    move_paths(shift, white_shift);
    reshape(order);
    take_axes();
}

void Evolution::move_paths(const Vector& shift, const Vector& white_shift) {
    const auto n = static_cast<double>(mean_.size());
    const double c = rates_.step_path;
    step_path_ = (1 - c) * step_path_ +
                 std::sqrt(c * (2 - c) * rates_.effective) * (directions_ * white_shift);
    path_memory_ *= (1 - c) * (1 - c);
    const double length = step_path_.norm();
    step_ *= math::exp(std::min(1.0, c / rates_.step_damping * (length / rates_.usual_length - 1)));
    path_is_short_ =
        length / std::sqrt(1 - path_memory_) < (1.4 + 2 / (n + 1)) * rates_.usual_length;
    const double cc = rates_.shape_path;
    shape_path_ *= 1 - cc;
    if (path_is_short_) {
        shape_path_ += std::sqrt(cc * (2 - cc) * rates_.effective) * shift;
    }
}

void Evolution::reshape(std::span<const int> order) {
    const auto n = static_cast<double>(mean_.size());
    const double cc = rates_.shape_path;
    const double lost = path_is_short_ ? 0 : cc * (2 - cc);
    const double kept =
        1 + rates_.rank_one * lost - rates_.rank_one - rates_.rank_many * rates_.weights.sum();
    shape_ = kept * shape_ + rates_.rank_one * shape_path_ * shape_path_.transpose();
    for (Index i = 0; i < rates_.weights.size(); ++i) {
        const int member = order[at(i)];
        double weight = rates_.weights[i];
        if (weight < 0) {
            weight *= n / std::max(white_.col(member).squaredNorm(), 1e-300);
        }
        shape_ +=
            rates_.rank_many * weight * offsets_.col(member) * offsets_.col(member).transpose();
    }
}

void Evolution::take_axes() {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(shape_);
    directions_ = solver.eigenvectors();
    const double smallest = 1e-16 * std::max(solver.eigenvalues().maxCoeff(), 1e-300);
    axes_ = solver.eigenvalues().cwiseMax(smallest).cwiseSqrt();
}

double Evolution::width() const {
    return step_ * std::sqrt(shape_.diagonal().maxCoeff());
}

}  // namespace lockstep::xpcs::nlsq
