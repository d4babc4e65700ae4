#include "lockstep/formats/cobre/case.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "case_fixture.hpp"
#include "support/published_cases.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double infinity = std::numeric_limits<double>::infinity();

Case load(const std::string& name) {
    Problems problems;
    Case out = read_case(bundled(name), {}, problems);
    for (const Problem& problem : problems.all()) {
        EXPECT_TRUE(is_warning(problem.kind)) << to_string(problem);
    }
    return out;
}

class BundledCaseTest : public testing::TestWithParam<std::string> {};

TEST_P(BundledCaseTest, LoadsWithoutErrors) {
    const Case loaded = load(GetParam());

    EXPECT_FALSE(loaded.study.calendar.stages.empty());
    EXPECT_FALSE(loaded.study.system.buses.empty());
    EXPECT_FALSE(loaded.facts.config.train.stopping.empty());
    EXPECT_NE(loaded.facts.input_digest, Digest{});
}

INSTANTIATE_TEST_SUITE_P(Published,
                         BundledCaseTest,
                         testing::ValuesIn(lockstep::test::published_cases()),
                         lockstep::test::name_of_case);
INSTANTIATE_TEST_SUITE_P(Others,
                         BundledCaseTest,
                         testing::Values("4ree", "pmo-small", "pmo-medium"),
                         lockstep::test::name_of_case);

TEST(CaseTest, ReadsOptionsOfTraining) {
    const Case toy = load("1dtoy");

    EXPECT_EQ(toy.facts.config.train.forward_passes, 1);
    ASSERT_EQ(toy.facts.config.train.stopping.size(), 1U);
    EXPECT_EQ(toy.facts.config.train.stopping[0].kind, sddp::StoppingRule::Kind::iteration_limit);
    EXPECT_EQ(toy.facts.config.train.stopping[0].iterations, 128);
    EXPECT_FALSE(toy.facts.config.train.stop_when_all);
    EXPECT_TRUE(toy.facts.config.simulation_enabled);
    EXPECT_EQ(toy.facts.config.simulate.scenarios, 100);
    EXPECT_EQ(toy.facts.config.policy_path, "./policy");
    EXPECT_EQ(toy.study.process.tree_seed, 42);
    EXPECT_EQ(toy.study.process.training.seed, 42);
    EXPECT_EQ(toy.study.process.non_negativity, sddp::NonNegativity::none);
}

TEST(CaseTest, ReadsCalendar) {
    using namespace std::chrono;
    const Case toy = load("1dtoy");

    ASSERT_EQ(toy.study.calendar.stage_count(), 4);
    const sddp::Stage& february = toy.study.calendar.stages[1];
    EXPECT_EQ(february.start, sys_days(2024y / 2 / 1));
    EXPECT_EQ(february.end, sys_days(2024y / 3 / 1));
    EXPECT_EQ(february.hours(), 696);
    EXPECT_EQ(february.openings, 10);
    EXPECT_EQ(february.season, -1);
    EXPECT_EQ(february.annual_discount_rate, 0.12);
    EXPECT_TRUE(february.storage_in_cuts);
    EXPECT_FALSE(february.lags_in_cuts);
    EXPECT_TRUE(february.risk.is_neutral());
    EXPECT_EQ(toy.study.calendar.cycle, sddp::SeasonCycle::none);
}

TEST(CaseTest, ReadsSeasonsPastStagesAndRisk) {
    const Case lagged = load("d19-multi-hydro-par");
    EXPECT_EQ(lagged.study.calendar.cycle, sddp::SeasonCycle::monthly);
    EXPECT_EQ(lagged.study.calendar.seasons.size(), 12U);
    ASSERT_EQ(lagged.study.calendar.past.size(), 2U);
    EXPECT_EQ(lagged.study.calendar.past[0].id, -2);
    EXPECT_EQ(lagged.study.calendar.past[0].season, 10);
    EXPECT_TRUE(lagged.study.calendar.stages[0].lags_in_cuts);

    const Case small = load("pmo-small");
    EXPECT_EQ(small.study.calendar.stages[0].risk.alpha, 0.5);
    EXPECT_EQ(small.study.calendar.stages[0].risk.lambda, 0.4);
    ASSERT_EQ(small.study.calendar.stages[0].blocks.size(), 3U);
    EXPECT_EQ(small.study.calendar.stages[0].blocks[1].name, "MEDIUM");
    EXPECT_EQ(small.study.calendar.stages[0].blocks[1].hours, 389.0376);
}

TEST(CaseTest, ReadsNetwork) {
    const Case four = load("d04-transmission");

    ASSERT_EQ(four.study.system.lines.size(), 1U);
    EXPECT_EQ(four.study.system.lines[0].source, 0);
    EXPECT_EQ(four.study.system.lines[0].target, 1);
    const Case many = load("d09-multi-deficit");
    const auto& deficit = many.study.system.buses[0].deficit;
    ASSERT_GE(deficit.size(), 2U);
    EXPECT_EQ(deficit.back().depth_mw, infinity);
    EXPECT_LT(deficit[0].cost, deficit[1].cost);
}

TEST(CaseTest, KeepsMaximaAndBusesOfHydros) {
    const Case single = load("d02-single-hydro");

    ASSERT_EQ(single.study.system.hydros.size(), 1U);
    const sddp::Hydro& hydro = single.study.system.hydros[0];
    EXPECT_EQ(hydro.downstream, -1);
    EXPECT_EQ(hydro.max_turbined_m3s(0, 0), 50);
    EXPECT_EQ(hydro.max_outflow_m3s(0, 0), 50);
    EXPECT_EQ(hydro.max_spillage_m3s(1, 0), infinity);
    EXPECT_EQ(hydro.max_diversion_m3s(1, 0), 0);
    EXPECT_EQ(hydro.initial_storage_hm3, 100);
    EXPECT_THAT(hydro.productivity, ElementsAre(1, 1));
    EXPECT_THAT(hydro.equivalent_productivity, ElementsAre(1, 1));
    ASSERT_EQ(hydro.groups.size(), 1U);
    EXPECT_EQ(hydro.groups[0].bus, 0);
    EXPECT_EQ(hydro.groups[0].max_generation_mw(1, 0), 50);
    EXPECT_EQ(hydro.costs[0].turbined, 0.01);
    EXPECT_EQ(hydro.costs[0].evaporation_above, 10000);
    EXPECT_EQ(hydro.costs[0].inflow_slack, 1000);
}

TEST(CaseTest, ResolvesCascade) {
    const Case two = load("d03-two-hydro-cascade");

    ASSERT_EQ(two.study.system.hydros.size(), 2U);
    EXPECT_EQ(two.study.system.hydros[0].downstream, 1);
    EXPECT_EQ(two.study.system.hydros[1].downstream, -1);
}

TEST(CaseTest, ReadsProductivityByRange) {
    EXPECT_THAT(load("d24-productivity-override").study.system.hydros[0].productivity,
                ElementsAre(0.8, 1.2));
}

TEST(CaseTest, ReadsPlanesForAllStages) {
    const Case fpha = load("d06-fpha-variable-head");

    const sddp::Hydro& hydro = fpha.study.system.hydros[0];
    for (const auto& planes : hydro.planes) {
        ASSERT_EQ(planes.size(), 2U);
        EXPECT_EQ(planes[0].volume, 0.002);
        EXPECT_EQ(planes[0].turbined, 0.8);
        EXPECT_EQ(planes[1].turbined, 0.95);
        EXPECT_EQ(planes[1].intercept, 0);
    }
    EXPECT_THAT(hydro.equivalent_productivity, ElementsAre(1, 1));
}

// 100 mm a month over an area of 0.5 + 0.005·v km²; v_ref = 100 hm³, so A = 1 km², A' = 0.005.
TEST(CaseTest, LinearisesEvaporationByCalendarMonth) {
    const Case lake = load("d08-evaporation");

    const auto& evaporation = lake.study.system.hydros[0].evaporation;
    ASSERT_TRUE(evaporation[0]);
    const double january = 100 / (3.6 * 744);
    EXPECT_NEAR(evaporation[0]->kv, january * 0.005, 1e-15);
    EXPECT_NEAR(evaporation[0]->k0, january * 0.5, 1e-15);
    EXPECT_NEAR(evaporation[0]->limit_m3s, 2 * january * 1.5, 1e-15);
    const double leap_february = 100 / (3.6 * 696);
    EXPECT_NEAR(evaporation[1]->k0, leap_february * 0.5, 1e-15);
}

TEST(CaseTest, ReadsWithdrawalAndDirectionalCosts) {
    const Case two_ways = load("d23-bidirectional-withdrawal");

    const sddp::Hydro& hydro = two_ways.study.system.hydros[0];
    EXPECT_THAT(hydro.withdrawal_m3s, ElementsAre(5, 5));
    EXPECT_EQ(hydro.costs[0].withdrawal_above, 1);
    EXPECT_EQ(hydro.costs[0].withdrawal_below, 10000);
}

TEST(CaseTest, ReadsLoadAndItsFactors) {
    const Case blocks = load("d14-block-factors");

    const sddp::Bus& bus = blocks.study.system.buses[0];
    EXPECT_FALSE(bus.is_stochastic);
    EXPECT_EQ(bus.load_factor(1, 0), 0.8);
    EXPECT_EQ(bus.load_factor(1, 1), 1.2);
    EXPECT_GT(bus.mean_load_mw[0], 0);
}

TEST(CaseTest, ReadsNonControllableSource) {
    const Case windy = load("d15-non-controllable-source");

    ASSERT_EQ(windy.study.system.sources.size(), 1U);
    const sddp::NonControllable& source = windy.study.system.sources[0];
    EXPECT_TRUE(source.is_stochastic);
    EXPECT_TRUE(source.allow_curtailment);
    EXPECT_THAT(source.mean, ElementsAre(0.5, 0.5));
    EXPECT_THAT(source.std, ElementsAre(0, 0));
    EXPECT_THAT(source.in_service, ElementsAre(1, 1));
    EXPECT_EQ(source.curtailment_cost(1, 0), 0.001);
}

TEST(CaseTest, OverridesThermalCostOfOneStage) {
    const Case costs = load("d27-per-stage-thermal-cost");

    EXPECT_EQ(costs.study.system.thermals[0].cost[1], 120);
    EXPECT_NE(costs.study.system.thermals[0].cost[0], 120);
}

TEST(CaseTest, ReadsGenericConstraint) {
    const Case capped = load("d13-generic-constraint");

    ASSERT_EQ(capped.study.system.constraints.size(), 1U);
    const sddp::GenericConstraint& constraint = capped.study.system.constraints[0];
    EXPECT_TRUE(constraint.has_slack);
    EXPECT_EQ(constraint.penalty, 5000);
    ASSERT_EQ(constraint.rows.size(), 2U);
    EXPECT_EQ(constraint.rows[1].stage, 1);
    EXPECT_EQ(constraint.rows[1].block, 0);
    EXPECT_EQ(constraint.rows[1].lower, -infinity);
    EXPECT_EQ(constraint.rows[1].upper, 10);
    ASSERT_EQ(constraint.rows[1].terms.size(), 1U);
    EXPECT_EQ(constraint.rows[1].terms[0].quantity, sddp::Quantity::thermal_generation);
}

TEST(CaseTest, ReadsInflowModel) {
    const Case lagged = load("d16-par1-lag-shift");

    ASSERT_TRUE(lagged.study.process.statistics);
    EXPECT_EQ(lagged.study.process.statistics->size(), 4U);
    EXPECT_EQ(lagged.study.process.statistics->front().stage_id, -1);
    ASSERT_TRUE(lagged.study.process.coefficients);
    EXPECT_EQ(lagged.study.process.coefficients->front().coefficient, 0.5);
    EXPECT_FALSE(lagged.study.process.history);
    EXPECT_EQ(lagged.study.process.recent.size(), 1U);
    EXPECT_FALSE(lagged.study.calendar.stages[0].storage_in_cuts);
}

TEST(CaseTest, ReadsHistoryAndEstimation) {
    const Case fitted = load("d12-par-annual");

    ASSERT_TRUE(fitted.study.process.history);
    EXPECT_EQ(fitted.study.process.history->size(), 720U);
    EXPECT_FALSE(fitted.study.process.statistics);
    EXPECT_EQ(fitted.study.process.estimation.order_selection, sddp::OrderSelection::pacf_annual);
}

TEST(CaseTest, ReadsNationalSystem) {
    const Case small = load("pmo-small");

    EXPECT_EQ(small.study.system.hydros.size(), 147U);
    EXPECT_EQ(small.study.system.thermals.size(), 132U);
    EXPECT_EQ(small.study.system.lines.size(), 6U);
    EXPECT_EQ(small.study.system.sources.size(), 4U);
    EXPECT_FALSE(small.study.system.sources[0].allow_curtailment);
    EXPECT_EQ(small.study.system.constraints.size(), 15U);
    EXPECT_TRUE(small.study.process.training.openings_from_file);
    EXPECT_TRUE(small.study.process.simulation.openings_from_file);
    EXPECT_EQ(small.study.process.openings.size(), 12U * 5U * (147U + 4U));
    EXPECT_EQ(small.study.process.recent.size(), 147U * 12U);
    const sddp::Hydro& camargos = small.study.system.hydros[0];
    EXPECT_EQ(camargos.name, "CAMARGOS");
    EXPECT_EQ(camargos.productivity[0], 0.19710452747063056);
    EXPECT_EQ(camargos.initial_storage_hm3, 276.3744);
    EXPECT_FALSE(camargos.evaporation[0]) << "0 mm in January";
    EXPECT_TRUE(camargos.evaporation[2]);
    EXPECT_EQ(small.study.system.thermals[0].min_mw(0, 2), 520);
    EXPECT_EQ(small.study.system.constraints[0].rows[1].block, 1);
    EXPECT_EQ(small.study.system.constraints[0].rows[1].upper, 5817.54);
}

TEST(CaseTest, KeepsTheDeclaredCapacityOfUnitGroups) {
    const Case loaded = load("unit-groups");
    const auto& groups = loaded.study.system.hydros.front().groups;
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].declared_max_turbined_m3s, 30);
    EXPECT_EQ(groups[1].declared_max_turbined_m3s, 25);
}

TEST(CaseTest, OrdersEntitiesByStartDateThenId) {
    CaseCopy copy("d03-two-hydro-cascade");
    copy.set("system/hydros.json", "hydros.0.operational_start_date", "2010-01-01");

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.study.system.hydros[0].id, 1);
    EXPECT_EQ(read.study.system.hydros[1].id, 0);
    EXPECT_EQ(read.study.system.hydros[1].downstream, 0);
}

TEST(CaseTest, DoesNotDependOnTheOrderOfEntries) {
    CaseCopy copy("d03-two-hydro-cascade");
    io::Json hydros = copy.json("system/hydros.json");
    auto& list = *find(hydros, "hydros")->if_array();
    std::swap(list[0], list[1]);
    copy.write("system/hydros.json", hydros);

    EXPECT_EQ(copy.read().study.system.hydros[0].id, 0);
}

TEST(CaseTest, DigestsTheBytesOfTheFiles) {
    CaseCopy copy("d02-single-hydro");
    const Digest before = copy.read().facts.input_digest;
    EXPECT_EQ(before, load("d02-single-hydro").facts.input_digest);
    copy.write_text("system/hydro_geometry.parquet.bak", "not a file of the case");
    EXPECT_EQ(copy.read().facts.input_digest, before);

    copy.write_text("system/lines.json", "{\"lines\": [] }");

    EXPECT_NE(copy.read().facts.input_digest, before);
}

TEST(CaseTest, ThrowsWhenTheDirectoryIsMissing) {
    Problems problems;
    EXPECT_THROW(read_case("/nowhere/at/all", {}, problems), IoError);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
