#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "lockstep/sddp/process.hpp"

namespace lockstep::test {

/// Draws an opening of the tree at random, anew at every stage.
class RandomOpenings : public sddp::TrajectorySampler {
public:
    RandomOpenings(std::shared_ptr<const sddp::OpeningTree> tree, std::uint64_t seed)
        : tree_(std::move(tree)), seed_(seed) {}
    void draw(int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override;

private:
    std::shared_ptr<const sddp::OpeningTree> tree_;
    std::uint64_t seed_;
};

/// Scenario s is path s of the tree, the last stage's opening changing fastest.
class EveryPath : public sddp::TrajectorySampler {
public:
    explicit EveryPath(std::shared_ptr<const sddp::OpeningTree> tree) : tree_(std::move(tree)) {}
    void draw(int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override;

private:
    std::shared_ptr<const sddp::OpeningTree> tree_;
};

/// Number of paths from the first stage to the last.
int path_count(const sddp::OpeningTree& tree);

}  // namespace lockstep::test
