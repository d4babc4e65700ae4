#include "lockstep/formats/homodyne/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npz.hpp"
#include "lockstep/io/yaml.hpp"

#include "unit/formats/homodyne/data_fixture.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::Json;
using io::TemporaryFolder;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

FitRecord record() {
    FitRecord r;
    r.subject = {.timestamp = "2026-01-31T12:00:00Z",
                 .motion = lockstep::xpcs::Motion::diffusion,
                 .q = 0.0054,
                 .phi = {0, 45},
                 .frames = 64,
                 .points = 3906,
                 .input_digest = "0123",
                 .version = "0.1.0"};
    r.chi_squared = 3900;
    r.degrees_of_freedom = 3899;
    r.status = "converged";
    r.quality = "good";
    r.iterations = 7;
    r.seconds = 0.5;
    r.physical = {{"D0", 8000, 100}, {"alpha", -0.6, nan}, {"D_offset", 400, infinity}};
    r.scales = {{0.3, 0.01, 1.0, 0.02}, {0.5, 0.03, 1.2, 0.04}};
    r.warnings = {"D_offset is at its bound"};
    r.checks = {{"reduced_chi_squared", true}, {"physical_bounds", false}};
    r.covariances = {{"classical", {"D0", "alpha"}, {1, 2, 2, 5}, ""},
                     {"parametric bootstrap", {"D0"}, {}, "photons are not positive"}};
    r.start = {{"D0", 10000, 0}};
    r.at_bounds = {"D_offset"};
    r.settings = {{"sinc", "homodyne"}};
    return r;
}

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : *object.if_object()) {
        keys.push_back(key);
    }
    return keys;
}

double number_at(const Json& root, std::initializer_list<const char*> path) {
    const Json* value = &root;
    for (const char* const key : path) {
        value = value->find(key);
    }
    return value->if_number().value();
}

TEST(HomodyneResultsTest, WritesTheFitAsHomodyneDoes) {
    const TemporaryFolder folder;
    write_fit(folder.path(), record());

    const Json parameters = io::read_json(folder / "nlsq/parameters.json");
    EXPECT_THAT(keys_of(parameters),
                ElementsAre("timestamp",
                            "analysis_mode",
                            "chi_squared",
                            "reduced_chi_squared",
                            "convergence_status",
                            "parameters"));
    EXPECT_THAT(keys_of(*parameters.find("parameters")),
                ElementsAre("contrast", "offset", "D0", "alpha", "D_offset"));
    EXPECT_NEAR(number_at(parameters, {"parameters", "contrast", "value"}), 0.4, 1e-15);
    EXPECT_NEAR(number_at(parameters, {"parameters", "offset", "uncertainty"}), 0.03, 1e-15);
    EXPECT_TRUE(parameters.find("parameters")->find("alpha")->find("uncertainty")->is_null());
    EXPECT_EQ(*parameters.find("parameters")->find("D_offset")->find("uncertainty")->if_string(),
              "Infinity");

    const Json analysis = io::read_json(folder / "nlsq/analysis_results_nlsq.json");
    EXPECT_EQ(number_at(analysis, {"dataset_info", "n_time_points"}), 4096);
    EXPECT_EQ(number_at(analysis, {"dataset_info", "total_data_points"}), 8192);
    EXPECT_EQ(number_at(analysis, {"fit_quality", "degrees_of_freedom"}), 3899);
    EXPECT_EQ(number_at(analysis, {"optimization_summary", "iterations"}), 7);

    const Json metrics = io::read_json(folder / "nlsq/convergence_metrics.json");
    EXPECT_FALSE(*metrics.find("quality_validation_passed")->if_bool());
    EXPECT_EQ(metrics.find("quality_warnings")->if_array()->size(), 1U);
    EXPECT_EQ(number_at(metrics, {"convergence", "final_chi_squared"}), 3900);
}

TEST(HomodyneResultsTest, WritesAllThatIsKnownIntoOurOwnFile) {
    const TemporaryFolder folder;
    write_fit(folder.path(), record());

    const Json fit = io::read_json(folder / "nlsq/lockstep_fit.json");
    EXPECT_EQ(number_at(fit, {"format_version"}), 1);
    EXPECT_EQ(fit.find("scales")->if_array()->size(), 2U);
    const Json::Array& covariances = *fit.find("covariances")->if_array();
    EXPECT_EQ((*(*covariances[0].find("values")->if_array())[1].if_array())[1].if_number(), 5);
    EXPECT_TRUE(covariances[1].find("values")->is_null());
    EXPECT_EQ(*covariances[1].find("not_available")->if_string(), "photons are not positive");
    EXPECT_EQ(*fit.find("settings")->find("sinc")->if_string(), "homodyne");
}

TEST(HomodyneResultsTest, ReadsItsParametersAsAWarmStart) {
    const TemporaryFolder folder;
    write_fit(folder.path(), record());

    for (const auto& place : {folder.path(), folder / "nlsq", folder / "nlsq/parameters.json"}) {
        const auto estimates = read_parameters(place);
        ASSERT_EQ(estimates.size(), 5U);
        EXPECT_EQ(estimates[2].name, "D0");
        EXPECT_EQ(estimates[2].error, 100);
        EXPECT_TRUE(std::isnan(estimates[3].error));
    }
    EXPECT_THROW(read_parameters(folder / "none"), IoError);
    io::make_folder(folder / "empty");
    EXPECT_THROW(read_parameters(folder / "empty"), IoError);
    io::write_file(folder / "bad.json", R"({"parameters": {"D0": {"value": null}}})");
    EXPECT_THAT(io::message_of<InputError>([&] { read_parameters(folder / "bad.json"); }),
                HasSubstr("bad.json:1: parameters.D0.value is no number"));
}

TEST(HomodyneResultsTest, WritesTheSummaryInEveryFormat) {
    const TemporaryFolder folder;
    for (const SummaryFormat format :
         {SummaryFormat::yaml, SummaryFormat::json, SummaryFormat::npz}) {
        write_summary(folder.path(), record(), format);
    }

    const Json json = io::read_json(folder / "homodyne_results.json");
    const Json yaml = io::read_yaml(folder / "homodyne_results.yaml");
    EXPECT_EQ(io::to_text(json), io::to_text(yaml));
    EXPECT_THAT(keys_of(json),
                ElementsAre("method",
                            "analysis_mode",
                            "success",
                            "optimization_time",
                            "parameters",
                            "diagnostics",
                            "device_config"));
    const io::NpzFile npz(folder / "homodyne_results.npz");
    EXPECT_THAT(std::get<std::vector<double>>(npz.read("parameters").values),
                ElementsAre(0.3, 0.5, 1.0, 1.2, 8000, -0.6, 400));
}

TEST(HomodyneResultsTest, WritesShardsAsHomodynesPicturesLookForThem) {
    const TemporaryFolder folder;
    SampleRecord r;
    r.subject = record().subject;
    r.method = "importance";
    write_samples(folder.path(), r);
    EXPECT_FALSE(std::filesystem::exists(folder / "cmc/shard_diagnostics.json"));

    r.each_shard = {
        {2400, 4000, true, "kept", 0.91, 0, {{0, {"D0", 8000, 100, 1.01, 500, 450}}}},
        {2400, 4000, false, "outlier", nan, 3, {{2, {"D_offset", 400, 10, nan, 4000, 3900}}}}};
    write_samples(folder.path(), r);
    const Json shards = io::read_json(folder / "cmc/shard_diagnostics.json");
    const auto& each = *shards.if_array();
    ASSERT_EQ(each.size(), 2U);
    EXPECT_EQ(io::to_text(*each[0].find("shard_id")), "0");
    EXPECT_EQ(io::to_text(*each[0].find("converged")), "true");
    EXPECT_EQ(io::to_text(*each[0].find("acceptance_rate")), "0.91");
    EXPECT_EQ(io::to_text(*each[0].find("rhat")->find("param_0")), "1.01");
    EXPECT_EQ(io::to_text(*each[0].find("ess")->find("param_0")), "500.0");
    EXPECT_TRUE(each[1].find("acceptance_rate")->is_null());
    EXPECT_EQ(io::to_text(*each[1].find("ess")->find("param_2")), "4000.0");
    EXPECT_EQ(*each[1].find("verdict")->if_string(), "outlier");
    const Json all = io::read_json(folder / "cmc/diagnostics.json");
    EXPECT_EQ(
        io::to_text(*all.find("cmc_specific")->find("shard_summary")->find("convergence_rate")),
        "0.5");
}

TEST(HomodyneResultsTest, WritesSamplesWithTheirNames) {
    const TemporaryFolder folder;
    SampleRecord r;
    r.subject = record().subject;
    r.method = "nuts";
    r.asked_draws = 2;
    r.chains = 1;
    r.marginals = {{"D0", 8000, 100, 1.01, 500, 450}, {"alpha", -0.6, 0.01, nan, nan, nan}};
    r.draws = {7990, -0.6, 8010, -0.6};
    write_samples(folder.path(), r);

    const io::NpzFile samples(folder / "cmc/samples.npz");
    EXPECT_THAT(samples.read("samples").shape, ElementsAre(2, 2));
    EXPECT_THAT(std::get<std::vector<std::string>>(samples.read("param_names").values),
                ElementsAre("D0", "alpha"));
    const Json parameters = io::read_json(folder / "cmc/parameters.json");
    EXPECT_EQ(number_at(parameters, {"parameters", "D0", "std"}), 100);
    EXPECT_EQ(number_at(parameters, {"convergence", "max_r_hat"}), 1.01);
    EXPECT_EQ(number_at(parameters, {"sampling_summary", "total_samples"}), 2);
    EXPECT_TRUE(*parameters.find("convergence")->find("all_chains_converged")->if_bool());
    const Json diagnostics = io::read_json(folder / "cmc/diagnostics.json");
    const Json& all = *diagnostics.find("convergence")->find("per_parameter_diagnostics");
    EXPECT_TRUE((*all.if_array())[1].find("r_hat")->is_null());
    EXPECT_EQ(number_at(diagnostics, {"cmc_specific", "num_shards"}), 1);

    r.marginals[0].tail_ess = 50;
    EXPECT_FALSE(r.has_converged());
}

// The truth of the fixture is 1 + contrast · g1² with a contrast that the regression finds again.
TEST(HomodyneResultsTest, WritesDataModelAndResiduals) {
    const TemporaryFolder folder;
    constexpr int frames = 48;
    const Loaded kept = load(configuration_of(shared_data("st3_cache.npz")), FirstFrame::kept);
    const Loaded dropped = load(configuration_of(shared_data("st3_cache.npz")));
    // g1² that makes the data 0.25 g1² + 0.9 exactly
    const Theory theory = [&](int angle, std::span<double> g1_squared) {
        const auto diagonal = neighbour_diagonal(kept.measurement, angle);
        for (int i = 0; i < frames; ++i) {
            for (int j = 0; j < frames; ++j) {
                const double value = i == j ? diagonal[static_cast<std::size_t>(i)]
                                            : value_at(kept.measurement, angle, i, j);
                g1_squared[static_cast<std::size_t>(i * frames + j)] = (value - 0.9) / 0.25;
            }
        }
    };
    const std::vector<ScaleEstimate> scales{{0.2, 0, 1, 0}, {0.2, 0, 1, 0}, {0.2, 0, 1, 0}};
    write_fitted_data(folder / "a", kept, theory, scales);
    write_fitted_data(folder / "b", dropped, theory, scales);

    EXPECT_EQ(io::read_file(folder / "a/fitted_data.npz"),
              io::read_file(folder / "b/fitted_data.npz"));
    const io::NpzFile file(folder / "a/fitted_data.npz");
    const auto reals = [&](const char* name) {
        return std::get<std::vector<double>>(file.read(name).values);
    };
    EXPECT_THAT(file.names(),
                ElementsAre("phi_angles",
                            "c2_exp",
                            "c2_theoretical_raw",
                            "c2_theoretical_scaled",
                            "per_angle_scaling",
                            "per_angle_scaling_solver",
                            "c2_solver_scaled",
                            "residuals",
                            "residuals_normalized",
                            "t1",
                            "t2",
                            "q"));
    EXPECT_THAT(file.read("c2_exp").shape, ElementsAre(3, frames, frames));
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(reals("per_angle_scaling")[2 * k], 0.25, 1e-12);
        EXPECT_NEAR(reals("per_angle_scaling")[2 * k + 1], 0.9, 1e-12);
    }
    EXPECT_THAT(reals("residuals"), Each(testing::DoubleNear(0, 1e-12)));
    EXPECT_NEAR(
        reals("c2_solver_scaled")[5], 0.2 * (reals("c2_theoretical_raw")[5] - 1) + 1, 1e-15);
    EXPECT_EQ(reals("c2_exp")[1], value_at(kept.measurement, 0, 0, 1));
    EXPECT_EQ(reals("t1").back(), 47 * 0.1);
}

TEST(HomodyneResultsTest, LeavesOutTheSolverWhereThereIsNone) {
    const TemporaryFolder folder;
    const Loaded loaded = load(configuration_of(shared_data("st3_cache.npz")));
    const Theory flat = [](int, std::span<double> g1_squared) {
        std::fill(g1_squared.begin(), g1_squared.end(), 1.0);
    };
    write_fitted_data(folder.path(), loaded, flat, {});

    const io::NpzFile file(folder / "fitted_data.npz");
    EXPECT_FALSE(file.has("c2_solver_scaled"));
    EXPECT_EQ(std::get<std::vector<double>>(file.read("per_angle_scaling").values).front(), 0);
}

}  // namespace
}  // namespace lockstep::formats::homodyne
