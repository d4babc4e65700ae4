#include "rl/solve/criteria/undiscounted.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/solve/criteria/components.hpp"
#include "rl/solve/criteria/gain.hpp"
#include "rl/solve/policies/chosen.hpp"

namespace lockstep::rl {
namespace {

/// A source without the pairs of some states.
class LeftOut : public RowSource {
public:
    LeftOut(const RowSource& source, const std::vector<std::uint8_t>& is_left_out)
        : source_(source), is_left_out_(is_left_out) {}
    [[nodiscard]] int states() const override { return source_.states(); }
    [[nodiscard]] int actions() const override { return source_.actions(); }
    void write(int s, RowWriter& writer) const override {
        if (is_left_out_[at(s)] == 0) {
            source_.write(s, writer);
        }
    }

private:
    const RowSource& source_;
    const std::vector<std::uint8_t>& is_left_out_;
};

/// States of a table merged: the merged ones come first and may stop, which is pair -1.
class Merged : public RowSource {
public:
    Merged(const RowTable& table,
           const std::vector<std::int32_t>& state_of,
           const std::vector<std::vector<std::int32_t>>& members,
           const std::vector<std::int32_t>& single,
           const std::vector<std::uint8_t>& is_inner)
        : rows_(table.all()),
          state_of_(state_of),
          members_(members),
          single_(single),
          is_inner_(is_inner) {}
    [[nodiscard]] int states() const override {
        return static_cast<int>(members_.size() + single_.size());
    }
    [[nodiscard]] int actions() const override { return 1; }
    void write(int s, RowWriter& writer) const override {
        if (at(s) >= members_.size()) {
            write_pairs(single_[at(s) - members_.size()], writer);
            return;
        }
        writer.pair(-1);
        writer.outcome(1, 0, 0, true);
        for (const std::int32_t member : members_[at(s)]) {
            write_pairs(member, writer);
        }
    }

private:
    void write_pairs(std::int32_t s, RowWriter& writer) const {
        for (std::int64_t pair = rows_.pair_first[s]; pair < rows_.pair_first[s + 1]; ++pair) {
            if (is_inner_[at(pair)] == 0) {
                const auto number = static_cast<std::int32_t>(pair);
                writer.copy(rows_, pair, number, rows_.reward[pair], state_of_);
            }
        }
    }

    RowBlock rows_;
    const std::vector<std::int32_t>& state_of_;
    const std::vector<std::vector<std::int32_t>>& members_;
    const std::vector<std::int32_t>& single_;
    const std::vector<std::uint8_t>& is_inner_;
};

std::string named(const std::vector<std::int32_t>& states) {
    constexpr std::size_t shown = 5;
    const std::size_t count = std::min(states.size(), shown);
    std::string text = states.size() == 1 ? "state " : "states ";
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", states[i]);
    }
    return states.size() > shown ? text + fmt::format(" and {} more", states.size() - shown) : text;
}

}  // namespace

/// States whose total is not finite or not known to be, and why.
struct EndingProcess::Trouble {
    std::vector<std::int32_t> states;
    const char* what = "";
};

EndingProcess::EndingProcess(const RowSource& source,
                             const RowFacts& facts,
                             std::span<const Start> starts,
                             runtime::ThreadTeam& team)
    : source_(source), facts_(facts) {
    std::vector<std::uint8_t> is_left_out(at(source.states()), 0);
    Trouble trouble = attempt(is_left_out, team);
    if (trouble.states.empty()) {
        return;
    }
    const auto is_reached = reachable(source, starts);
    std::erase_if(trouble.states,
                  [&](std::int32_t s) { return !starts.empty() && is_reached[at(s)] == 0; });
    for (int s = 0; s < source.states() && trouble.states.empty(); ++s) {
        is_left_out[at(s)] = is_reached[at(s)] == 0 ? 1 : 0;
        if (is_left_out[at(s)] != 0) {
            undefined_.push_back(s);
        }
    }
    if (trouble.states.empty()) {
        trouble = attempt(is_left_out, team);
    }
    if (!trouble.states.empty()) {
        throw ModelError(
            fmt::format("gamma is 1, and in {} {}: take gamma below 1, a horizon or "
                        "the average, or change the model",
                        named(trouble.states),
                        trouble.what));
    }
}

EndingProcess::Trouble EndingProcess::attempt(const std::vector<std::uint8_t>& is_left_out,
                                              runtime::ThreadTeam& team) {
    if (facts_.idle_pairs == 0 && facts_.earning_pairs == 0) {
        CertainEnd end = certain_end(source_);
        proper_ = std::move(end.choice);
        if (end.is_everywhere) {
            return {};
        }
    }
    original_ = std::make_unique<RowTable>(LeftOut(source_, is_left_out), team);
    merge_idle(team);
    const auto originals = [&](auto&& is_one) {
        std::vector<std::int32_t> states;
        for (int s = 0; s < source_.states(); ++s) {
            if (is_one(state_of_[at(s)])) {
                states.push_back(s);
            }
        }
        return states;
    };
    const EarningStates earning = earning_states(*table_, facts_, team);
    for (const auto& [kind, what] :
         {std::pair{Earning::for_ever, "a policy can earn for ever, so that values are infinite"},
          std::pair{Earning::undecided, "whether a policy can earn for ever is not decided"}}) {
        auto states = originals([&, kind = kind](int s) { return earning.of[at(s)] == kind; });
        if (!states.empty()) {
            return {std::move(states), what};
        }
    }
    CertainEnd end = certain_end(*table_);
    proper_ = std::move(end.choice);
    return {originals([&](int s) { return end.is_certain[at(s)] == 0; }),
            "no policy is certain to end or to stop paying"};
}

void EndingProcess::merge_idle(runtime::ThreadTeam& team) {
    const RowBlock rows = original_->all();
    const EndComponents idle =
        end_components(*original_, [&](std::int64_t pair) { return rows.reward[pair] == 0; });
    is_inner_ = idle.is_inner;
    members_.assign(at(idle.count), {});
    state_of_.assign(idle.of.size(), 0);
    std::vector<std::int32_t> single;
    for (int s = 0; s < source_.states(); ++s) {
        const std::int32_t component = idle.of[at(s)];
        if (component >= 0) {
            members_[at(component)].push_back(s);
            state_of_[at(s)] = component;
        } else {
            state_of_[at(s)] = idle.count + static_cast<std::int32_t>(single.size());
            single.push_back(s);
        }
    }
    table_ = std::make_unique<RowTable>(Merged(*original_, state_of_, members_, single, is_inner_),
                                        team);
}

std::vector<double> EndingProcess::lifted(const std::vector<double>& values) const {
    if (!table_) {
        return values;
    }
    std::vector<double> all(state_of_.size());
    for (std::size_t s = 0; s < all.size(); ++s) {
        all[s] = values[at(state_of_[s])];
    }
    return all;
}

std::vector<std::int32_t> EndingProcess::lifted_policy(
    const std::vector<std::int32_t>& choice) const {
    std::vector<std::int32_t> policy(at(source_.states()), -1);
    RowWriter writer;
    for (int s = 0; s < source_.states(); ++s) {
        if (!table_) {
            const RowBlock rows = source_.block(s, s + 1, writer);
            policy[at(s)] =
                choice[at(s)] < 0 ? -1 : rows.action[rows.pair_first[0] + choice[at(s)]];
            continue;
        }
        const std::int32_t merged = state_of_[at(s)];
        const RowBlock rows = table_->all();
        if (choice[at(merged)] < 0) {
            continue;
        }
        const std::int64_t pair = rows.action[rows.pair_first[merged] + choice[at(merged)]];
        if (at(merged) >= members_.size()) {
            policy[at(s)] = original_->all().action[pair];
        } else if (members_[at(merged)].front() == s) {
            lead(policy, merged, pair);
        }
    }
    return policy;
}

std::vector<std::int32_t> EndingProcess::lowered(const std::vector<std::int32_t>& policy) const {
    std::vector<std::int32_t> choice = proper_;
    RowWriter writer;
    for (int s = 0; s < source_.states(); ++s) {
        const std::int32_t to = table_ ? state_of_[at(s)] : s;
        if (at(to) < members_.size()) {
            continue;
        }
        const RowBlock pairs = rows().block(to, to + 1, writer);
        for (std::int64_t p = pairs.pair_first[0]; p < pairs.pair_first[1]; ++p) {
            const std::int32_t label = pairs.action[p];
            if ((original_ ? original_->all().action[label] : label) == policy[at(s)]) {
                choice[at(to)] = static_cast<std::int32_t>(p - pairs.pair_first[0]);
            }
        }
    }
    return certain_end(Chosen(rows(), choice)).is_everywhere ? choice : proper_;
}

// Each member takes an inner pair that may come nearer to the state of `pair`, so that it gets
// there in the end; if the pair is to stop (-1), any.
void EndingProcess::lead(std::vector<std::int32_t>& policy,
                         std::int32_t merged,
                         std::int64_t pair) const {
    const RowBlock rows = original_->all();
    const auto& members = members_[at(merged)];
    std::size_t led = 0;
    for (const std::int32_t s : members) {
        if (pair >= rows.pair_first[s] && pair < rows.pair_first[s + 1]) {
            policy[at(s)] = rows.action[pair];
            ++led;
        }
    }
    const auto is_led = [&](std::int32_t s) { return policy[at(s)] >= 0; };
    const auto follow = [&](std::int32_t s) {
        for (std::int64_t p = rows.pair_first[s]; p < rows.pair_first[s + 1]; ++p) {
            if (!is_led(s) && is_inner_[at(p)] != 0 &&
                (pair < 0 ||
                 std::any_of(rows.next + rows.first[p], rows.next + rows.first[p + 1], is_led))) {
                policy[at(s)] = rows.action[p];
                ++led;
            }
        }
    };
    while (led < members.size()) {
        std::for_each(members.begin(), members.end(), follow);
        std::for_each(members.rbegin(), members.rend(), follow);
    }
}

}  // namespace lockstep::rl
