#include "formats/mdp/draft.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::mdp {
namespace {

constexpr double faulty = std::numeric_limits<double>::quiet_NaN();
constexpr double sum_tolerance = 1e-9;

// A table has a place for each pair. One number that is far off would ask for gigabytes of them.
constexpr std::int64_t always_allowed_pairs = 10'000'000;
constexpr std::int64_t pairs_a_row = 1'000;

template <typename Tell>
std::int32_t number_of(const Label& label, Numbering& numbering, const Tell& tell) {
    std::string why;
    const std::int32_t number = numbering.number(label, why);
    if (!why.empty()) {
        tell(ProblemKind::invalid_reference, std::move(why));
    }
    return number;
}

template <typename Tell>
double checked(std::optional<double> probability, const Tell& tell) {
    if (!probability) {
        return faulty;
    }
    if (!(*probability >= 0 && *probability <= 1)) {
        tell(ProblemKind::invalid_value,
             fmt::format("probability {} must be 0 to 1", *probability));
        return faulty;
    }
    return *probability;
}

}  // namespace

std::string in_words(const RawRow& row) {
    return fmt::format("state {}, action {}", to_string(row.state), to_string(row.action));
}

void Draft::add_row(const RawRow& raw) {
    const auto tell = [&](ProblemKind kind, std::string what) {
        faults_.add(kind, raw.place, in_words(raw), std::move(what));
    };
    const Row row{raw.place,
                  number_of(raw.state, states, tell),
                  number_of(raw.action, actions, tell),
                  number_of(raw.next, states, tell),
                  checked(raw.probability, tell),
                  raw.reward.value_or(0),
                  raw.terminated};
    if (!std::isfinite(row.reward)) {
        tell(ProblemKind::invalid_value,
             fmt::format("reward {} must be a finite number", row.reward));
    }
    if (row.state >= 0 && row.action >= 0) {
        rows_.push_back(row);
    }
}

void Draft::add_start(std::int64_t place, const Label& state, std::optional<double> probability) {
    const auto tell = [&](ProblemKind kind, std::string what) {
        faults_.add(kind, place, "start in state " + to_string(state), std::move(what));
    };
    const std::int32_t number = number_of(state, states, tell);
    const double share = checked(probability, tell);
    starts_.push_back({place, number, number < 0 ? faulty : share});
}

std::optional<ModelFile> Draft::finish() {
    if (is_too_sparse()) {
        return std::nullopt;
    }
    sort_rows();
    check_sums();
    check_successors();
    check_starts();
    if (faults_.any()) {
        return std::nullopt;
    }
    return ModelFile{model(), gamma, time_limit, states.names(), actions.names()};
}

std::string Draft::entity(const Row& row) const {
    return fmt::format("state {}, action {}", states.text(row.state), actions.text(row.action));
}

bool Draft::is_too_sparse() {
    const auto rows = static_cast<std::int64_t>(rows_.size());
    if (rows == 0) {
        if (!faults_.any()) {
            faults_.add(ProblemKind::invalid_value, 0, "", "holds no rows");
        }
        return true;
    }
    const std::int64_t pairs = std::int64_t{states.size()} * actions.size();
    const bool is_too_many = pairs > std::numeric_limits<std::int32_t>::max() ||
                             (pairs > always_allowed_pairs && pairs / pairs_a_row > rows);
    if (is_too_many) {
        faults_.add(ProblemKind::invalid_value,
                    0,
                    "",
                    fmt::format("{} states with {} actions are {} pairs, for {} rows: number them "
                                "from 0 without gaps",
                                states.size(),
                                actions.size(),
                                pairs,
                                rows));
    }
    return is_too_many;
}

// Rows of a pair keep their order: seeds depend on it.
void Draft::sort_rows() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
        return std::tie(a.state, a.action) < std::tie(b.state, b.action);
    });
}

void Draft::check_sums() {
    for (std::size_t first = 0; first < rows_.size();) {
        std::size_t end = first + 1;
        while (end < rows_.size() && rows_[end].state == rows_[first].state &&
               rows_[end].action == rows_[first].action) {
            ++end;
        }
        check_sum(first, end);
        first = end;
    }
}

void Draft::check_sum(std::size_t first, std::size_t end) {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) {
        sum += rows_[i].probability;
    }
    if (std::abs(sum - 1) > sum_tolerance) {  // not where a faulty one makes it NaN
        faults_.add(ProblemKind::invalid_value,
                    rows_[first].place,
                    entity(rows_[first]),
                    fmt::format("the probabilities add up to {}, must be 1", sum));
    }
}

void Draft::check_successors() {
    const std::vector<bool> has_rows = states_with_rows();
    for (const Row& row : rows_) {
        if (row.terminated || row.probability == 0 || row.next < 0 || has_rows[at(row.next)]) {
            continue;
        }
        faults_.add(ProblemKind::business_rule_violation,
                    row.place,
                    entity(row),
                    fmt::format("goes on to state {}, which has no rows: mark the transition "
                                "terminated, or give the state an action",
                                states.text(row.next)));
    }
}

void Draft::check_starts() {
    const std::vector<bool> has_rows = states_with_rows();
    double sum = 0;
    for (const PlacedStart& start : starts_) {
        sum += start.probability;
        if (start.state >= 0 && start.probability != 0 && !has_rows[at(start.state)]) {
            faults_.add(ProblemKind::business_rule_violation,
                        start.place,
                        fmt::format("start in state {}", states.text(start.state)),
                        "the state has no rows: nothing can be done there");
        }
    }
    if (!starts_.empty() && std::abs(sum - 1) > sum_tolerance) {
        faults_.add(ProblemKind::invalid_value,
                    starts_.front().place,
                    "start",
                    fmt::format("the probabilities add up to {}, must be 1", sum));
    }
}

std::vector<bool> Draft::states_with_rows() const {
    std::vector<bool> has_rows(at(states.size()), false);
    for (const Row& row : rows_) {
        has_rows[at(row.state)] = true;
    }
    return has_rows;
}

lockstep::rl::Model Draft::model() const {
    lockstep::rl::ModelBuilder builder(states.size(), actions.size());
    for (const Row& row : rows_) {
        if (row.probability > 0) {
            builder.add(
                row.state, row.action, {row.probability, row.next, row.reward, row.terminated});
        }
    }
    for (const PlacedStart& start : starts_) {
        if (start.probability > 0) {
            builder.add_start({start.state, start.probability});
        }
    }
    return builder.build();
}

}  // namespace lockstep::formats::mdp
