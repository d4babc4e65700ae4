#include "rl/solve/criteria/gain.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "rl/solve/criteria/components.hpp"
#include "rl/solve/sweeps/bounds.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

constexpr double damping = 0.9;  // below 1, so that periodic processes converge
constexpr int most_sweeps = 20'000;

/// The pairs of a table that stay in one end component, its states numbered anew.
class Component : public RowSource {
public:
    Component(const RowTable& table, const EndComponents& all, int number)
        : table_(table), all_(all), number_of_(all.of.size(), -1) {
        for (std::size_t s = 0; s < all.of.size(); ++s) {
            if (all.of[s] == number) {
                number_of_[s] = static_cast<std::int32_t>(members_.size());
                members_.push_back(static_cast<std::int32_t>(s));
            }
        }
    }
    [[nodiscard]] int states() const override { return static_cast<int>(members_.size()); }
    [[nodiscard]] int actions() const override { return table_.actions(); }
    void write(int s, RowWriter& writer) const override {
        const RowBlock rows = table_.all();
        const std::int32_t member = members_[at(s)];
        for (std::int64_t p = rows.pair_first[member]; p < rows.pair_first[member + 1]; ++p) {
            if (all_.is_inner[at(p)] != 0) {
                writer.copy(rows, p, rows.action[p], rows.reward[p], number_of_);
            }
        }
    }

private:
    const RowTable& table_;
    const EndComponents& all_;
    std::vector<std::int32_t> number_of_;
    std::vector<std::int32_t> members_;
};

struct Signs {
    bool has_positive = false;
    bool has_negative = false;
};

std::vector<Signs> signs_of(const RowTable& table, const EndComponents& components) {
    const RowBlock rows = table.all();
    std::vector<Signs> signs(at(components.count));
    for (int s = 0; s < table.states(); ++s) {
        for (std::int64_t pair = rows.pair_first[s]; pair < rows.pair_first[s + 1]; ++pair) {
            if (components.is_inner[at(pair)] != 0) {
                Signs& sign = signs[at(components.of[at(s)])];
                sign.has_positive |= rows.reward[pair] > 0;
                sign.has_negative |= rows.reward[pair] < 0;
            }
        }
    }
    return signs;
}

Earning earning_by_average(const RowSource& component,
                           const RowFacts& facts,
                           runtime::ThreadTeam& team) {
    const RowTable rows(component, team);
    RelativeSweeps sweeps(rows, facts);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        sweeps.sweep(team);
        if (sweeps.low() > 0 || sweeps.high() < 0) {
            return sweeps.low() > 0 ? Earning::for_ever : Earning::no;
        }
        if (sweeps.is_at_rounding()) {
            break;
        }
    }
    return Earning::undecided;
}

}  // namespace

RelativeSweeps::RelativeSweeps(const RowSource& source, const RowFacts& facts)
    : source_(source),
      facts_(facts),
      h_(at(source.states()), 0.0),
      next_(h_.size()),
      choice_(h_.size(), -1) {}

void RelativeSweeps::sweep(runtime::ThreadTeam& team) {
    const Change change = jacobi_sweep(source_, 1, h_, next_, choice_, team);
    const double rounding = rounding_of(facts_, change.size + change.largest());
    low_ = a_little_less(change.least - rounding);
    high_ = a_little_more(change.most + rounding);
    is_at_rounding_ = change.most - change.least <= 2 * rounding;
    change_ = change.most - change.least;
    const auto first = std::find_if(choice_.begin(), choice_.end(), [](int c) { return c >= 0; });
    if (first == choice_.end()) {
        return;
    }
    const auto i = static_cast<std::size_t>(first - choice_.begin());
    const double reference = h_[i] + damping * (next_[i] - h_[i]);
    for (std::size_t s = 0; s < h_.size(); ++s) {
        if (choice_[s] >= 0) {
            h_[s] += damping * (next_[s] - h_[s]) - reference;
        }
    }
}

EarningStates earning_states(const RowTable& table,
                             const RowFacts& facts,
                             runtime::ThreadTeam& team) {
    EarningStates result{std::vector<Earning>(at(table.states()), Earning::no)};
    if (facts.earning_pairs == 0) {
        return result;
    }
    const EndComponents components = end_components(table, [](std::int64_t) { return true; });
    const std::vector<Signs> signs = signs_of(table, components);
    std::vector<Earning> earning(signs.size(), Earning::no);
    for (int i = 0; i < components.count; ++i) {
        if (signs[at(i)].has_positive) {
            earning[at(i)] = signs[at(i)].has_negative
                                 ? earning_by_average(Component(table, components, i), facts, team)
                                 : Earning::for_ever;
        }
    }
    for (std::size_t s = 0; s < result.of.size(); ++s) {
        if (components.of[s] >= 0) {
            result.of[s] = earning[at(components.of[s])];
        }
    }
    return result;
}

}  // namespace lockstep::rl
