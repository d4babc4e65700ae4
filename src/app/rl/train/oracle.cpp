#include "app/rl/train/oracle.hpp"

#include <limits>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "app/rl/games/games.hpp"
#include "app/rl/games/opponent.hpp"
#include "app/rl/require_memory.hpp"
#include "app/rl/solve/arrangement.hpp"
#include "app/rl/solve/memory.hpp"
#include "app/rl/start_value.hpp"
#include "app/rl/train/greedy_policy.hpp"

namespace lockstep::app {
namespace {

constexpr double share_of_time = 0.1;
// Between Garnet's 0.7 and the 11 of a walled grid of a million states at gamma 0.9999.
constexpr double seconds_of_a_pair = 1.5e-6;
constexpr double most_of_the_prediction = 3;

/// Ends the search for values when its time is over.
class Deadline final : public rl::SolveObserver {
public:
    explicit Deadline(const OracleLimits& limits) : limits_(limits) {}
    bool stop_requested() override {
        const bool is_bounded = limits_.when == ExactValues::automatic;
        return limits_.stop_requested() ||
               (is_bounded && clock_.seconds() > most_of_the_prediction * limits_.seconds);
    }

private:
    const OracleLimits& limits_;
    Stopwatch clock_;
};

std::int64_t most_pairs_of(const Subject& subject) {
    return std::int64_t{subject.record.states} * subject.record.actions;
}

std::string too_slow(const Subject& subject, double seconds, const OracleLimits& limits) {
    return fmt::format("the {} pairs of {} would take about {}, more than {}",
                       count(most_pairs_of(subject)),
                       subject.record.name,
                       duration(seconds),
                       duration(limits.seconds));
}

std::string too_large(const Subject& subject, std::int64_t bytes, const OracleLimits& limits) {
    return fmt::format("those of {} would take {} of memory and there are {}",
                       subject.record.name,
                       memory_text(bytes),
                       memory_text(limits.bytes));
}

}  // namespace

Oracle::Oracle(const Subject& subject,
               double discount_factor,
               const OracleLimits& limits,
               runtime::ThreadTeam& team)
    : subject_(subject), team_(team), is_game_(is_game(subject.record)) {
    options_.gamma = discount_factor;
    const double seconds =
        static_cast<double>(most_pairs_of(subject)) * seconds_of_a_pair / team.size();
    if (limits.when == ExactValues::automatic && seconds > limits.seconds) {
        skip(too_slow(subject, seconds, limits) + "; --exact-values always waits for them");
    } else if (limits.when != ExactValues::never) {
        find_process(limits);
    }
    if (process_) {
        solve(limits);
    }
}

void Oracle::skip(const std::string& why) {
    why_skipped_ = "optimal values are not computed: " + why;
}

// Rows that are kept at all are kept once, instead of the model that they came from.
void Oracle::find_process(const OracleLimits& limits) {
    const auto has_room = [&](std::int64_t bytes) {
        if (limits.bytes > 0 && bytes > limits.bytes) {
            skip(too_large(subject_, bytes, limits));
            return false;
        }
        return true;
    };
    if (!has_room(least_memory_of_solving(subject_))) {
        return;
    }
    try {
        process_ = known_process(subject_);
    } catch (const ModelError&) {
        return;  // partly hidden: nothing to compare with
    }
    const auto facts = process_->rows->facts(team_);
    const auto arrangement =
        arrangement_of(options_, facts, subject_.record.states, computes_rows(subject_));
    if (!has_room(memory_of_solving(facts, subject_.record, arrangement))) {
        process_.reset();
        return;
    }
    options_ = arrangement.options;
    if (arrangement.keeps_rows) {
        process_->rows = std::make_unique<rl::RowTable>(*process_->rows, team_);
        process_->model.reset();
    }
}

void Oracle::solve(const OracleLimits& limits) {
    try {
        Deadline deadline(limits);
        solution_ = rl::solve(*process_->rows, process_->starts, options_, team_, deadline);
    } catch (const ModelError&) {
        return;  // infinite values: nothing to compare with
    }
    if (solution_.ending == rl::Ending::stopped) {
        skip(fmt::format("given up after {}; --exact-values always waits for them",
                         duration(clock_.seconds())));
        return;
    }
    optimum_ = start_value(process_->starts, solution_);
}

bool Oracle::is_due() const {
    return knows() && (clock_.seconds() - ended_at_) * share_of_time >= cost_;
}

std::optional<Worth> Oracle::worth_of(const rl::QTable& table) {
    if (!optimum_) {
        return std::nullopt;
    }
    const GreedyPolicy policy(*process_->rows, table, team_);
    try {
        rl::SolveObserver nobody;
        auto options = options_;
        options.method = rl::Method::automatic;
        const auto found = rl::evaluate(
            *process_->rows, process_->starts, policy.actions(), options, team_, nobody);
        const auto value = *start_value(process_->starts, found);
        return Worth{value,
                     formats::rl::gap_to(*optimum_, value),
                     policy.bellman_residual(options_.gamma, team_),
                     policy.match(solution_, team_)};
    } catch (const ModelError&) {
        return std::nullopt;  // a policy that never ends and pays for ever
    }
}

// The last table of a training is judged for its progress and for its result.
Judgement Oracle::judge(const rl::QTable& table) {
    const auto digest = digest_of(table);
    if (digest != judged_) {
        const Stopwatch clock;
        judgement_ = {worth_of(table), exploitability_of(subject_, table)};
        judged_ = digest;
        cost_ = clock.seconds();
    }
    ended_at_ = clock_.seconds();
    return judgement_;
}

int greedy_action(const rl::QTable& table, rl::ActionMask legal, int state) {
    int best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < table.actions; ++a) {
        const double value = table.values[at(std::ptrdiff_t{state} * table.actions + a)];
        if ((legal >> static_cast<unsigned>(a) & 1U) != 0 && value > most) {
            most = value;
            best = a;
        }
    }
    return best;
}

}  // namespace lockstep::app
