#include "lockstep/formats/homodyne/configuration.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/places.hpp"

namespace lockstep::formats::homodyne {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Configuration parse(const std::string& text) {
    return parse_configuration(text, "a.yaml");
}

std::string faults_of(const std::string& text) {
    try {
        parse(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

// A configuration of one more line, which the fault is looked for in.
std::string faults_with(const std::string& line) {
    return faults_of("analyzer_parameters: {dt: 0.1}\n" + line);
}

Configuration all_keys() {
    return read_configuration(test::source_dir() / "tests/data/xpcs/all_keys.yaml");
}

TEST(HomodyneConfigurationTest, HasHomodynesDefaults) {
    const Configuration c = parse("analyzer_parameters: {dt: 0.1}");

    EXPECT_EQ(c.motion, lockstep::xpcs::Motion::diffusion);
    EXPECT_EQ(c.analyzer.wavevector_q, 0.0054);
    EXPECT_EQ(c.analyzer.q_tolerance_fraction, 0.1);
    EXPECT_EQ(c.analyzer.gap, 2e6);
    EXPECT_EQ(c.analyzer.start_frame, 1);
    EXPECT_EQ(c.analyzer.end_frame, -1);
    EXPECT_EQ(c.data.cache_template, "cached_c2_frames_${start_frame}_${end_frame}.npz");
    EXPECT_FALSE(c.phi_filter.is_on);
    EXPECT_EQ(c.cmc.seed, 42);
    EXPECT_FALSE(c.nlsq.loss.has_value());
}

TEST(HomodyneConfigurationTest, KnowsEveryKeyOfTheManual) {
    const Configuration c = all_keys();

    std::vector<std::string> texts;
    for (const Note& note : c.notes) {
        EXPECT_THAT(note.text, Not(HasSubstr("is not known"))) << note.field;
        EXPECT_GT(note.line, 0) << note.field;
        texts.push_back(note.field + ": " + note.text);
    }
    EXPECT_THAT(texts,
                ElementsAre(AllOf(HasSubstr("experimental_data.file_path"),
                                  HasSubstr("./data/lam6.h5 is read")),
                            HasSubstr("pjit runs its work in turn")));
}

TEST(HomodyneConfigurationTest, ReadsDataAndFilters) {
    const Configuration c = all_keys();

    EXPECT_EQ(c.motion, lockstep::xpcs::Motion::laminar_flow);
    EXPECT_EQ(c.analyzer.dt, 0.1);
    EXPECT_EQ(c.analyzer.end_frame, 64);
    EXPECT_EQ(c.analyzer.gap, 2e6) << "the analyzer's comes before that of the data";
    EXPECT_EQ(c.analyzer.q_tolerance_fraction, 0.05);
    EXPECT_EQ(c.data.file, "./data/lam6.h5");
    EXPECT_FALSE(c.data.cache_is_used);
    EXPECT_FALSE(c.data.cache_is_deflated);
    ASSERT_EQ(c.phi_filter.ranges.size(), 2U);
    EXPECT_EQ(c.phi_filter.ranges[1].low, 170);
    EXPECT_TRUE(c.phi_filter.falls_back);
    EXPECT_TRUE(c.matrix_filter.is_on);
    EXPECT_EQ(c.matrix_filter.q_max, 0.006);
    EXPECT_EQ(c.matrix_filter.combination, MatrixFilter::Combination::any_of);
    EXPECT_FALSE(c.matrix_filter.falls_back);
}

TEST(HomodyneConfigurationTest, ReadsParametersByTheirAliases) {
    const Configuration c = all_keys();

    EXPECT_EQ(c.start.find("gamma_dot_t0"), 8e-4);
    EXPECT_EQ(c.start.find("phi0"), -5);
    EXPECT_EQ(c.start.find("contrast"), std::nullopt) << "null";
    EXPECT_THAT(c.start.contrast, ElementsAre(0.3));
    EXPECT_EQ(c.start.offset.size(), 6U);
    EXPECT_THAT(c.start.active, ElementsAre("D0", "gamma_dot_t0"));
    EXPECT_THAT(c.start.fixed, ElementsAre("phi0"));
    ASSERT_NE(c.bound("gamma_dot_t0"), nullptr);
    EXPECT_EQ(c.bound("gamma_dot_t0")->prior, PriorKind::log_normal);
    EXPECT_EQ(c.bound("D0")->prior_mean, 12000);
    EXPECT_EQ(c.bound("beta"), nullptr);
}

TEST(HomodyneConfigurationTest, ReadsTheFit) {
    const Nlsq n = all_keys().nlsq;

    EXPECT_EQ(n.loss, LossName::linear);
    EXPECT_EQ(n.most_iterations, 200);
    EXPECT_EQ(n.ftol, 1e-9) << "ftol comes before tolerance";
    EXPECT_EQ(n.gtol, 1e-11);
    EXPECT_FALSE(n.is_parallel);
    EXPECT_EQ(n.per_angle, PerAngle::individual);
    EXPECT_EQ(n.regularization.weight, 2);
    EXPECT_EQ(n.regularization.mode, Regularization::Mode::absolute);
    EXPECT_EQ(n.sequential.weighting, Sequential::Weighting::points);
    EXPECT_EQ(n.shear_weighting.power, 2);
    EXPECT_EQ(n.multi_start.starts, 20);
    EXPECT_EQ(n.cmaes.restarts, Cmaes::Restarts::ipop);
    EXPECT_EQ(n.cmaes.population, 20);
    EXPECT_EQ(n.cmaes.preset, "cmaes-global");
    EXPECT_EQ(generations_of(n.cmaes.preset), 200);
    EXPECT_FALSE(n.cmaes.is_refined);
    EXPECT_EQ(n.cmaes.most_evaluations, 500);
    EXPECT_EQ(n.step_size, std::nullopt) << "jac";
    ASSERT_EQ(n.step_sizes.size(), 1U);
    EXPECT_EQ(n.step_sizes[0].first, "D0");
    EXPECT_EQ(n.step_sizes[0].second, 1000);
    EXPECT_EQ(n.bounds_tolerance, 1e-8);
    EXPECT_TRUE(n.is_sequential);
}

TEST(HomodyneConfigurationTest, ReadsStepSizesPresetsAndTheObjective) {
    const Configuration c = parse(
        "dt: 1\noptimization: {nlsq: {x_scale: 2, x_scale_map: {phi_0: 3}, cmaes: {preset: "
        "slow}}}\n"
        "lockstep: {fit: {objective: compat-grid}}");

    EXPECT_EQ(c.nlsq.step_size, 2);
    EXPECT_EQ(c.nlsq.step_sizes.front().first, "phi0");
    EXPECT_EQ(c.nlsq.objective, Objective::compat_grid);
    EXPECT_THAT(c.notes.back().text, HasSubstr("\"slow\" is not known"));
    EXPECT_EQ(generations_of("cmaes-fast"), 50);
    EXPECT_THAT(faults_with("optimization: {nlsq: {x_scale_map: {gama: 1}}}"),
                HasSubstr("\"gama\" is no parameter"));
    EXPECT_THAT(faults_with("optimization: {nlsq: {x_scale: wide}}"), HasSubstr("x_scale"));
    EXPECT_THAT(faults_with("lockstep: {fit: {objective: grid}}"), HasSubstr("compat-grid"));
}

TEST(HomodyneConfigurationTest, ReadsTheSampling) {
    const Cmc m = all_keys().cmc;

    EXPECT_EQ(m.shards, 8);
    EXPECT_EQ(m.sharding, Sharding::stratified);
    EXPECT_EQ(m.most_points, std::nullopt) << "auto";
    EXPECT_EQ(m.least_points, 2400);
    EXPECT_EQ(m.least_points_per_parameter, 100);
    EXPECT_EQ(m.backend, Backend::pjit);
    EXPECT_EQ(m.warmup, 700) << "mcmc comes before per_shard_mcmc";
    EXPECT_EQ(m.draws, 1700);
    EXPECT_EQ(m.chains, 3);
    EXPECT_EQ(m.chain_method, ChainMethod::sequential);
    EXPECT_EQ(m.combination, Combination::consensus);
    EXPECT_EQ(m.seed, 11);
    EXPECT_FALSE(m.is_tempered);
}

TEST(HomodyneConfigurationTest, SaysWhatDoesNothing) {
    const Configuration c = all_keys();

    const auto found = std::find_if(c.ignored.begin(), c.ignored.end(), [](const Note& note) {
        return note.field == "optimization.nlsq.hybrid_streaming.chunk_size";
    });
    ASSERT_NE(found, c.ignored.end());
    EXPECT_THAT(found->text, HasSubstr("one objective streams data of any size"));
    EXPECT_GT(found->line, 0);
}

TEST(HomodyneConfigurationTest, NotesAKeyThatNobodyKnows) {
    const Configuration c = parse("analyzer_parameters: {dt: 0.1, start_fame: 3}\nwhatever: 1");

    ASSERT_EQ(c.notes.size(), 3U);
    EXPECT_EQ(c.notes[1].field, "analyzer_parameters.start_fame");
    EXPECT_THAT(c.notes[1].text, HasSubstr("did you mean \"analyzer_parameters.start_frame\"?"));
    EXPECT_EQ(c.notes[2].field, "whatever");
    EXPECT_EQ(c.notes[2].line, 2);
}

TEST(HomodyneConfigurationTest, NotesAnUnknownKeyOfAnElement) {
    const Configuration c = parse(
        "analyzer_parameters: {dt: 0.1}\nphi_filtering: {target_ranges: [{min_angle: 1, max_angle: "
        "2, description: along}]}");

    ASSERT_EQ(c.phi_filter.ranges.size(), 1U);
    EXPECT_EQ(c.notes.back().field, "phi_filtering.target_ranges[0].description");
}

TEST(HomodyneConfigurationTest, ReadsTheFlatFormOfOldAndJson) {
    const Configuration c = parse_configuration(
        R"({"data_file": "old.h5", "dt": 0.5, "start_frame": 2, "end_frame": 10,
            "output_directory": "out", "analysis_mode": "Static_Isotropic"})",
        "a.json");

    EXPECT_EQ(c.data.file, "old.h5");
    EXPECT_EQ(c.analyzer.dt, 0.5);
    EXPECT_EQ(c.analyzer.start_frame, 2);
    EXPECT_EQ(c.output, "out");
    EXPECT_EQ(c.motion, lockstep::xpcs::Motion::diffusion);
}

TEST(HomodyneConfigurationTest, TakesAPathAloneAndABackendByName) {
    const Configuration c = parse(
        "dt: 1\nexperimental_data: {file_path: /d/a.h5}\noptimization: {cmc: {backend: "
        "sequential}}");

    EXPECT_EQ(c.data.file, "/d/a.h5");
    EXPECT_EQ(c.cmc.backend, Backend::sequential);
}

TEST(HomodyneConfigurationTest, TakesStartValuesOfNull) {
    const Configuration c =
        parse("dt: 1\ninitial_parameters: {parameter_names: [D0, alpha], values: null}");

    EXPECT_THAT(c.start.values, IsEmpty());
    EXPECT_THAT(c.notes.back().text, HasSubstr("the model's own are taken"));
}

TEST(HomodyneConfigurationTest, RefusesTwoComponentsByName) {
    EXPECT_THAT(faults_with("analysis_mode: two_component"),
                AllOf(HasSubstr("a.yaml:2"), HasSubstr("\"two_component\" is not offered")));
}

TEST(HomodyneConfigurationTest, TellsAllFaultsAtOnceWithTheirLines) {
    const std::string faults = faults_of(
        "analysis_mode: lamnar_flow\n"
        "analyzer_parameters:\n"
        "  dt: -1\n"
        "  start_frame: 10\n"
        "  end_frame: 5\n"
        "  scattering: {wavevector_q: high}\n"
        "initial_parameters:\n"
        "  parameter_names: [D0, gama_dot_t0]\n"
        "  values: [50, 1]\n"
        "parameter_space:\n"
        "  bounds:\n"
        "    - {name: D0, min: 100, max: 1000}\n"
        "    - {name: alpha, min: 2, max: 1}\n"
        "optimization: {nlsq: {loss: l2}, cmc: {per_shard_mcmc: {max_tree_depth: 20}}}\n"
        "data_filtering: {frame_filtering: {stride: 2}}\n"
        "preprocessing: {enabled: true}\n");

    for (const char* const wanted :
         {"a.yaml:1 (analysis_mode): \"lamnar_flow\" is not allowed: must be static or "
          "laminar_flow; "
          "did you mean \"laminar_flow\"?",
          "a.yaml:3 (analyzer_parameters.dt): -1 is out of range: must be > 0",
          "a.yaml:5 (analyzer_parameters.end_frame): 5 is not above start_frame 10",
          "a.yaml:6 (analyzer_parameters.scattering.wavevector_q): expected number, found string",
          "(initial_parameters.values): \"gama_dot_t0\" is no parameter",
          "did you mean \"gamma_dot_t0\"?",
          "D0 starts at 50, outside its bounds [100, 1000]",
          "(parameter_space.bounds[1]): alpha: min 2 is not below max 1",
          "(optimization.nlsq.loss): \"l2\" is not allowed",
          "(optimization.cmc.per_shard_mcmc.max_tree_depth): 20 is out of range",
          "(data_filtering.frame_filtering.stride): 2 is not offered",
          "(preprocessing.enabled): true is not offered"}) {
        EXPECT_THAT(faults, HasSubstr(wanted));
    }
}

TEST(HomodyneConfigurationTest, RefusesWhatBelongsTogetherAndDoesNot) {
    EXPECT_THAT(faults_of("analysis_mode: static"),
                HasSubstr("(analyzer_parameters.dt): is missing"));
    EXPECT_THAT(faults_with("initial_parameters: {parameter_names: [D0], values: [1, 2]}"),
                HasSubstr("2 values for 1 parameter_names"));
    EXPECT_THAT(faults_with("initial_parameters: {parameter_names: [D0], values: [0]}"),
                HasSubstr("D0 starts at 0: must be above 0"));
    EXPECT_THAT(faults_with("initial_parameters: {parameter_names: [alpha], values: [3]}"),
                HasSubstr("alpha starts at 3, outside its bounds [-2, 2] (parameter_space.bounds"));
    EXPECT_THAT(faults_with("initial_parameters: {parameter_names: [phi0, phi_0], values: [1, 2]}"),
                HasSubstr("\"phi0\" stands there twice"));
    EXPECT_THAT(faults_with("parameter_space: {bounds: [{name: D0}, {name: D0}]}"),
                HasSubstr("\"D0\" stands there twice"));
    EXPECT_THAT(faults_with("experimental_data: {cache_filename_template: ../a.npz}"),
                HasSubstr("must be the name of a file"));
    EXPECT_THAT(faults_with("lockstep: {data: {q_unit: 1/m}}"), HasSubstr("\"1/A\" or \"1/nm\""));
    EXPECT_THAT(faults_with("optimization: 5"), HasSubstr("expected object, found integer"));
    EXPECT_THAT(faults_of(""), HasSubstr("is empty"));
    EXPECT_THAT(faults_of("[1]"), HasSubstr("expected object, found array"));
    EXPECT_THROW(read_configuration("/nowhere/a.yaml"), IoError);
}

TEST(HomodyneConfigurationTest, HasOneRowForEachKey) {
    std::set<std::string> paths;
    bool has_refused = false;
    for (const KeyUse& key : key_table()) {
        EXPECT_TRUE(paths.insert(key.path).second) << key.path;
        EXPECT_EQ(key.note.empty(), key.use == Use::acts) << key.path;
        has_refused = has_refused || key.use == Use::refused;
    }
    EXPECT_TRUE(has_refused);
    EXPECT_GT(paths.size(), 200U);
}

}  // namespace
}  // namespace lockstep::formats::homodyne
