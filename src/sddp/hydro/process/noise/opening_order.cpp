#include "sddp/hydro/process/noise/opening_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

/// Distances between openings by the water that they move, damped by a square root: measured on the
/// national case, plain noise or plain flows as weights cost more pivots.
class Distances {
public:
    Distances(const Problem& problem, int stage);
    double operator()(int a, int b) const { return value_[at(a) * count_ + at(b)]; }
    [[nodiscard]] int calmest() const;
    [[nodiscard]] int count() const { return static_cast<int>(count_); }

private:
    std::size_t count_;
    std::vector<double> value_;
    std::vector<double> size_;
};

Distances::Distances(const Problem& problem, int stage)
    : count_(at(problem.process.tree.count[at(stage)])), value_(count_ * count_), size_(count_) {
    const auto& process = problem.process;
    const auto& scale = process.inflow.stages[at(stage)].scale;
    const auto weight = [&](std::size_t i) { return i < scale.size() ? std::sqrt(scale[i]) : 1.0; };
    for (std::size_t a = 0; a < count_; ++a) {
        const auto first = process.tree.noise(stage, static_cast<int>(a));
        for (std::size_t i = 0; i < first.size(); ++i) {
            size_[a] += std::abs(weight(i) * first[i]);
        }
        for (std::size_t b = 0; b < count_; ++b) {
            const auto second = process.tree.noise(stage, static_cast<int>(b));
            for (std::size_t i = 0; i < first.size(); ++i) {
                value_[a * count_ + b] += std::abs(weight(i) * (first[i] - second[i]));
            }
        }
    }
}

int Distances::calmest() const {
    return static_cast<int>(std::min_element(size_.begin(), size_.end()) - size_.begin());
}

std::vector<int> nearest_neighbours(const Distances& distance) {
    std::vector<int> left(static_cast<std::size_t>(distance.count()));
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> path;
    auto next = std::find(left.begin(), left.end(), distance.calmest());
    while (true) {
        path.push_back(*next);
        left.erase(next);
        if (left.empty()) {
            return path;
        }
        const int here = path.back();
        next = std::min_element(left.begin(), left.end(), [&](int a, int b) {
            return distance(here, a) < distance(here, b);
        });
    }
}

// Reverses parts of the path (its start stays) while that makes it shorter.
void two_opt(std::vector<int>& path, const Distances& distance) {
    const auto count = path.size();
    bool improved = true;
    for (int sweep = 0; improved && sweep < 50; ++sweep) {
        improved = false;
        for (std::size_t i = 1; i + 1 < count; ++i) {
            for (std::size_t j = i + 1; j < count; ++j) {
                auto change = distance(path[i - 1], path[j]) - distance(path[i - 1], path[i]);
                if (j + 1 < count) {
                    change += distance(path[i], path[j + 1]) - distance(path[j], path[j + 1]);
                }
                if (change < -1e-9 * distance(path[i - 1], path[i])) {
                    std::reverse(path.begin() + static_cast<std::ptrdiff_t>(i),
                                 path.begin() + static_cast<std::ptrdiff_t>(j) + 1);
                    improved = true;
                }
            }
        }
    }
}

}  // namespace

std::vector<int> opening_order(const Problem& problem, int stage) {
    const Distances distance(problem, stage);
    auto path = nearest_neighbours(distance);
    two_opt(path, distance);
    return path;
}

}  // namespace lockstep::sddp
