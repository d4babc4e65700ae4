#include "support/path_samplers.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

void copy_opening(const sddp::OpeningTree& tree, int stage, int opening, std::span<double> noise) {
    const auto values = tree.noise(stage, opening);
    std::copy(values.begin(), values.end(), noise.begin());
}

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

int openings(const sddp::OpeningTree& tree, int stage) {
    return tree.count[at(stage)];
}

}  // namespace

void RandomOpenings::draw(
    int iteration, int scenario, int, int stage, std::span<double> noise) const {
    std::uint64_t key = seed_;
    for (const int part : {iteration, scenario, stage}) {
        key = mixed(key ^ static_cast<std::uint64_t>(part));
    }
    const auto count = static_cast<std::uint64_t>(openings(*tree_, stage));
    copy_opening(*tree_, stage, static_cast<int>(key % count), noise);
}

void EveryPath::draw(int, int scenario, int, int stage, std::span<double> noise) const {
    const int stages = static_cast<int>(tree_->count.size());
    for (int later = stages - 1; later > stage; --later) {
        scenario /= openings(*tree_, later);
    }
    copy_opening(*tree_, stage, scenario % openings(*tree_, stage), noise);
}

int path_count(const sddp::OpeningTree& tree) {
    int paths = 1;
    for (const int count : tree.count) {
        paths *= count;
    }
    return paths;
}

}  // namespace lockstep::test
