#include "lockstep/app/compare.hpp"

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/formats/cobre/results.hpp"

#include "app/compare_files.hpp"
#include "app/json_path.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::Results;

struct Pair {
    Results left;
    Results right;
};

std::string digest_of(const std::optional<io::Json>& metadata) {
    return metadata ? text_at(*metadata, "digest") : "none";
}

std::string input_of(const Results& results) {
    return text_at(results.training ? *results.training : *results.simulation, "input_digest");
}

// What both sides can be asked for: parts that one side lacks are differences by themselves.
std::vector<Comparison::Digests> digests_of(const Pair& pair) {
    std::vector<Comparison::Digests> digests;
    digests.push_back({"input", input_of(pair.left), input_of(pair.right)});
    if (pair.left.training || pair.right.training)
        digests.push_back(
            {"training", digest_of(pair.left.training), digest_of(pair.right.training)});
    if (pair.left.simulation || pair.right.simulation)
        digests.push_back(
            {"simulation", digest_of(pair.left.simulation), digest_of(pair.right.simulation)});
    return digests;
}

bool is_equal(const Comparison::Digests& digests) {
    return digests.left == digests.right;
}

bool wants(const Comparison& comparison, std::string_view part, Depth depth) {
    for (const auto& digests : comparison.digests)
        if (digests.part == part)
            return depth == Depth::files || !is_equal(digests);
    return false;
}

void add(Comparison& comparison, std::optional<Difference> difference) {
    if (difference)
        comparison.differences.push_back(std::move(*difference));
}

void compare_parts(const Pair& pair, Depth depth, Comparison& comparison) {
    if (pair.left.training && pair.right.training && wants(comparison, "training", depth)) {
        add(comparison, differing_bounds(pair.left, pair.right));
        add(comparison, differing_cuts(pair.left.directory, pair.right.directory));
    }
    if (pair.left.simulation && pair.right.simulation && wants(comparison, "simulation", depth))
        add(comparison, differing_scenarios(pair.left, pair.right));
}

// "training and simulation"
std::string names_of(const std::vector<Comparison::Digests>& digests, bool equal) {
    std::string names;
    for (const auto& entry : digests)
        if (is_equal(entry) == equal)
            names += (names.empty() ? "" : " and ") + entry.part;
    return names;
}

std::string sentence_of(const Comparison& comparison) {
    if (comparison.is_same)
        return "The results are the same bits.";
    if (comparison.differences.empty())
        return fmt::format("The results differ: the digests of {} are not equal.",
                           names_of(comparison.digests, false));
    const auto& first = comparison.differences.front();
    return fmt::format(
        "The results differ, first in the {} at {}: {}.", first.part, first.where, first.quantity);
}

bool all_equal(const std::vector<Comparison::Digests>& digests) {
    for (const auto& entry : digests)
        if (entry.part != "input" && !is_equal(entry))
            return false;
    return true;
}

}  // namespace

Comparison compare(const std::filesystem::path& left,
                   const std::filesystem::path& right,
                   Depth depth) {
    const Pair pair{formats::cobre::read_results(left), formats::cobre::read_results(right)};
    Comparison comparison;
    comparison.digests = digests_of(pair);
    compare_parts(pair, depth, comparison);
    comparison.is_same = all_equal(comparison.digests) && comparison.differences.empty();
    comparison.sentence = sentence_of(comparison);
    return comparison;
}

}  // namespace lockstep::app
