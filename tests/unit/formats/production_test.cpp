#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/table.hpp"

#include "case_fixture.hpp"
#include "formats/cobre/resolve/hydro/tailrace.hpp"
#include "formats/cobre/write/output_resolved.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* models_file = "system/hydro_production_models.json";
constexpr const char* tailrace_file = "system/tailrace_curves.parquet";
const std::string config = "production_models.0.stage_ranges.0.fpha_config";

/// Rows of one plant, each a line in the outflow.
struct Curve {
    std::vector<std::int32_t> family;
    std::vector<std::optional<double>> level;
    std::vector<double> from, to, height, slope;
};

std::vector<io::Column> columns(const Curve& curve) {
    const std::size_t n = curve.family.size();
    const auto number = [&](double value) { return std::vector<double>(n, value); };
    std::vector<std::int32_t> segments;
    for (std::size_t i = 0; i < n; ++i) {
        segments.push_back(static_cast<std::int32_t>(i));
    }
    return {ints("hydro_id", std::vector<std::int32_t>(n, 0)),
            ints("family_id", curve.family),
            ints("segment_id", segments),
            optional_reals("downstream_reference_level_m", curve.level),
            reals("outflow_min_m3s", curve.from),
            reals("outflow_max_m3s", curve.to),
            reals("coefficient_0", curve.height),
            reals("coefficient_1", curve.slope),
            reals("coefficient_2", number(0)),
            reals("coefficient_3", number(0)),
            reals("coefficient_4", number(0))};
}

/// d07: one plant with fitted planes.
class ProductionTest : public testing::Test {
protected:
    ProductionTest() : copy_("d07-fpha-computed") {}

    Case read() {
        Case out = copy_.read();
        EXPECT_THAT(copy_.errors(), IsEmpty());
        return out;
    }
    const sddp::ProductionFit& fit() {
        last_ = read();
        return last_.facts.fitted_planes.at(0).fit;
    }

    CaseCopy copy_;
    Case last_;
};

TEST_F(ProductionTest, FitsOnceForAllStagesOfAnEntry) {
    const Case input = read();

    ASSERT_EQ(input.facts.fitted_planes.size(), 1U);
    const FittedPlanes& planes = input.facts.fitted_planes[0];
    EXPECT_EQ(planes.stage_ids.size(), input.study.calendar.stages.size());
    EXPECT_EQ(planes.task.volumes, 5);
    EXPECT_EQ(planes.fit.points.size(), 25U);
    for (const auto& of_stage : input.study.system.hydros.at(0).planes) {
        EXPECT_EQ(of_stage.size(), planes.fit.planes.size());
    }
}

TEST_F(ProductionTest, TakesTheGridAndTheWindowOfTheEntry) {
    copy_.set(models_file, config + ".volume_discretization_points", 3);
    copy_.set(models_file, config + ".turbine_discretization_points", 4);
    copy_.set(models_file, config + ".fitting_window", io::Json::object());
    copy_.set(models_file, config + ".fitting_window.volume_min_percentile", 0.25);
    copy_.set(models_file, config + ".fitting_window.volume_max_hm3", 150.0);

    const auto& points = fit().points;

    ASSERT_EQ(points.size(), 12U);
    EXPECT_EQ(points.front().volume_hm3, 50);
    EXPECT_EQ(points.back().volume_hm3, 150);
    EXPECT_EQ(points.front().turbined_m3s, 0);
    EXPECT_EQ(points.back().turbined_m3s, 50);
}

TEST_F(ProductionTest, FitsRunOfRiverPlantsAtTheirVolume) {
    copy_.set("system/hydros.json", "hydros.0.reservoir.min_storage_hm3", 100.0);
    copy_.set("system/hydros.json", "hydros.0.reservoir.max_storage_hm3", 100.0);
    copy_.set("initial_conditions.json", "storage.0.value_hm3", 100.0);

    for (const sddp::ProductionPlane& plane : fit().planes) {
        EXPECT_EQ(plane.volume, 0);
    }
}

TEST_F(ProductionTest, MergesPlanesAsTheFileSays) {
    const std::size_t all = fit().planes.size();
    ASSERT_GT(all, 1U);
    copy_.set(
        models_file,
        "fpha_plane_reduction",
        io::parse_json(R"({"method": "distance", "tolerance_pct": 100, "n_samples": 9})", "test"));

    EXPECT_LE(fit().planes.size(), all);
}

TEST_F(ProductionTest, SaysWhatCannotBeFitted) {
    const std::string at_entry = "system/hydro_production_models.json:7 (hydro 0): ";
    copy_.set(models_file, config + ".fitting_window", io::Json::object());
    copy_.set(models_file, config + ".fitting_window.volume_min_hm3", 150.0);
    copy_.set(models_file, config + ".fitting_window.volume_max_hm3", 50.0);
    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr(
                    "fitting_window is empty: from 150 to 50 hm3 of the geometry")));
    copy_.set(models_file, config + ".fitting_window.volume_max_percentile", 1.0);
    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr(
                    "an end of fitting_window is either a volume or a percentile")));
    copy_.erase(models_file, config, "fitting_window");
    std::filesystem::remove(copy_.path() / "system/hydro_geometry.parquet");
    EXPECT_THAT(copy_.errors(), ElementsAre(testing::HasSubstr("planes are fitted to rows of")));
}

// A tailrace 1 m higher costs 9.81/1000·efficiency·(1 - losses) MW for each m³/s.
TEST_F(ProductionTest, TakesTheTailraceOfTheTable) {
    const double before = fit().points.back().generation_mw;
    copy_.write(tailrace_file, columns({{0}, {{}}, {0}, {500}, {301}, {0}}));

    const double after = fit().points.back().generation_mw;

    if (before < 50) {  // not at the limit of the machines
        EXPECT_NEAR(before - after, 9.81 / 1000 * 0.92 * 0.97 * 50, 1e-9);
    } else {
        EXPECT_LE(after, before);
    }
}

TEST_F(ProductionTest, ChecksTheTailracesOfTheTable) {
    copy_.write(tailrace_file,
                columns({{0, 0}, {{}, {}}, {0, 120}, {100, 500}, {300, 300}, {0, 0}}));
    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr(
                    "segment 1: starts at 120 m3/s, where the segment before ends at 100")));
    copy_.write(tailrace_file,
                columns({{0, 0}, {{}, {}}, {0, 100}, {100, 500}, {300, 301}, {0, 0}}));
    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr(
                    "segment 1: starts at 301 m, where the segment before ends at 300 m")));
    copy_.write(tailrace_file, columns({{0, 1}, {{}, {}}, {0, 0}, {100, 100}, {300, 301}, {0, 0}}));
    EXPECT_THAT(
        copy_.errors(),
        testing::Contains(testing::HasSubstr("needs a downstream_reference_level_m of its own")));
    copy_.write(tailrace_file,
                columns({{0, 1}, {290, 295}, {0, 0}, {100, 100}, {300, 301}, {0, 0}}));
    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr("need a plant downstream with rows in")));
}

TEST_F(ProductionTest, WritesPlanesAndPoints) {
    const Folder folder;
    const auto written = [&] {
        const Case input = read();
        out::write_resolved(
            folder.path(), input.facts, {input.study.calendar, input.study.system, {}});
    };
    const auto planes_file = folder.path() / "hydro_models/fpha_hyperplanes.parquet";
    const auto points_file = folder.path() / "hydro_models/fpha_deviation_points.parquet";

    written();

    const io::Table planes = io::read_parquet(planes_file);
    const std::size_t stages = last_.study.calendar.stages.size();
    EXPECT_EQ(planes.rows() % std::max<std::size_t>(stages, 1), 0U);
    EXPECT_THAT(values<std::int32_t>(planes, "hydro_id"), testing::Each(0));
    EXPECT_FALSE(std::filesystem::exists(points_file));

    copy_.set(
        "config.json", "exports", io::parse_json(R"({"fpha_deviation_points": true})", "test"));
    written();

    const io::Table points = io::read_parquet(points_file);
    EXPECT_EQ(points.rows(), 25U);
}

TEST_F(ProductionTest, WrittenPlanesGiveTheSameStudy) {
    const Folder folder;
    const Case computed = read();
    out::write_resolved(
        folder.path(), computed.facts, {computed.study.calendar, computed.study.system, {}});
    std::filesystem::copy(folder.path() / "hydro_models/fpha_hyperplanes.parquet",
                          copy_.path() / "system/fpha_hyperplanes.parquet");
    copy_.set(models_file, config + ".source", "precomputed");

    const Case given = read();

    const auto& a = computed.study.system.hydros.at(0).planes.at(0);
    const auto& b = given.study.system.hydros.at(0).planes.at(0);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].intercept, b[i].intercept);
        EXPECT_EQ(a[i].volume, b[i].volume);
        EXPECT_EQ(a[i].turbined, b[i].turbined);
        EXPECT_EQ(a[i].spilled, b[i].spilled);
    }
}

/// d07 with a head that rises from 60.625 m at 50 hm³ to 97 m at 200 hm³.
class LinearHeadTest : public ProductionTest {
protected:
    LinearHeadTest() {
        copy_.set("system/hydros.json", "hydros.0.reservoir.min_storage_hm3", 50.0);
        copy_.set(models_file,
                  "production_models.0.stage_ranges.0",
                  io::parse_json(R"({"start_stage_id": 0, "model": "linearized_head"})", "test"));
        copy_.write("system/hydro_geometry.parquet",
                    {ints("hydro_id", {0, 0, 0}),
                     reals("volume_hm3", {0, 100, 200}),
                     reals("height_m", {340, 385, 400}),
                     reals("area_km2", {1, 1, 1})});
    }
    sddp::Hydro plant() { return read().study.system.hydros.at(0); }
};

double allowed(const std::vector<sddp::ProductionPlane>& planes, double volume, double flow) {
    double least = 1e300;
    for (const auto& plane : planes) {
        least = std::min(least, plane.intercept + plane.volume * volume + plane.turbined * flow);
    }
    return least;
}

TEST_F(LinearHeadTest, IsConstantProductivityUnlessTheKeySaysSo) {
    EXPECT_TRUE(plant().planes[0].empty());
}

TEST_F(LinearHeadTest, MeetsTheProductOfHeadAndFlowAtTheEndsOfTheirRanges) {
    copy_.set("config.json", "modeling.linearized_head", true);

    const sddp::Hydro hydro = plant();

    const auto& planes = hydro.planes[0];
    ASSERT_EQ(planes.size(), 2U);
    const double per_metre = hydro.productivity[0] / 84.26875;  // at 65 % of the band
    const double least = per_metre * 60.625;
    const double most = per_metre * 97;
    for (const double flow : {0.0, 20.0, 50.0}) {
        EXPECT_NEAR(allowed(planes, 50, flow), least * flow, 1e-12);
        EXPECT_NEAR(allowed(planes, 200, flow), most * flow, 1e-12);
    }
    EXPECT_NEAR(allowed(planes, 125, 50), (least + most) / 2 * 50, 1e-12);
    EXPECT_NEAR(allowed(planes, 125, 0), 0, 1e-12);
    EXPECT_NEAR(allowed(planes, 125, 25), (least + most) / 2 * 25 + (most - least) * 50 / 4, 1e-12);
}

TEST_F(LinearHeadTest, NeedsAHead) {
    copy_.set("config.json", "modeling.linearized_head", true);
    std::filesystem::remove(copy_.path() / "system/hydro_geometry.parquet");

    EXPECT_THAT(copy_.errors(),
                ElementsAre(testing::HasSubstr(
                    "the model \"linearized_head\" needs a head above 0 that rises with the "
                    "storage: rows of this hydro in system/hydro_geometry.parquet")));
}

TEST(TailraceTest, InterpolatesBetweenFamiliesAndClampsOutflows) {
    TailraceFamily low{0, 290, {{0, 100, {300, 0.1, 0, 0, 0}}}};
    TailraceFamily high{1, 300, {{0, 50, {310, 0, 0, 0, 0}}, {50, 100, {305, 0.1, 0, 0, 0}}}};
    const TailraceFamilies families{low, high};

    EXPECT_DOUBLE_EQ(tailrace_level(families, 290, 10), 301);
    EXPECT_DOUBLE_EQ(tailrace_level(families, 300, 10), 310);
    EXPECT_DOUBLE_EQ(tailrace_level(families, 295, 10), 305.5);
    EXPECT_DOUBLE_EQ(tailrace_level(families, 250, 10), 301);
    EXPECT_DOUBLE_EQ(tailrace_level(families, 350, 80), 313);
    EXPECT_DOUBLE_EQ(tailrace_level(families, 350, 200), 315);
    EXPECT_DOUBLE_EQ(tailrace_level({low}, std::nullopt, 200), 310);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
