#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "integration/app/program.hpp"
#include "support/json_numbers.hpp"
#include "support/places.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using test::member;
using test::number;
using testing::HasSubstr;
using Words = std::vector<std::string>;

fs::path data_folder() {
    return test::source_dir() / "tests/data/xpcs";
}

/// homodyne's configuration of the flow whose matrices lie in tests/data/xpcs.
std::string flow_config(const std::string& file,
                        const std::string& mode = "laminar_flow",
                        const std::string& more = "") {
    return "analysis_mode: " + mode +
           "\n"
           "analyzer_parameters:\n"
           "  {dt: 0.1, start_frame: 1, end_frame: -1, scattering: {wavevector_q: 0.0054},\n"
           "   geometry: {stator_rotor_gap: 2000000}}\n"
           "initial_parameters:\n"
           "  parameter_names: [D0, alpha, D_offset, gamma_dot_t0, beta, gamma_dot_t_offset, "
           "phi0]\n"
           "  values: [1.0e4, -0.5, 500, 1.0e-3, 0, 0, 0]\n"
           "experimental_data: {data_folder_path: " +
           data_folder().string() + ", data_file_name: " + file + "}\n" + more;
}

class XpcsCliTest : public testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        io::write_file(path(name), text);
        return path(name);
    }
    /// A configuration with a made-up measurement beside it.
    [[nodiscard]] std::string first(const std::string& mode) const {
        const auto made = run({"xpcs", "init", path("first"), "--mode", mode});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        return path("first/config.yaml");
    }
    [[nodiscard]] io::Json fit_of(const std::string& output) const {
        return io::read_json(path(output) + "/fit.json");
    }
    [[nodiscard]] std::string digest(const std::string& output) const {
        return *fit_of(output).find("digest")->if_string();
    }
    [[nodiscard]] Words work(const std::string& command,
                             const std::string& config,
                             const std::string& output,
                             const Words& more = {}) const {
        Words words = {"xpcs", command, config, "-o", path(output), "-q"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    static Words launched(const std::string& ranks, Words words) {
        words.insert(words.begin(), {"launch", "-n", ranks, "--", program_path()});
        return words;
    }

private:
    app::TemporaryFolder folder_;
};

TEST_F(XpcsCliTest, StartsChecksRunsComparesAndShows) {
    const auto config = first("static");
    const auto checked = run({"xpcs", "validate", config});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    for (const auto* word :
         {"APS before the upgrade", "individual scaling", "5,859", "0, 45, 90"}) {
        EXPECT_THAT(checked.out, HasSubstr(word));
    }
    EXPECT_NE(io::parse_json(run({"xpcs", "validate", config, "--json"}).out, "stdout").find("phi"),
              nullptr);

    const auto ran = run({"xpcs", "run", config, "-o", path("out")});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    for (const auto* word : {"D_offset", "chi2", "speckle", "k = ", "lockstep report"}) {
        EXPECT_THAT(ran.out, HasSubstr(word));
    }
    for (const auto* name : {"fit.json",
                             "posterior.json",
                             "posterior.npz",
                             "posterior.nc",
                             "homodyne_results.json",
                             "nlsq/parameters.json",
                             "nlsq/fitted_data.npz",
                             "cmc/samples.npz"}) {
        EXPECT_TRUE(fs::exists(path("out/") + name)) << name;
    }
    EXPECT_THAT(run({"xpcs", "summary", path("out")}).out, HasSubstr(digest("out")));
    EXPECT_EQ(run({"report", path("out")}).exit_code, 0);
    EXPECT_TRUE(fs::exists(path("out/report.html")));
    ASSERT_EQ(run(work("run", config, "again")).exit_code, 0);
    EXPECT_EQ(run({"compare", path("out"), path("again"), "--deep"}).exit_code, 0);
    ASSERT_EQ(run(work("fit", config, "other", {"--paper-sinc", "--initial-d0", "9000"})).exit_code,
              0);
    EXPECT_EQ(run({"compare", path("out"), path("other")}).exit_code, 1);
}

// homodyne's acts from 1 on in the unit of c2, where it is linear.
TEST_F(XpcsCliTest, ALossOfAConfigurationIsLinearUntilItHasAScale) {
    const auto text = [](const std::string& loss) {
        return flow_config(
            "lam6_cache.npz", "laminar_flow", "optimization: {nlsq: {loss: " + loss + "}}\n");
    };
    ASSERT_EQ(run(work("fit", file("linear.yaml", text("linear")), "linear")).exit_code, 0);

    const auto ran = run({"xpcs", "fit", file("soft.yaml", text("soft_l1")), "-o", path("soft")});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("--loss soft_l1"));
    EXPECT_EQ(digest("soft"), digest("linear"));
}

TEST_F(XpcsCliTest, MeetsTheWishesOfAConfiguration) {
    const auto config =
        file("c.yaml",
             flow_config("lam6_cache.npz",
                         "laminar_flow",
                         "optimization:\n  nlsq:\n    loss: cauchy\n    ftol: 1.0e-10\n"
                         "    cmaes: {enable: true, scale_threshold: 1.0e9}\n"
                         "    multi_start: {enable: true, n_starts: 6}\n"
                         "lockstep: {fit: {loss_scale: 2}}\n"));

    const auto ran = run({"xpcs", "fit", config, "-o", path("out"), "--fix", "phi_0=-5"});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("auto_select takes it where"));
    for (const auto* word : {"cauchy", "4 starts", "-5 held"}) {
        EXPECT_THAT(ran.out, HasSubstr(word));
    }
    const auto fit = fit_of("out");
    EXPECT_EQ(*member(fit, {"loss"}).if_string(), "cauchy");
    EXPECT_EQ(*member(fit, {"search", "kind"}).if_string(), "multi-start");
    const auto& held = test::array(*fit.find("held"));
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(*member(held[0], {"name"}).if_string(), "phi0");
    EXPECT_EQ(number(member(held[0], {"value"})), -5);
    for (const auto& value : test::array(*fit.find("values"))) {
        EXPECT_NE(*member(value, {"name"}).if_string(), "phi0");
    }
    ASSERT_EQ(run({"report", path("out")}).exit_code, 0);
    const auto page = io::read_file(path("out/report.html"));
    EXPECT_THAT(page, HasSubstr("phi0 = -5"));
    EXPECT_THAT(page, HasSubstr("Fits from 4 starts"));
}

/// The numbers are those of homodyne: golden.json, grid_path_individual.
TEST_F(XpcsCliTest, HasTheMinimumAndTheChiSquaredOfHomodyneBelow100kPoints) {
    const auto config = file("c.yaml", flow_config("lam6_cache.npz"));
    const auto by_key =
        file("k.yaml",
             flow_config(
                 "lam6_cache.npz", "laminar_flow", "lockstep: {fit: {objective: compat-grid}}\n"));

    const auto ran = run({"xpcs", "fit", config, "-o", path("out"), "--objective", "compat-grid"});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("sqrt(2)"));
    for (const auto* word : {"compat-grid", "29,627.83", "classical"}) {
        EXPECT_THAT(ran.out, HasSubstr(word));
    }
    const auto golden = io::read_json(data_folder() / "golden.json");
    const auto& theirs = member(golden, {"lam6", "grid_path_individual"});
    const auto fit = fit_of("out");
    EXPECT_NEAR(number(*fit.find("legacy_chi_squared")) /
                    number(member(theirs, {"homodyne_reported_chi2"})),
                1,
                1e-7);
    EXPECT_NEAR(
        1e-4 * number(*fit.find("minimised")) / number(member(theirs, {"soft_l1_twice_cost"})),
        1,
        1e-9);
    EXPECT_EQ(*member(fit, {"objective"}).if_string(), "compat-grid");
    const auto ours = io::read_json(path("out/nlsq/parameters.json"));
    EXPECT_NEAR(number(member(ours, {"parameters", "D0", "value"})), 12064.772, 0.01);
    EXPECT_NEAR(number(member(ours, {"parameters", "D0", "uncertainty"})), 77.315, 0.1);

    ASSERT_EQ(run(launched("2", work("fit", by_key, "key"))).exit_code, 0);
    EXPECT_EQ(digest("key"), digest("out"));
    ASSERT_EQ(run({"report", path("out")}).exit_code, 0);
    EXPECT_THAT(io::read_file(path("out/report.html")), HasSubstr("(compat-grid)"));
    const auto sampled = run(work("run", by_key, "sampled"));
    ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
    EXPECT_THAT(io::read_file(path("sampled/posterior.json")),
                HasSubstr("each pair of frames counts twice"));
}

TEST_F(XpcsCliTest, ValidateTellsHowTheFitWouldGo) {
    const auto config = file("c.yaml",
                             flow_config("lam6_cache.npz",
                                         "laminar_flow",
                                         "optimization:\n  nlsq:\n    loss: cauchy\n"
                                         "    multi_start: {enable: true, n_starts: 6}\n"
                                         "lockstep: {fit: {loss_scale: 2}}\n"));

    const auto told = run({"xpcs",
                           "validate",
                           config,
                           "--fix",
                           "phi0=-5",
                           "--initial-alpha",
                           "2",
                           "--errors",
                           "blocks"});

    ASSERT_EQ(told.exit_code, 0) << told.err;
    for (const auto* word : {"cauchy from 2 sigma on",
                             "multi-start: 6 points beside the start",
                             "-5 held",
                             "start; 100 to 100000",
                             "blocks",
                             "each pair of frames once",
                             "outliers that cauchy holds back",
                             "alpha starts at its upper bound, 2"}) {
        EXPECT_THAT(told.out, HasSubstr(word));
    }
    const auto json = io::parse_json(
        run({"xpcs", "validate", config, "--objective", "compat-grid", "--json"}).out, "stdout");
    EXPECT_EQ(*member(json, {"objective"}).if_string(), "compat-grid");
    EXPECT_EQ(number(member(json, {"sigma"})), 0.01);
    EXPECT_EQ(test::array(*json.find("parameters")).size(), 7U);
    const auto refused = run({"xpcs", "validate", config, "--fix", "gamma"});
    EXPECT_EQ(refused.exit_code, 65);
}

TEST_F(XpcsCliTest, StepSizesAndRefinementAreThoseOfTheConfiguration) {
    const auto with = [&](const std::string& name, const std::string& nlsq) {
        const auto config =
            file(name + ".yaml",
                 flow_config("lam6_cache.npz", "laminar_flow", "optimization:\n  nlsq:\n" + nlsq));
        const auto ran = run(work("fit", config, name, {"--errors", "classical"}));
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return fit_of(name);
    };
    const auto usual = with("usual", "    x_scale: jac\n");
    const auto scaled = with("scaled",
                             "    x_scale: 1\n    x_scale_map: {D0: 1.0e4, D_offset: 1.0e3, "
                             "gamma_dot_0: 1.0e-3, gamma_dot_offset: 1.0e-3}\n");
    EXPECT_NE(digest("scaled"), digest("usual")) << "another way";
    EXPECT_NEAR(number(*scaled.find("chi_squared")) / number(*usual.find("chi_squared")), 1, 1e-9);

    const std::string evolved =
        "    cmaes: {enable: true, auto_select: false, warmstart_auto_skip: false,\n"
        "            max_generations: 4, max_restarts: 0, ";
    const auto rough = with("rough", evolved + "refine_with_nlsq: false}\n");
    EXPECT_EQ(*member(rough, {"converged"}).if_bool(), false);
    EXPECT_THAT(*member(rough, {"ending"}).if_string(), HasSubstr("not refined"));
    EXPECT_EQ(*member(rough, {"search", "result"}).if_bool(), true);
    const auto refined = with("refined", evolved + "refinement_gtol: 0.5}\n");
    EXPECT_EQ(*member(refined, {"converged"}).if_bool(), true);
    EXPECT_GT(number(*refined.find("gradient")), 1e-8) << "refinement_gtol ends it";
}

TEST_F(XpcsCliTest, NamesWhatEndsAtBoundsOrIsCutByThem) {
    const auto config = file("c.yaml",
                             flow_config("lam6_cache.npz",
                                         "laminar_flow",
                                         "parameter_space:\n  bounds:\n"
                                         "    - {name: D0, min: 100, max: 11000}\n"
                                         "    - {name: gamma_dot_t_offset, min: 0, max: 0.1}\n"));

    const auto ran = run({"xpcs", "fit", config, "-o", path("out")});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("initial_parameters: gamma_dot_t_offset starts at its lower"));
    EXPECT_THAT(ran.err, HasSubstr("the fit ends with D0"));
    EXPECT_THAT(ran.out, HasSubstr("at its upper bound"));
    const auto checks = io::read_json(path("out/nlsq/convergence_metrics.json"));
    EXPECT_EQ(*member(checks, {"quality_checks", "physical_bounds"}).if_bool(), false);
    EXPECT_EQ(*member(checks, {"quality_validation_passed"}).if_bool(), false);
}

/// D0 is 12,128 ± 80 or so, below a bound of 12,150.
TEST_F(XpcsCliTest, QualityIsJudgedByTheConfiguration) {
    const auto with = [&](const std::string& name, const std::string& nlsq) {
        const auto config = file(name + ".yaml",
                                 flow_config("lam6_cache.npz",
                                             "laminar_flow",
                                             "parameter_space:\n  bounds:\n"
                                             "    - {name: D0, min: 100, max: 12150}\n"
                                             "optimization:\n  nlsq:\n" +
                                                 nlsq));
        return run({"xpcs",
                    "fit",
                    config,
                    "-o",
                    path(name),
                    "--scaling",
                    "individual",
                    "--errors",
                    "classical"});
    };
    const auto checks = [&](const std::string& name, const std::string& which) {
        const auto metrics = io::read_json(path(name + "/nlsq/convergence_metrics.json"));
        return *member(metrics, {"quality_checks", which}).if_bool();
    };
    const auto usual = with("usual", "    quality_validation: {enable: true}\n");
    ASSERT_EQ(usual.exit_code, 0) << usual.err;
    EXPECT_THAT(usual.out, HasSubstr("less than its error from the upper bound"));
    EXPECT_THAT(usual.err, HasSubstr("within one standard error of D0"));
    EXPECT_TRUE(checks("usual", "reduced_chi_squared"));
    EXPECT_TRUE(checks("usual", "physical_bounds"));

    const auto strict = with("strict",
                             "    parallel_chunks: false\n    quality_validation: "
                             "{reduced_chi_squared_threshold: 0.1, bounds_tolerance: 1.0e-2}\n");
    ASSERT_EQ(strict.exit_code, 0) << strict.err;
    EXPECT_THAT(strict.out, HasSubstr("at its upper bound"));
    EXPECT_THAT(strict.err, HasSubstr("one thread of each rank"));
    EXPECT_FALSE(checks("strict", "reduced_chi_squared"));
    EXPECT_FALSE(checks("strict", "physical_bounds"));
    EXPECT_EQ(digest("strict"), digest("usual"));
}

/// A measured matrix of which wavevector and times are not known: those here end with phi0 at
/// -9.9999999994, not at its bound of -10.
TEST_F(XpcsCliTest, NamesWhatNearlyEndsAtABound) {
    const auto config =
        file("c.yaml",
             "analysis_mode: laminar_flow\n"
             "analyzer_parameters:\n"
             "  {dt: 0.01, start_frame: 1, end_frame: -1,\n"
             "   scattering: {wavevector_q: 0.02}}\n"
             "experimental_data: {data_folder_path: " +
                 data_folder().string() + ", data_file_name: nsls2_two_time_350.npy}\n");

    const auto ran = run(work("fit", config, "out", {"--errors", "classical"}));

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const auto fit = fit_of("out");
    const auto& phi0 = test::array(*fit.find("values")).back();
    EXPECT_EQ(*member(phi0, {"name"}).if_string(), "phi0");
    EXPECT_NEAR(number(member(phi0, {"value"})), -10, 1e-5);
    EXPECT_EQ(*member(phi0, {"bound"}).if_string(), "lower");
}

TEST_F(XpcsCliTest, ThePosteriorTellsWhatItDoesNotHaveOfTheFit) {
    const auto config = file("c.yaml",
                             flow_config("st3_cache.npz",
                                         "static",
                                         "optimization:\n  nlsq:\n    anti_degeneracy:\n"
                                         "      regularization: {enable: true}\n"));

    const auto ran = run({"xpcs", "run", config, "-o", path("out")});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    constexpr auto remark = "the posterior does not: its priors alone hold them";
    EXPECT_THAT(ran.out, HasSubstr(remark));
    EXPECT_THAT(io::read_file(path("out/posterior.json")), HasSubstr(remark));
    ASSERT_EQ(run({"report", path("out")}).exit_code, 0);
    EXPECT_THAT(io::read_file(path("out/report.html")), HasSubstr(remark));
}

TEST_F(XpcsCliTest, HoldsWhatAConfigurationHoldsInThePosteriorToo) {
    const auto config = file("c.yaml",
                             "analysis_mode: static\n"
                             "analyzer_parameters:\n"
                             "  {dt: 0.1, start_frame: 1, end_frame: -1,\n"
                             "   scattering: {wavevector_q: 0.0054}}\n"
                             "initial_parameters:\n"
                             "  parameter_names: [D0, alpha, D_offset]\n"
                             "  values: [1.0e4, -0.5, 400]\n"
                             "  fixed_parameters: [D_offset, phi0]\n"
                             "experimental_data: {data_folder_path: " +
                                 data_folder().string() + ", data_file_name: st3_cache.npz}\n");

    const auto ran = run({"xpcs", "run", config, "-o", path("out")});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("held at the start, in fit and posterior: D_offset;"));
    EXPECT_THAT(ran.out, HasSubstr("400 held"));
    const auto posterior = io::read_json(path("out/posterior.json"));
    for (const auto& quantity : test::array(*posterior.find("quantities"))) {
        EXPECT_NE(*member(quantity, {"name"}).if_string(), "D_offset");
    }
    EXPECT_EQ(run({"report", path("out")}).exit_code, 0);
}

TEST_F(XpcsCliTest, DrawsScalesTogetherWeighsAnglesAndFitsThemOneByOne) {
    const auto config = file("c.yaml",
                             flow_config("lam6_cache.npz",
                                         "laminar_flow",
                                         "optimization:\n  nlsq:\n    anti_degeneracy:\n"
                                         "      per_angle_mode: individual\n"
                                         "      regularization: {enable: true}\n"
                                         "      shear_weighting: {enable: true}\n"
                                         "  sequential: {weighting: n_points}\n"));

    const auto ran = run({"xpcs", "fit", config, "-o", path("out"), "--errors", "classical"});

    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    for (const auto* word : {"with a weight of 10.0", "angles along the flow count for more"}) {
        EXPECT_THAT(ran.err, HasSubstr(word));
    }
    EXPECT_THAT(ran.out, HasSubstr("penalty"));
    EXPECT_GT(number(*fit_of("out").find("penalty")), 0);

    const auto alone = run({"xpcs", "fit", config, "-o", path("alone"), "--sequential", "always"});

    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_THAT(alone.out, HasSubstr("combined: 6 of 6 angles, each fitted alone"));
    EXPECT_EQ(*member(fit_of("alone"), {"sequential", "used"}).if_bool(), true);
    EXPECT_EQ(run({"report", path("alone")}).exit_code, 0);
    EXPECT_THAT(io::read_file(path("alone/report.html")), HasSubstr("fits of single angles"));
}

TEST_F(XpcsCliTest, SearchesAndLossesHaveTheBitsOfOneOnRanksToo) {
    const auto config = file("c.yaml", flow_config("lam6_cache.npz"));
    const auto all_ways = [&](const std::string& name, const Words& options) {
        auto words = work("fit", config, name + "1", {"-t", "1"});
        words.insert(words.end(), options.begin(), options.end());
        ASSERT_EQ(run(words).exit_code, 0);
        words = work("fit", config, name + "2", {"-t", "2"});
        words.insert(words.end(), options.begin(), options.end());
        ASSERT_EQ(run(launched("2", words)).exit_code, 0);
        EXPECT_EQ(digest(name + "1"), digest(name + "2"));
    };
    all_ways("starts", {"--multi-start", "8", "--errors", "classical"});
    all_ways("loss", {"--loss", "soft_l1", "--loss-scale", "2", "--errors", "blocks"});
}

TEST_F(XpcsCliTest, ErrorsArePartOfTheResult) {
    const auto config = file("c.yaml", flow_config("lam6_cache.npz"));
    for (const std::string errors : {"blocks", "classical"}) {
        ASSERT_EQ(run(work("fit", config, errors, {"--errors", errors})).exit_code, 0);
    }

    const auto compared = run({"compare", path("blocks"), path("classical")});

    EXPECT_EQ(compared.exit_code, 1);
    EXPECT_THAT(compared.out, HasSubstr("first in the fit at contrast: error"));
}

TEST_F(XpcsCliTest, WillNotStartWhereAnAnalysisLies) {
    const auto config = first("laminar_flow");
    const auto again = run({"xpcs", "init", path("first")});

    EXPECT_EQ(again.exit_code, 65);
    EXPECT_THAT(again.err, HasSubstr(config + " is there already"));
}

TEST_F(XpcsCliTest, LayoutsOfTheSameMatricesGiveTheSameBits) {
    const auto golden = io::read_json(data_folder() / "golden.json");
    const double least =
        number(member(golden, {"lam6", "stratified_path", "individual", "chi2_min"}));
    const Words as_published = {"--scaling", "individual", "--sigma", "0.01"};
    for (const std::string name : {"lam6_aps_old.h5", "lam6_aps_u.h5", "lam6_cache.npz"}) {
        auto words = work("fit", file("c.yaml", flow_config(name)), name, as_published);
        words.insert(words.end(), {"--errors", "classical"});
        const auto ended = run(words);
        ASSERT_EQ(ended.exit_code, 0) << ended.err;

        // There both triangles count.
        EXPECT_NEAR(2 * number(*fit_of(name).find("chi_squared")) / least, 1, 1e-9) << name;
        EXPECT_EQ(digest(name), digest("lam6_aps_old.h5")) << name;
    }
}

TEST_F(XpcsCliTest, RanksAndThreadsHaveTheBitsOfOne) {
    const auto config = first("static");
    ASSERT_EQ(run(work("run", config, "one", {"-t", "1"})).exit_code, 0);
    const auto expect_same = [&](const std::string& output, const Words& words) {
        const auto ended = run(words);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        const auto compared = run({"compare", path("one"), path(output), "--deep"});
        EXPECT_EQ(compared.exit_code, 0) << compared.out;
        EXPECT_EQ(digest(output), digest("one")) << output;
    };
    expect_same("t2", work("run", config, "t2", {"-t", "2"}));
    expect_same("n2", launched("2", work("run", config, "n2", {"-t", "1"})));
    expect_same("n3", launched("3", work("run", config, "n3", {"-t", "1"})));
}

TEST_F(XpcsCliTest, ChainsHaveTheBitsOfOneOnRanksToo) {
    const auto config = first("static");
    const Words chains = {"-t", "1", "--sampler", "nuts", "--n-warmup", "60", "--n-samples", "40"};
    ASSERT_EQ(run(work("sample", config, "one", chains)).exit_code, 0);
    ASSERT_EQ(run(launched("2", work("sample", config, "two", chains))).exit_code, 0);

    EXPECT_EQ(run({"compare", path("one"), path("two"), "--deep"}).exit_code, 0);
    EXPECT_THAT(run({"xpcs", "summary", path("two")}).out, HasSubstr("by chains"));
}

TEST_F(XpcsCliTest, TellsWhatScalesOfTheirOwnWouldGive) {
    const auto config = file("c.yaml", flow_config("lam6_aps_old.h5"));

    const auto ended = run({"xpcs", "fit", config, "-o", path("out")});

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("averaged scaling biases the fit"));
    const auto fit = fit_of("out");
    EXPECT_EQ(*member(fit, {"individual", "better"}).if_bool(), true);
}

TEST_F(XpcsCliTest, SimulatedSpeckleIsAFunctionOfTheSeedAndCoversItsTruth) {
    const auto config = first("static");
    const auto simulated = [&](const std::string& name, const char* threads, const char* seed) {
        const auto made = run({"xpcs",
                               "simulate",
                               config,
                               "-o",
                               path(name),
                               "--pixels",
                               "4000",
                               "--photons",
                               "0.5",
                               "--seed",
                               seed,
                               "-t",
                               threads});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        return io::read_file(path(name));
    };
    EXPECT_EQ(simulated("a.h5", "1", "7"), simulated("b.h5", "3", "7"));
    EXPECT_NE(simulated("a.h5", "1", "7"), simulated("c.h5", "1", "8"));

    ASSERT_EQ(run(work("fit", config, "out", {"--data-file", path("a.h5")})).exit_code, 0);

    const auto fit = fit_of("out");
    const auto start = test::numbers(*fit.find("start"));  // the simulation's truth
    const auto& values = test::array(*fit.find("values"));
    ASSERT_EQ(values.size(), 6 + start.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double truth = k < 3 ? 0.3 : k < 6 ? 1 : start[k - 6];
        const double error = number(*values[k].find("error"));
        EXPECT_NEAR(number(*values[k].find("value")), truth, 4 * error)
            << *values[k].find("name")->if_string();
        if (k < 6) {
            EXPECT_LT(error, 0.05);  // it says something
        }
    }
    EXPECT_NEAR(number(*test::array(*fit.find("angles"))[0].find("photons")), 0.5, 0.05);
}

/// A configuration or a command line that cannot be used, and what the program must say of it.
struct Refused {
    const char* name;
    std::string config;  ///< empty: there is none
    Words words;
    int exit_code;
    Words sentence;  ///< parts of the message
};

void PrintTo(const Refused& refused, std::ostream* stream) {
    *stream << refused.name;
}

class XpcsBadInputTest : public XpcsCliTest, public testing::WithParamInterface<Refused> {};

TEST_P(XpcsBadInputTest, SaysInOneSentenceWhatIsWrong) {
    const auto& refused = GetParam();
    const auto config =
        refused.config.empty() ? path("nowhere.yaml") : file("c.yaml", refused.config);
    Words words = {"xpcs"};
    words.insert(words.end(), refused.words.begin(), refused.words.end());
    words.insert(words.begin() + 2, {config, "-o", path("out")});

    const auto ended = run(words);

    EXPECT_EQ(ended.exit_code, refused.exit_code) << ended.err;
    for (const auto& part : refused.sentence) {
        EXPECT_THAT(ended.err, HasSubstr(part));
    }
    EXPECT_NE(ended.err.find("lockstep: "), ended.err.npos);
    EXPECT_EQ(ended.err.find("lockstep: "), ended.err.rfind("lockstep: "));
    EXPECT_FALSE(fs::exists(path("out")) && !fs::is_empty(path("out")));
}

const std::string good = flow_config("lam6_cache.npz");

std::string with_fixed(const std::string& name) {
    constexpr std::string_view section = "initial_parameters:\n";
    auto text = good;
    text.insert(text.find(section) + section.size(), "  fixed_parameters: [" + name + "]\n");
    return text;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    XpcsBadInputTest,
    testing::Values(
        Refused{"NoConfiguration", "", {"run"}, 66, {"nowhere.yaml"}},
        Refused{"NoDataFile",
                flow_config("gone.h5"),
                {"run"},
                66,
                {"gone.h5: no such file", "experimental_data of ", "relative to"}},
        Refused{"StartOutside",
                good,
                {"fit", "--initial-alpha", "3"},
                65,
                {"alpha", "3", "upper bound 2"}},
        Refused{"ConfiguredStartOutside",
                flow_config("lam6_cache.npz",
                            "laminar_flow",
                            "parameter_space: {bounds: [{name: alpha, min: 0, max: 1}]}\n"),
                {"fit"},
                65,
                {"c.yaml:", "initial_parameters.values", "alpha starts at -0.5", "[0, 1]"}},
        Refused{"NoAngleIsLeft",
                flow_config("lam6_cache.npz",
                            "laminar_flow",
                            "phi_filtering:\n  enabled: true\n"
                            "  target_ranges: [{min_angle: 4, max_angle: 5}]\n"),
                {"fit"},
                65,
                {"phi_filtering.target_ranges", "-60, -30, 0, 30, 60, 90", "widen"}},
        Refused{"Pickled",
                flow_config("../io/objects.npz"),
                {"fit"},
                65,
                {"objects.npz", "pickle", "save numbers"}},
        Refused{"UnknownMode",
                flow_config("lam6_cache.npz", "turbulent"),
                {"fit"},
                65,
                {"c.yaml:1", "\"turbulent\" is not allowed", "static or laminar_flow"}},
        Refused{"TwoComponents",
                flow_config("lam6_cache.npz", "two_component"),
                {"fit"},
                65,
                {"\"two_component\" is not offered"}},
        Refused{"WrongUnit",
                flow_config("lam6_cache.npz",
                            "laminar_flow",
                            "parameter_space: {bounds: [{name: D1, min: 0, max: 1}]}\n"),
                {"fit"},
                65,
                {"D1"}},
        Refused{"Sigma", good, {"fit", "--sigma", "-1"}, 65, {"sigma -1", "0 takes it"}},
        Refused{"Scaling", good, {"fit", "--scaling", "none"}, 64, {"individual", "fourier"}},
        Refused{"HeldScale",
                with_fixed("contrast"),
                {"fit"},
                65,
                {"initial_parameters.fixed_parameters: contrast cannot be held", "--scaling"}},
        Refused{"HeldNothing", good, {"fit", "--fix", "D1"}, 65, {"--fix: \"D1\" is no parameter"}},
        Refused{"HeldAtNoNumber", good, {"fit", "--fix", "D0=x"}, 64, {"'D0=x' has no number"}},
        Refused{"HeldOutside", good, {"fit", "--fix", "alpha=3"}, 65, {"alpha", "upper bound 2"}},
        Refused{"LossScale", good, {"fit", "--loss-scale", "0"}, 64, {"--loss-scale"}},
        Refused{"Search", good, {"fit", "--search", "random"}, 64, {"cma-es"}},
        Refused{"Chains", good, {"sample", "--n-chains", "0"}, 64, {"--n-chains"}},
        Refused{"Option", good, {"fit", "--sgima", "1"}, 64, {"--sigma"}},
        Refused{
            "FarAngle", good, {"simulate", "--phi-angles", "0,400"}, 65, {"400", "(-180, 180]"}},
        Refused{
            "NoAngleAtAll", good, {"simulate", "--phi-angles", "x"}, 64, {"'x' must be numbers"}},
        Refused{"Contrast", good, {"simulate", "--contrast", "-1"}, 65, {"contrast -1", "[0, 1]"}},
        Refused{"NoContrast",
                good,
                {"simulate", "--contrast", "0", "--pixels", "80"},
                65,
                {"contrast 0", "(0, 1]"}},
        Refused{
            "NoNoise", good, {"simulate", "--noise-sigma", "nan"}, 64, {"'nan' must be a number"}},
        Refused{"PhotonsOfNothing", good, {"simulate", "--photons", "1"}, 64, {"--pixels"}},
        Refused{"TwoNoises",
                good,
                {"simulate", "--pixels", "80", "--noise-sigma", "0.1"},
                64,
                {"--noise-sigma"}}),
    [](const auto& refused) { return std::string(refused.param.name); });

TEST_F(XpcsCliTest, RefusesATruncatedFile) {
    const auto bytes = io::read_file(data_folder() / "lam6_aps_old.h5");
    const auto data = file("short.h5", bytes.substr(0, bytes.size() / 2));
    const auto config = file("c.yaml", flow_config("lam6_aps_old.h5"));

    for (const auto* command : {"validate", "fit"}) {
        const auto ended = run({"xpcs", command, config, "--data-file", data});

        EXPECT_EQ(ended.exit_code, 65) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(data + ": damaged HDF5 file: truncated"));
    }
}

TEST_F(XpcsCliTest, RanksEndTogetherWhereDataAreMissing) {
    const auto config = file("c.yaml", flow_config("gone.h5"));

    const auto ended = run(launched("2", work("run", config, "out")));

    EXPECT_EQ(ended.exit_code, 66);
    EXPECT_THAT(ended.err, HasSubstr("gone.h5"));
}

TEST_F(XpcsCliTest, NamesADamagedRecord) {
    const auto config = first("static");
    ASSERT_EQ(run(work("fit", config, "out")).exit_code, 0);
    io::write_file(path("out/fit.json"), "{\"format_version\": 1}");
    const auto damaged = run({"xpcs", "summary", path("out")});
    EXPECT_EQ(damaged.exit_code, 65);
    EXPECT_THAT(damaged.err, HasSubstr("fit.json"));
    fs::remove(path("out/fit.json"));
    EXPECT_EQ(run({"xpcs", "summary", path("out")}).exit_code, 66);
}

}  // namespace
}  // namespace lockstep::cli
