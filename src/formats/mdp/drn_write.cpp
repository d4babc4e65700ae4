#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "formats/mdp/drn.hpp"

namespace lockstep::formats::mdp {
namespace {

constexpr std::string_view blanks = " \t\r\n";

class DrnWriter {
public:
    explicit DrnWriter(const ModelFile& file) : file_(file), model_(file.model) { look(); }

    std::string text() {
        const int states = model_.states() + (needs_end_ ? 1 : 0);
        text_ = fmt::format(
            "@type: MDP\n@value_type: double\n@parameters\n\n@reward_models\nreward\n"
            "@nr_states\n{}\n@nr_choices\n{}\n@model\n",
            states,
            choices_);
        for (int s = 0; s < model_.states(); ++s) {
            add_state(s);
        }
        if (needs_end_) {
            add_ended(model_.states());
        }
        return std::move(text_);
    }

private:
    // A transition that ends goes to a state without actions; where it names another one, to a
    // state that is added for it.
    void look() {
        is_idle_.assign(at(model_.states()), true);
        each_pair([&](int s, int /*a*/, std::span<const lockstep::rl::Outcome> /*outcomes*/) {
            is_idle_[at(s)] = false;
            ++choices_;
        });
        each_pair([&](int /*s*/, int /*a*/, std::span<const lockstep::rl::Outcome> outcomes) {
            needs_end_ |= std::any_of(outcomes.begin(), outcomes.end(), [&](const auto& outcome) {
                return outcome.terminated && !is_idle_[at(outcome.next)];
            });
        });
        choices_ += std::count(is_idle_.begin(), is_idle_.end(), true) + (needs_end_ ? 1 : 0);
    }

    template <typename Visit>
    void each_pair(const Visit& visit) const {
        for (int s = 0; s < model_.states(); ++s) {
            for (int a = 0; a < model_.actions(); ++a) {
                if (model_.is_legal(s, a)) {
                    visit(s, a, model_.outcomes(s, a));
                }
            }
        }
    }

    void add_state(int s) {
        if (is_idle_[at(s)]) {
            add_ended(s);
            return;
        }
        const auto starts = model_.starts();
        const bool is_start =
            std::any_of(starts.begin(), starts.end(), [&](const lockstep::rl::Start& start) {
                return start.state == s;
            });
        text_ += fmt::format("state {} [0]{}\n", s, is_start ? " init" : "");
        for (int a = 0; a < model_.actions(); ++a) {
            if (model_.is_legal(s, a)) {
                add_action(s, a);
            }
        }
    }

    void add_ended(int s) {
        text_ +=
            fmt::format("state {} [0] {}\n\taction 0 [0]\n\t\t{} : 1\n", s, terminated_label, s);
    }

    void add_action(int s, int a) {
        std::map<std::int32_t, double> shares;  // Storm wants each successor once, ascending
        for (const lockstep::rl::Outcome& outcome : model_.outcomes(s, a)) {
            const bool is_elsewhere = outcome.terminated && !is_idle_[at(outcome.next)];
            shares[is_elsewhere ? model_.states() : outcome.next] += outcome.probability;
        }
        text_ += fmt::format("\taction {} [{}]\n", action_name(a), reward(s, a));
        for (const auto& [next, share] : shares) {
            text_ += fmt::format("\t\t{} : {}\n", next, std::min(share, 1.0));
        }
    }

    // Expected; not rounded where all outcomes pay the same.
    [[nodiscard]] double reward(int s, int a) const {
        const auto outcomes = model_.outcomes(s, a);
        double sum = 0;
        bool is_same = true;
        for (const lockstep::rl::Outcome& outcome : outcomes) {
            sum += outcome.probability * outcome.reward;
            is_same &= outcome.reward == outcomes.front().reward;
        }
        return is_same ? outcomes.front().reward : sum;
    }

    [[nodiscard]] std::string action_name(int a) const {
        if (file_.action_names.empty()) {
            return std::to_string(a);
        }
        const std::string& name = file_.action_names[at(a)];
        if (name.find_first_of(blanks) != std::string::npos) {
            throw InputError(fmt::format(
                "action \"{}\": a .drn file holds no name with blanks; write .json", name));
        }
        return name;
    }

    const ModelFile& file_;
    const lockstep::rl::Model& model_;
    std::vector<bool> is_idle_;
    bool needs_end_ = false;
    std::int64_t choices_ = 0;
    std::string text_;
};

}  // namespace

std::string drn_text(const ModelFile& file) {
    return DrnWriter(file).text();
}

}  // namespace lockstep::formats::mdp
