#include "app/xpcs/shards/farm_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Backend;
using formats::homodyne::ChainMethod;
using formats::homodyne::Cmc;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr FarmSituation alone{1, 4, 8, 100'000};
constexpr FarmSituation with_ranks{3, 2, 8, 100'000};

TEST(FarmChoiceTest, TakesWhoeverIsThereUnlessToldOtherwise) {
    EXPECT_EQ(choose_farm("", {}, alone).kind, FarmKind::threads);
    EXPECT_EQ(choose_farm("", {}, with_ranks).kind, FarmKind::ranks);
    EXPECT_EQ(choose_farm("", {}, {1, 1, 8, 100'000}).kind, FarmKind::sequential);
    EXPECT_EQ(choose_farm("", {}, alone).asked, "auto");
    EXPECT_EQ(choose_farm("", {}, alone).remark, "");
}

TEST(FarmChoiceTest, TheCommandLineWinsOverTheConfiguration) {
    Cmc cmc;
    cmc.backend = Backend::slurm;
    EXPECT_EQ(choose_farm("", cmc, alone).kind, FarmKind::slurm);
    EXPECT_EQ(choose_farm("", cmc, alone).asked, "backend: slurm");
    EXPECT_EQ(choose_farm("threads", cmc, with_ranks).kind, FarmKind::threads);
    EXPECT_EQ(choose_farm("auto", cmc, alone).kind, FarmKind::threads);
}

TEST(FarmChoiceTest, KnowsTheBackendsOfHomodyne) {
    const auto of = [](Backend backend) {
        Cmc cmc;
        cmc.backend = backend;
        return choose_farm("", cmc, alone).kind;
    };
    EXPECT_EQ(of(Backend::multiprocessing), FarmKind::processes);
    EXPECT_EQ(of(Backend::pbs), FarmKind::pbs);
    EXPECT_EQ(of(Backend::sequential), FarmKind::sequential);
    EXPECT_EQ(of(Backend::pjit), FarmKind::sequential);
    EXPECT_EQ(choose_farm("multiprocessing", {}, alone).kind, FarmKind::processes);
    Cmc cmc;
    cmc.backend = Backend::multiprocessing;
    cmc.chain_method = ChainMethod::sequential;
    EXPECT_EQ(choose_farm("", cmc, with_ranks).kind, FarmKind::sequential);
}

TEST(FarmChoiceTest, FallsBackWhereLittleIsToBeDoneAndSaysSo) {
    const auto few_points = choose_farm("processes", {}, {1, 4, 8, 499});
    EXPECT_EQ(few_points.kind, FarmKind::sequential);
    EXPECT_EQ(few_points.asked, "processes");
    EXPECT_EQ(few_points.remark, "499 points are fewer than 500");
    const auto few_shards = choose_farm("slurm", {}, {1, 4, 2, 5000});
    EXPECT_EQ(few_shards.kind, FarmKind::threads);
    EXPECT_THAT(few_shards.remark, HasSubstr("2 shards are fewer than the 3"));
    const auto no_ranks = choose_farm("ranks", {}, alone);
    EXPECT_EQ(no_ranks.kind, FarmKind::threads);
    EXPECT_EQ(no_ranks.remark, "there is one rank");
    EXPECT_EQ(choose_farm("sequential", {}, {1, 4, 2, 10}).remark, "");
}

TEST(FarmChoiceTest, OneThatIsLentStandsForAllOthers) {
    formats::homodyne::Cmc cmc;
    cmc.backend = formats::homodyne::Backend::slurm;
    const auto choice = choose_farm("threads", cmc, {1, 4, 8, 100'000, "ray"});
    EXPECT_EQ(choice.kind, FarmKind::lent);
    EXPECT_EQ(choice.asked, "ray");
    EXPECT_EQ(choice.remark, "");
    const auto few_shards = choose_farm("", {}, {1, 4, 2, 100'000, "ray"});
    EXPECT_EQ(few_shards.kind, FarmKind::threads);
    EXPECT_THAT(few_shards.remark, HasSubstr("2 shards are fewer than the 3"));
}

TEST(FarmChoiceTest, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT([] { choose_farm("dask", {}, alone); },
                ThrowsMessage<InputError>(HasSubstr("farm is 'dask': must be auto")));
    EXPECT_THAT([] { choose_farm("ray", {}, alone); },
                ThrowsMessage<NotBuiltError>(HasSubstr("comes with the Python package")));
}

}  // namespace
}  // namespace lockstep::app
