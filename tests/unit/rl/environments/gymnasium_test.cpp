#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/numpy_random.hpp"
#include "lockstep/rl/vector_environment.hpp"

#include "support/rl_data.hpp"

// What Gymnasium itself answers to the same seeds and actions, bit for bit.

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

// A JSON value as a parameter is written.
std::string written(const io::Json& value) {
    if (const bool* flag = value.if_bool()) {
        return *flag ? "true" : "false";
    }
    if (const std::string* text = value.if_string()) {
        return *text;
    }
    if (value.if_array() == nullptr) {
        return fmt::format("{}", number(value));
    }
    std::string joined;
    for (const io::Json& part : array(value)) {
        const bool is_row = part.if_string() != nullptr;
        joined += (joined.empty() ? "" : is_row ? "/" : ",") + written(part);
    }
    return joined;
}

EnvironmentOptions options_of(const io::Json& json) {
    EnvironmentOptions options;
    for (const auto& [name, value] : *json.if_object()) {
        options.emplace(name, written(value));
    }
    return options;
}

// Gymnasium shows a hand as three numbers, everything else as one.
void expect_state(std::int32_t state, const io::Json& seen) {
    if (seen.if_array() == nullptr) {
        EXPECT_EQ(state, integer(seen));
        return;
    }
    const auto& parts = array(seen);
    const auto hand = Blackjack::observation(state);
    EXPECT_EQ(hand.sum, integer(parts[0]));
    EXPECT_EQ(hand.dealer, integer(parts[1]));
    EXPECT_EQ(hand.usable_ace, integer(parts[2]));
}

void expect_step(const Step& step, const io::Json::Array& row) {
    expect_state(step.next, row[0]);
    EXPECT_EQ(step.reward, number(row[1]));
    EXPECT_EQ(step.terminated, integer(row[2]) != 0);
    EXPECT_EQ(step.truncated, integer(row[3]) != 0);
}

// Plays a record; returns how many episodes ended.
template <Environment E>
int replay(const E& rules, const io::Json& record) {
    NumpyRandom random(static_cast<std::uint64_t>(integer(member(record, {"seed"}))));
    const auto& rows = array(member(record, {"rows"}));
    std::size_t row = 0;
    int ended = 0;
    auto episode = rules.reset(random);
    expect_state(episode.state, rows[row++]);
    for (const io::Json& action : array(member(record, {"actions"}))) {
        const Step step = rules.step(episode, static_cast<int>(integer(action)), random);
        expect_step(step, array(rows[row++]));
        if (step.ended()) {
            ++ended;
            episode = rules.reset(random);
            expect_state(episode.state, rows[row++]);
        }
    }
    EXPECT_EQ(row, rows.size());
    return ended;
}

TEST(GymnasiumTest, SeedsGiveItsEpisodes) {
    const io::Json file = test::rl_data("gymnasium.json");
    for (const io::Json& record : array(member(file, {"episodes"}))) {
        const std::string& name = *member(record, {"env"}).if_string();
        SCOPED_TRACE(fmt::format("{}, seed {}", name, integer(member(record, {"seed"}))));
        const AnyEnvironment any = make_environment(name, options_of(member(record, {"options"})));
        const int ended = std::visit([&](const auto& rules) { return replay(rules, record); }, any);
        EXPECT_TRUE(ended > 0 || name.starts_with("Cliff"));
    }
}

// The records of golden.json: observations, with ["reset", observation] where an episode began.
template <Environment E>
void replay_golden(const E& rules, const io::Json& record) {
    NumpyRandom random(static_cast<std::uint64_t>(integer(member(record, {"seed"}))));
    const auto& seen = array(member(record, {"observations"}));
    const auto& rewards = array(member(record, {"rewards"}));
    std::size_t next = 0;
    auto episode = rules.reset(random);
    expect_state(episode.state, seen[next++]);
    std::size_t i = 0;
    for (const io::Json& action : array(member(record, {"actions"}))) {
        const Step step = rules.step(episode, static_cast<int>(integer(action)), random);
        expect_state(step.next, seen[next++]);
        EXPECT_EQ(step.reward, number(rewards[i++]));
        if (step.ended()) {
            episode = rules.reset(random);
            expect_state(episode.state, array(seen[next++])[1]);
        }
    }
    EXPECT_EQ(next, seen.size());
}

TEST(AcceptanceRow1, SeedsGiveTheGoldenTrajectories) {
    const io::Json golden = test::rl_data("golden.json");
    for (const io::Json& record : array(member(golden, {"gymnasium_trajectories"}))) {
        SCOPED_TRACE(*member(record, {"env"}).if_string());
        const AnyEnvironment any = make_environment(*member(record, {"env"}).if_string());
        std::visit([&](const auto& rules) { replay_golden(rules, record); }, any);
    }
}

TEST(GymnasiumTest, SeedsGiveItsRandomLakes) {
    const io::Json file = test::rl_data("gymnasium.json");
    for (const io::Json& lake : array(member(file, {"lakes"}))) {
        const auto seed = static_cast<std::uint64_t>(integer(member(lake, {"seed"})));
        const LakeMap map = random_lake(static_cast<int>(integer(member(lake, {"size"}))),
                                        number(member(lake, {"frozen"})),
                                        seed);
        std::size_t row = 0;
        for (const io::Json& cells : array(member(lake, {"map"}))) {
            EXPECT_EQ(map[row++], *cells.if_string()) << "seed " << seed;
        }
    }
}

Autoreset autoreset_of(const std::string& name) {
    if (name == "NextStep") {
        return Autoreset::next_step;
    }
    return name == "SameStep" ? Autoreset::same_step : Autoreset::disabled;
}

void expect_states(const StepArrays& now, const io::Json& row) {
    for (std::size_t i = 0; i < now.states.size(); ++i) {
        expect_state(now.states[i], array(row)[i]);
    }
}

std::vector<std::size_t> ended_copies(const StepArrays& now) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < now.states.size(); ++i) {
        if (now.terminated[i] != 0 || now.truncated[i] != 0) {
            which.push_back(i);
        }
    }
    return which;
}

template <Environment E>
void replay_vector(const E& rules, const io::Json& record) {
    const auto copies = static_cast<std::size_t>(integer(member(record, {"copies"})));
    const auto seed = static_cast<std::uint64_t>(integer(member(record, {"seed"})));
    const Autoreset mode = autoreset_of(*member(record, {"autoreset"}).if_string());
    VectorEnvironment<E, NumpySource> vector(rules, copies, NumpySource(copies, seed), mode);
    const auto& rows = array(member(record, {"rows"}));
    std::size_t row = 0;
    expect_states(vector.reset(), rows[row++]);
    for (const io::Json& call : array(member(record, {"actions"}))) {
        std::vector<std::int32_t> actions;
        for (const io::Json& action : array(call)) {
            actions.push_back(static_cast<std::int32_t>(integer(action)));
        }
        const StepArrays& now = vector.step(actions);
        const auto& expected = array(rows[row++]);
        expect_states(now, expected[0]);
        for (std::size_t i = 0; i < copies; ++i) {
            EXPECT_EQ(now.rewards[i], number(array(expected[1])[i]));
            EXPECT_EQ(now.terminated[i], integer(array(expected[2])[i]));
            EXPECT_EQ(now.truncated[i], integer(array(expected[3])[i]));
        }
        const auto ended = ended_copies(now);
        if (mode == Autoreset::disabled && !ended.empty()) {
            expect_states(vector.reset(ended), rows[row++]);
        }
    }
    EXPECT_EQ(row, rows.size());
}

TEST(GymnasiumTest, VectorsResetAsItsThreeModesDo) {
    const io::Json file = test::rl_data("gymnasium.json");
    for (const io::Json& record : array(member(file, {"vectors"}))) {
        SCOPED_TRACE(*member(record, {"env"}).if_string() + " " +
                     *member(record, {"autoreset"}).if_string());
        const AnyEnvironment any = make_environment(*member(record, {"env"}).if_string());
        std::visit([&](const auto& rules) { replay_vector(rules, record); }, any);
    }
}

}  // namespace
}  // namespace lockstep::rl
