#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::ConsensusRecord;
using formats::xpcs::FarmRecord;

constexpr std::size_t most_rows = 100;

std::string remark_of(const formats::xpcs::ChoiceRecord& choice) {
    return choice.remark.empty()
               ? ""
               : fmt::format(", where \"{}\" was asked for: {}", choice.asked, choice.remark);
}

/// What a shard holds.
std::string sharding_words(const formats::xpcs::ChoiceRecord& sharding) {
    const std::string words =
        sharding.taken == "per_angle"    ? "Each shard holds pairs of frames of one angle"
        : sharding.taken == "stratified" ? "Each shard holds its share of every lag and age, the "
                                           "same pairs of frames at all angles"
                                         : "Each shard holds random pairs of frames, the same ones "
                                           "at all angles";
    return words + remark_of(sharding) + ".";
}

std::string combination_words(const ConsensusRecord& record) {
    if (!record.shortfall.empty()) {
        return fmt::format("Nothing was combined: {}.", record.shortfall);
    }
    auto words = fmt::format("{} of {} shards were combined ({}{}).",
                             record.kept,
                             record.shards,
                             record.combination.taken,
                             remark_of(record.combination));
    if (!record.largest_shift) {
        return words + " The posterior of all data, which was not drawn, may differ.";
    }
    return words + fmt::format(
                       " Beside the posterior of all data the means are off by {} standard "
                       "deviations at most, "
                       "deviations are {} to {} times as large, correlations off by {} at most.",
                       digits(*record.largest_shift, 2),
                       digits(*record.smallest_width, 3),
                       digits(*record.largest_width, 3),
                       digits(*record.largest_correlation_difference, 2));
}

std::string farm_words(const FarmRecord& farm) {
    auto words =
        fmt::format("Tasks ran on the farm {} ({})", farm.farm, plural(farm.workers, "worker"));
    if (!farm.remark.empty()) {
        words += fmt::format(", not as \"{}\" has it: {}", farm.asked, farm.remark);
    }
    return words + ".";
}

}  // namespace

void add_shards(io::Page& page, const XpcsResults& results) {
    if (!results.posterior || !results.posterior->consensus) {
        return;
    }
    const auto& record = *results.posterior->consensus;
    page.heading("Shards");
    page.paragraph(sharding_words(record.sharding));
    page.paragraph(combination_words(record));
    page.paragraph(farm_words(record.farm));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t shard = 0; shard < record.each.size() && shard < most_rows; ++shard) {
        const auto& of = record.each[shard];
        rows.push_back({of.phi ? fmt::format("{} at {}°", shard, digits(*of.phi, 4))
                               : fmt::format("{}", shard),
                        count(of.pairs),
                        of.method,
                        of.k ? digits(*of.k, 2) : "–",
                        of.rhat ? digits(*of.rhat, 4) : "–",
                        count(of.divergences),
                        of.failure.empty() ? of.verdict : of.verdict + ": " + of.failure,
                        count(of.attempts),
                        digits(of.seconds, 3)});
    }
    page.table(
        {"Shard", "Pairs", "Sampler", "k", "R-hat", "Divergent", "Verdict", "Attempts", "Seconds"},
        rows);
    if (record.each.size() > most_rows) {
        page.paragraph(fmt::format(
            "The first {} of {} shards; posterior.json has all.", most_rows, record.each.size()));
    }
}

}  // namespace lockstep::app
