#include "app/xpcs/shards/shard_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Cmc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr ShardSituation six_angles{6, 60'000, 15};

class ShardChoiceTest : public testing::Test {
protected:
    [[nodiscard]] ShardChoice chosen(const ShardSituation& situation = six_angles) const {
        return choose_shards(request, cmc, fitting, situation);
    }
    [[nodiscard]] int wanted(const ShardSituation& situation = six_angles) const {
        return shards_wanted(request, cmc, situation);
    }

    XpcsRequest request;
    Cmc cmc;
    xpcs::FitOptions fitting;
};

TEST_F(ShardChoiceTest, NobodyAsksForShards) {
    EXPECT_EQ(wanted(), 0);
    cmc.least_points = 10'000;
    cmc.least_points_per_parameter = 1500;
    EXPECT_EQ(wanted(), 0);
}

TEST_F(ShardChoiceTest, TheCommandLineComesFirstThenTheNumberThenTheirSize) {
    cmc.most_points = 7000;
    EXPECT_EQ(wanted(), 9);  // of 6,667
    cmc.shards = 5;
    EXPECT_EQ(wanted(), 5);
    request.shards = 3;
    EXPECT_EQ(wanted(), 3);
}

TEST_F(ShardChoiceTest, LeastSizesLimitTheNumberThatFollowsFromTheLargest) {
    cmc.most_points = 1000;
    EXPECT_EQ(wanted(), 60);
    cmc.least_points = 10'000;
    EXPECT_EQ(wanted(), 6);
    cmc.least_points_per_parameter = 1500;  // of 15
    EXPECT_EQ(wanted(), 2);
    EXPECT_EQ(wanted({6, 9000, 15}), 1);
}

TEST_F(ShardChoiceTest, ShardsBelowTheLeastSizeAreTold) {
    request.shards = 10;
    EXPECT_THAT(chosen().notes, IsEmpty());
    cmc.least_points = 10'000;
    EXPECT_THAT(chosen().notes,
                ElementsAre(HasSubstr("shards have 6,000 points, fewer than the 10,000")));
    EXPECT_EQ(chosen().how.shards, 10);
}

TEST_F(ShardChoiceTest, ShardingIsThatOfOptionOrConfiguration) {
    request.shards = 6;
    EXPECT_EQ(chosen().sharding.taken, "random");
    EXPECT_EQ(chosen().sharding.asked, "auto");
    cmc.sharding = formats::homodyne::Sharding::stratified;
    EXPECT_EQ(chosen().how.sharding, xpcs::Sharding::stratified);
    EXPECT_EQ(chosen().sharding.asked, "strategy: stratified");
    request.sharding = "per_angle";
    EXPECT_EQ(chosen().how.sharding, xpcs::Sharding::per_angle);
    EXPECT_EQ(chosen().sharding.remark, "");
    EXPECT_THAT(chosen().notes, IsEmpty());
    request.sharding = "by_moon";
    EXPECT_THAT([&] { static_cast<void>(chosen()); },
                ThrowsMessage<InputError>(
                    "sharding is 'by_moon': must be random, stratified or per_angle"));
}

TEST_F(ShardChoiceTest, ContiguousIsRandomAsInHomodyneAndToldSo) {
    request.shards = 6;
    cmc.sharding = formats::homodyne::Sharding::contiguous;
    EXPECT_EQ(chosen().how.sharding, xpcs::Sharding::random);
    EXPECT_THAT(chosen().notes, ElementsAre(HasSubstr("shards are random where strategy: contig")));
}

TEST_F(ShardChoiceTest, SingleAnglesThatSayTooLittleBecomeStratifiedVisibly) {
    request.shards = 6;
    request.sharding = "per_angle";
    fitting.motion = xpcs::Motion::laminar_flow;
    EXPECT_EQ(chosen().sharding.taken, "stratified");
    EXPECT_THAT(chosen().sharding.remark, HasSubstr("direction"));
    EXPECT_THAT(chosen().notes,
                ElementsAre(HasSubstr("shards are stratified where per_angle was asked for")));
    fitting.motion = xpcs::Motion::diffusion;
    EXPECT_EQ(chosen({1, 10'000, 5}).sharding.remark, "there is one angle");
}

TEST_F(ShardChoiceTest, ThereAreAsManyShardsOfSingleAnglesAsAngles) {
    request.shards = 4;
    request.sharding = "per_angle";
    EXPECT_EQ(chosen().how.shards, 6);
    EXPECT_THAT(chosen().sharding.remark, HasSubstr("6 shards and not 4"));
    request.shards = 9;
    EXPECT_EQ(chosen().how.shards, 9);
    EXPECT_EQ(chosen().sharding.remark, "");
}

TEST_F(ShardChoiceTest, HomodynesRulesCombineByMeansAndVariances) {
    using formats::homodyne::Combination;
    request.shards = 4;
    EXPECT_EQ(chosen().how.combination, xpcs::Combination::precision);
    EXPECT_EQ(chosen().combination_asked, "auto");
    cmc.combination = Combination::robust_consensus;
    EXPECT_EQ(chosen().how.combination, xpcs::Combination::marginals);
    EXPECT_THAT(chosen().notes, ElementsAre(HasSubstr("alone, as robust_consensus_mc says")));
    cmc.combination = Combination::consensus;
    EXPECT_EQ(chosen().how.combination, xpcs::Combination::plain_marginals);
    cmc.combination = Combination::density_product;
    EXPECT_EQ(chosen().combination_asked, "method: density_product");
    request.combination = "precision";
    EXPECT_EQ(chosen().how.combination, xpcs::Combination::precision);
    EXPECT_THAT(chosen().notes, IsEmpty());
}

TEST_F(ShardChoiceTest, HeterogeneityEndsTheCombinationWhereThatIsConfigured) {
    request.shards = 4;
    cmc.most_parameter_cv = 0.5;
    EXPECT_GT(chosen().how.largest_variation, 1e300);
    cmc.aborts_on_heterogeneity = true;
    EXPECT_EQ(chosen().how.largest_variation, 0.5);
}

TEST_F(ShardChoiceTest, PriorsThatCountManyTimesAreTold) {
    request.shards = 4;
    EXPECT_TRUE(chosen().how.is_tempered);
    cmc.is_tempered = false;
    EXPECT_FALSE(chosen().how.is_tempered);
    EXPECT_THAT(chosen().notes, ElementsAre(HasSubstr("the priors count 4 times")));
}

}  // namespace
}  // namespace lockstep::app
