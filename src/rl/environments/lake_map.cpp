#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/frozen_lake.hpp"
#include "lockstep/rl/numpy_random.hpp"

namespace lockstep::rl {
namespace {

constexpr int largest_size = 2'000;

// So that maps without hope are given up in a second.
int most_tries(int size) {
    return std::clamp(100'000'000 / (size * size), 20, 100'000);
}

// Reaches the goal over cells that are no holes: a flood from the start.
bool has_path(LakeMap map) {
    const auto size = map.size();
    std::vector<std::array<std::size_t, 2>> edge{{0, 0}};
    const auto visit = [&](std::size_t row, std::size_t column) {
        if (row < size && column < size && map[row][column] != 'H') {
            edge.push_back({row, column});
        }
    };
    while (!edge.empty()) {
        const auto [row, column] = edge.back();
        edge.pop_back();
        if (map[row][column] == 'H') {
            continue;
        }
        map[row][column] = 'H';
        visit(row + 1, column);
        visit(row, column + 1);
        visit(row - 1, column);
        visit(row, column - 1);
    }
    return map.back().back() == 'H';
}

LakeMap drawn_map(int size, double frozen, NumpyRandom& random) {
    LakeMap map(at(size), std::string(at(size), 'F'));
    for (std::string& row : map) {
        for (char& cell : row) {
            cell = random.uniform() >= frozen ? 'H' : 'F';
        }
    }
    map.front().front() = 'S';
    map.back().back() = 'G';
    return map;
}

void check(int size, double frozen) {
    if (size < 2 || size > largest_size) {
        throw InputError(fmt::format("size {}: must be 2 to {}", size, largest_size));
    }
    if (!(frozen > 0 && frozen <= 1)) {
        throw InputError(fmt::format("frozen_probability {}: must be above 0, at most 1", frozen));
    }
}

}  // namespace

LakeMap named_lake(std::string_view name) {
    if (name == "4x4") {
        return {"SFFF", "FHFH", "FFFH", "HFFG"};
    }
    if (name == "8x8") {
        return {"SFFFFFFF",
                "FFFFFFFF",
                "FFFHFFFF",
                "FFFFFHFF",
                "FFFHFFFF",
                "FHHFFFHF",
                "FHFFHFHF",
                "FFFHFFFG"};
    }
    throw InputError(fmt::format("map_name \"{}\": must be 4x4 or 8x8", name));
}

LakeMap random_lake(int size, double frozen, std::uint64_t seed) {
    check(size, frozen);
    NumpyRandom random(seed);
    // NumPy scales the running sums of its two probabilities by the last one.
    const double threshold = frozen / (frozen + (1 - frozen));
    for (int i = 0; i < most_tries(size); ++i) {
        LakeMap map = drawn_map(size, threshold, random);
        if (has_path(map)) {
            return map;
        }
    }
    throw InputError(
        fmt::format("no path from start to goal in {} random maps of size {}: raise "
                    "frozen_probability, now {}",
                    most_tries(size),
                    size,
                    frozen));
}

}  // namespace lockstep::rl
