#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/case_problem.hpp"
#include "support/random_system.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

/// A checkpoint in memory that counts how often it is read.
class Kept final : public runtime::EngineState {
public:
    explicit Kept(const runtime::EngineState& state) : iteration_(state.iteration()) {
        for (int part = 0; part < state.parts(); ++part) {
            parts_.push_back(state.part(part));
        }
    }
    [[nodiscard]] const char* engine() const override { return "sddp"; }
    [[nodiscard]] int iteration() const override { return iteration_; }
    [[nodiscard]] int parts() const override { return static_cast<int>(parts_.size()); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        ++reads;
        return parts_[at(index)];
    }
    std::vector<std::vector<std::byte>>& bytes() { return parts_; }

    mutable std::atomic<int> reads = 0;

private:
    int iteration_;
    std::vector<std::vector<std::byte>> parts_;
};

class Keeper final : public Observer {
public:
    void on_checkpoint(const runtime::EngineState& state) override {
        kept.insert_or_assign(state.iteration(), std::make_unique<Kept>(state));
    }
    std::map<int, std::unique_ptr<Kept>> kept;
};

/// Result of the lowest survivor.
TrainResult train_on(int ranks,
                     const Problem& problem,
                     const TrainOptions& options,
                     Observer& observer,
                     const runtime::EngineState* from = nullptr,
                     const std::function<bool(int, std::int64_t)>& dies = {}) {
    TrainResult result;
    comm::run_in_process(
        ranks,
        [&](comm::Communicator& communicator) {
            runtime::ThreadTeam threads(1);
            runtime::Team team{communicator, threads, runtime::Survival([](const auto&) {})};
            Observer silent;
            auto mine =
                train(problem, options, team, communicator.rank() == 0 ? observer : silent, from);
            if (communicator.rank() == 0) {
                result = std::move(mine);
            }
        },
        dies);
    return result;
}

class ResumeTest : public testing::TestWithParam<std::string> {};

TEST_P(ResumeTest, GoesOnFromEveryIterationOnAnyNumberOfRanks) {
    const auto input = test::case_problem(GetParam());
    auto options = test::with_iterations(input.config.train, 6);
    options.forward_passes = 3;
    options.checkpoint_iterations = 1;
    Keeper keeper;
    const auto undisturbed = train_on(2, input.problem, options, keeper);
    ASSERT_EQ(keeper.kept.size(), 6u);

    for (const auto& [iteration, state] : keeper.kept) {
        for (const int ranks : {1, 3}) {
            Observer silent;
            const auto resumed = train_on(ranks, input.problem, options, silent, state.get());
            EXPECT_EQ(resumed.digest, undisturbed.digest) << iteration << " on " << ranks;
            EXPECT_EQ(resumed.iterations.size(), 6u);
            EXPECT_EQ(resumed.stop, StopReason::iteration_limit);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         ResumeTest,
                         testing::Values("1dtoy", "4ree", "d26-estimated-par2"),
                         [](const auto& test) { return test.param.substr(0, 3); });

TEST(ResumeTruncatedTest, KeepsTheBoundingCuts) {
    const auto problem = test::truncated_problem(0);
    auto options = test::with_iterations({}, 5);
    options.forward_passes = 3;
    options.checkpoint_iterations = 2;
    Keeper keeper;
    const auto undisturbed = train_on(1, problem, options, keeper);
    Observer silent;
    const auto resumed = train_on(2, problem, options, silent, keeper.kept.at(2).get());
    EXPECT_EQ(resumed.digest, undisturbed.digest);
    EXPECT_EQ(resumed.lower_bound, undisturbed.lower_bound);
}

TEST(ResumeOnANodeTest, OneRankReadsForAll) {
    const auto toy = test::case_problem("1dtoy");
    auto options = test::with_iterations(toy.config.train, 3);
    options.checkpoint_iterations = 2;
    Keeper keeper;
    train_on(1, toy.problem, options, keeper);
    const auto& state = *keeper.kept.at(2);
    Observer silent;
    train_on(3, toy.problem, options, silent, &state);
    EXPECT_EQ(state.reads, state.parts());
}

TEST(ResumeOnANodeTest, EveryRankMayGoMeanwhile) {
    const auto input = test::case_problem("d03-two-hydro-cascade");
    auto options = test::with_iterations(input.config.train, 3);
    options.checkpoint_iterations = 2;
    Keeper keeper;
    const auto undisturbed = train_on(1, input.problem, options, keeper);
    const auto& state = *keeper.kept.at(2);
    Observer silent;
    std::atomic<std::int64_t> collectives = 0;
    train_on(3, input.problem, options, silent, &state, [&](int rank, std::int64_t) {
        collectives += rank == 0 ? 1 : 0;
        return false;
    });
    ASSERT_GT(collectives, 20);
    for (int victim = 0; victim < 3; ++victim) {
        for (std::int64_t last = 0; last < collectives; ++last) {
            const auto dies = [&](int rank, std::int64_t call) {
                return rank == victim && call == last;
            };
            ASSERT_EQ(train_on(3, input.problem, options, silent, &state, dies).digest,
                      undisturbed.digest)
                << "rank " << victim << " of collective " << last;
        }
    }
}

TEST(ResumeOfOthersTest, RefusesAStateOfAnotherProblemOrACutOne) {
    const auto toy = test::case_problem("1dtoy");
    const auto other = test::case_problem("d03-two-hydro-cascade");
    auto options = test::with_iterations(toy.config.train, 2);
    options.checkpoint_iterations = 2;
    Keeper keeper;
    train_on(1, toy.problem, options, keeper);
    auto& state = *keeper.kept.at(2);
    Observer silent;

    EXPECT_THROW(train_on(1, other.problem, options, silent, &state), InputError);
    for (auto& part : state.bytes()) {
        const auto whole = part;
        for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{0}}) {
            part.resize(length);
            EXPECT_THROW(train_on(1, toy.problem, options, silent, &state), InputError) << length;
            part = whole;
        }
    }
}

TEST(ResumeOfOtherWaysTest, GoesOnWithTheSameBits) {
    const auto input = test::case_problem("1dtoy");
    auto selecting = input.config.train;
    selecting.selection = {CutSelection::Method::lml1, 1, 3};
    selecting.selection.most_selected = 5;
    auto within = input.config.train;
    within.inner.every = 2;
    auto sampled = input.config.train;
    sampled.policy_cost = {2, 2, 5};
    auto apart = input.config.train;
    apart.speed.multi_cut = true;
    for (const auto& job : {selecting, within, sampled, apart}) {
        Observer silent;
        const auto options = test::with_iterations(job, 9);
        const auto whole = train_on(1, input.problem, options, silent);
        auto first = test::with_iterations(job, 4);
        first.checkpoint_iterations = 4;
        Keeper keeper;
        train_on(1, input.problem, first, keeper);
        const auto resumed = train_on(2, input.problem, options, silent, &*keeper.kept.at(4));
        EXPECT_EQ(resumed.digest, whole.digest);
        EXPECT_EQ(resumed.policy.stages[1].active, whole.policy.stages[1].active);
        EXPECT_EQ(resumed.iterations.back().inner_bound, whole.iterations.back().inner_bound);
        EXPECT_EQ(resumed.iterations.back().policy_cost, whole.iterations.back().policy_cost);
    }
}

/// A part of a stage as LiveState writes it, to be changed at one place.
class StagePart {
public:
    explicit StagePart(std::vector<std::byte>& bytes) : bytes_(bytes) {
        ByteReader in(bytes);
        slopes_ = place(in) + sizeof(std::uint64_t);
        in.view_array<double>();
        for (auto* array :
             {&intercepts_, &iterations_, &trajectories_, &outcomes_, &last_active_}) {
            *array = place(in) + sizeof(std::uint64_t);
            if (array == &intercepts_) {
                in.view_array<double>();
            } else {
                in.view_array<std::int32_t>();
            }
        }
    }
    template <typename T>
    void put(std::size_t place, T value) {
        std::memcpy(bytes_.data() + place, &value, sizeof value);
    }
    [[nodiscard]] std::size_t end() const { return bytes_.size(); }
    std::size_t slopes_ = 0, intercepts_ = 0, iterations_ = 0, trajectories_ = 0, outcomes_ = 0,
                last_active_ = 0;

private:
    [[nodiscard]] std::size_t place(const ByteReader& in) const {
        return bytes_.size() - in.rest().size();
    }
    std::vector<std::byte>& bytes_;
};

class CraftedStateTest : public testing::Test {
protected:
    CraftedStateTest() : input_(test::case_problem("1dtoy")) {
        options_ = test::with_iterations(input_.config.train, 4);
        options_.checkpoint_iterations = 4;
        train_on(1, input_.problem, options_, keeper_);
        options_ = test::with_iterations(input_.config.train, 5);
    }
    Kept& state() { return *keeper_.kept.at(4); }
    TrainResult resume(int ranks) {
        Observer silent;
        return train_on(ranks, input_.problem, options_, silent, &state());
    }
    /// What resuming says after a change of the first part.
    std::string refusal(const std::function<void(StagePart&)>& change) {
        auto& bytes = state().bytes().front();
        const auto whole = bytes;
        StagePart part(bytes);
        change(part);
        std::string message = "accepted";
        for (const int ranks : {1, 2}) {
            try {
                resume(ranks);
            } catch (const InputError& error) {
                message = error.what();
            }
        }
        bytes = whole;
        return message;
    }

    test::CaseProblem input_;
    TrainOptions options_;
    Keeper keeper_;
};

TEST_F(CraftedStateTest, EveryNumberOfACutIsChecked) {
    using testing::AllOf;
    using testing::HasSubstr;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [&](std::size_t StagePart::*place, auto value) {
        return refusal([&](StagePart& part) { part.put(part.*place, value); });
    };

    EXPECT_THAT(refused(&StagePart::intercepts_, nan),
                AllOf(HasSubstr("part 0 of the checkpoint of iteration 4"),
                      HasSubstr("the intercept of cut 0 is nan, must be a finite number")));
    EXPECT_THAT(refused(&StagePart::slopes_, HUGE_VAL), HasSubstr("a slope of a cut is inf"));
    EXPECT_THAT(refused(&StagePart::iterations_, 5), HasSubstr("is 5, must be in [0, 4]"));
    EXPECT_THAT(refused(&StagePart::iterations_, -1), HasSubstr("is -1, must be in [0, 4]"));
    EXPECT_THAT(refused(&StagePart::trajectories_, -1), HasSubstr("is -1, must be in [0, "));
    EXPECT_THAT(refused(&StagePart::outcomes_, 0), HasSubstr("the outcome of a cut is 0"));
    EXPECT_THAT(refused(&StagePart::last_active_, -1), HasSubstr("is -1, must be in [1, 4]"));
}

TEST_F(CraftedStateTest, CutsOfABasisAreThoseOfThePool) {
    for (const int cut : {4, -1, 1 << 30}) {
        EXPECT_THAT(refusal([&](StagePart& part) { part.put(part.end() - sizeof(int), cut); }),
                    testing::HasSubstr("a cut of a basis is"));
    }
}

// A file of any bytes ends in an error or in a run, never in a crash. Statuses and slopes may be
// others than training would have written and still make sense.
TEST_F(CraftedStateTest, AnyByteMayBeAnother) {
    int refused = 0;
    for (auto& bytes : state().bytes()) {
        const auto whole = bytes;
        const auto step = std::max<std::size_t>(1, whole.size() / 60);
        for (std::size_t place = 0; place < whole.size(); place += step) {
            for (const unsigned value : {0x00U, 0x7fU, 0x80U, 0xffU}) {
                bytes[place] = static_cast<std::byte>(value);
                try {
                    resume(1);
                } catch (const Error&) {
                    ++refused;
                }
                bytes = whole;
            }
        }
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace lockstep::sddp
