#include "lockstep/runtime/rounds.hpp"

namespace lockstep::runtime {
namespace {

// Places of a round, as Survival counts steps.
enum Step : std::int64_t { working, complete, ended, steps_of_round };

class Loop {
public:
    Loop(Team& team, std::int64_t done, Rounds& rounds)
        : team_(team), rounds_(rounds), round_(done) {}

    void run() {
        team_.survival.enter();
        reach(complete);
        while (!try_to_end()) {
        }
    }

private:
    [[nodiscard]] std::int64_t step(Step step) const { return steps_of_round * round_ + step; }
    void reach(Step at) { team_.survival.reach(step(at)); }

    bool try_to_end() {
        try {
            while (!has_ended_) {
                go_on();
            }
            team_.ranks.barrier();
            return true;
        } catch (const comm::PeerFailed& failure) {
            const auto own = team_.survival.place();
            const auto lowest = team_.survival.recover(team_.ranks, failure);
            if (lowest >= Survival::Place{own.section, step(ended)}) {
                return true;
            }
            // Who is still at the end of the section before has nothing of this one.
            go_back(lowest.section == own.section ? lowest.step : step(working));
            return false;
        }
    }

    void go_on() {
        if (!is_complete_) {
            rounds_.work();
            is_complete_ = true;
            reach(complete);
        }
        rounds_.confirm();
        if (!is_final_) {
            is_final_ = true;
            rounds_.commit();
        }
        has_ended_ = rounds_.is_over();
        if (has_ended_) {
            reach(ended);
        } else {
            begin(round_ + 1);
        }
    }

    void begin(std::int64_t round) {
        round_ = round;
        is_complete_ = is_final_ = false;
        reach(working);
        rounds_.begin(round);
    }

    // Never before the last final round: to make one final takes every rank.
    void go_back(std::int64_t lowest) {
        const bool others_lack_it = lowest <= step(working);
        if (!is_final_ && others_lack_it) {
            rounds_.drop();
            is_complete_ = false;
        }
        has_ended_ = false;
        rounds_.repartition();
        if (lowest < step(working)) {  // the others only wait for the decision to go on
            round_ = lowest / steps_of_round;
            is_complete_ = is_final_ = true;
        }
        if (is_complete_) {
            reach(complete);
        } else {
            begin(round_);
        }
    }

    Team& team_;
    Rounds& rounds_;
    std::int64_t round_;
    bool is_complete_ = true;  // this rank has all of the round
    bool is_final_ = true;     // every rank has
    bool has_ended_ = false;
};

}  // namespace

void run_rounds(Team& team, std::int64_t done, Rounds& rounds) {
    Loop(team, done, rounds).run();
}

}  // namespace lockstep::runtime
