#include "lockstep/formats/xpcs/records.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::xpcs {
namespace {

using io::message_of;
using testing::HasSubstr;

DataRecord some_data() {
    return {"run.h5", "APS-U", 0.0054, 2e6, 0.1, 63, 2, 3906, {"the matrices are halves"}};
}

FitRecord some_fit() {
    FitRecord record;
    record.data = some_data();
    record.mode = "laminar_flow";
    record.shear_term = "paper";
    record.scaling = "averaged";
    record.chi_squared = 3900.25;
    record.degrees_of_freedom = 3897;
    record.ending = "converged";
    record.is_converged = true;
    record.iterations = 5;
    record.evaluations = 6;
    record.gradient = 1e-9;
    record.condition = 340;
    record.remark = "none";
    record.error_method = "speckle";
    record.values = {{"D0", "Å²/s", 12000.5, 100, 20, "", "both"},
                     {"alpha", "1", -2, {}, {}, "lower"}};
    record.held = {{"phi0", "deg", -5}};
    record.objective = "compat-grid";
    record.legacy_chi_squared = 29627.8;
    record.loss = "cauchy";
    record.loss_scale = 2;
    record.minimised = 3000.5;
    record.search =
        SearchRecord{"multi-start", 6, 0, 10, 3950, false, true, {{3900.25, 4, {1e4, -0.5}}}};
    record.sequential =
        SequentialRecord{true, "uniform", {{-30, true, 1950, "converged", {1e4, -0.5}}}};
    record.penalty = 2.5;
    record.angles = {{-30, 0.3, 1, 0.004, 0.0041, 0.2, 30000},
                     {60, 0.2, 1.1, 0.005, 0.005, {}, {}}};
    record.covariance = {{3e15, std::nullopt}, {std::nullopt, std::nullopt}};
    record.start = {1e4, -0.5};
    record.individual =
        IndividualRecord{3800, 100.25, 2, true, {{"D0", "Å²/s", 12100, 110, 21, ""}}};
    record.seconds = 0.25;
    record.digest = "0123";
    return record;
}

PosteriorRecord some_posterior() {
    PosteriorRecord record;
    record.data = some_data();
    record.mode = "static";
    record.scaling = "individual";
    record.method = "chains";
    record.chains = 4;
    record.draws = 1000;
    record.quantities = {{"D0", 12000, 100, 11800, 11999, 12200, 1.001, 4000, 3000, 1.5},
                         {"sigma", 0.004, 1e-5, 0.0039, 0.004, 0.0041, {}, 1, 2, 3}};
    record.points = 8000;
    record.pareto_k = 0.1;
    record.effective_size = 7900.5;
    record.leapfrogs = 40000;
    record.divergences = 0;
    record.acceptance = 0.9;
    record.e_bfmi = {1.0, 0.9};
    record.remarks = {"the fit holds outliers back"};
    record.is_complete = false;
    record.seconds = 0.5;
    record.digest = "4567";
    return record;
}

class XpcsRecordsTest : public testing::Test {
protected:
    /// The text of a file with another one in place of `part`.
    void change(const std::string& name, const std::string& part, const std::string& other) const {
        auto text = io::read_file(folder_ / name);
        const auto place = text.find(part);
        ASSERT_NE(place, text.npos) << part;
        io::write_file(folder_ / name, text.replace(place, part.size(), other));
    }
    io::TemporaryFolder folder_;
};

TEST_F(XpcsRecordsTest, AFitComesBack) {
    write_fit(folder_.path(), some_fit());
    const auto read = read_fit(folder_.path());

    EXPECT_EQ(io::to_text(to_json(read)), io::to_text(to_json(some_fit())));
    EXPECT_EQ(read.data.notes, some_data().notes);
    EXPECT_EQ(read.values[0].error, 100);
    EXPECT_EQ(read.values[1].error, std::nullopt);
    EXPECT_EQ(read.values[1].bound, "lower");
    EXPECT_EQ(read.angles[0].pixels, 30000);
    EXPECT_EQ(read.angles[1].photons, std::nullopt);
    EXPECT_EQ(read.covariance, some_fit().covariance);
    EXPECT_EQ(read.values[0].cut, "both");
    EXPECT_EQ(read.objective, "compat-grid");
    EXPECT_EQ(read.legacy_chi_squared, 29627.8);
    EXPECT_TRUE(read.search->is_result);
    EXPECT_EQ(read.held[0].value, -5);
    ASSERT_TRUE(read.search);
    EXPECT_EQ(read.search->minima[0].physical[1], -0.5);
    ASSERT_TRUE(read.individual);
    EXPECT_EQ(read.individual->values[0].value, 12100);
    EXPECT_EQ(read.digest, "0123");
}

TEST_F(XpcsRecordsTest, ShardsComeBack) {
    auto posterior = some_posterior();
    ConsensusRecord consensus;
    consensus.shards = 2;
    consensus.kept = 1;
    consensus.sharding = {"stratified", "per_angle", "there is one angle"};
    consensus.combination = {"precision", "density_product", "k = 1.2"};
    consensus.variation = VariationRecord{"D_offset", 0.7};
    consensus.farm = {"threads", 2, "auto", ""};
    consensus.each.resize(2);
    consensus.each[0].phi = 45;
    consensus.each[0].method = "chains";
    consensus.each[0].acceptance = 0.9;
    consensus.each[0].verdict = "kept";
    consensus.each[0].values = {{"D0", 12000, 200, 1.002, 900}, {"alpha", -0.5, 0.01, {}, {}}};
    consensus.each[1].verdict = "degenerate";
    posterior.consensus = consensus;
    write_posterior(folder_.path(), posterior);
    const auto read = read_posterior(folder_.path());

    EXPECT_EQ(io::to_text(to_json(read)), io::to_text(to_json(posterior)));
    EXPECT_EQ(read.consensus->sharding.remark, "there is one angle");
    EXPECT_EQ(read.consensus->combination.asked, "density_product");
    EXPECT_EQ(read.consensus->variation->parameter, "D_offset");
    EXPECT_EQ(read.consensus->each[0].phi, 45);
    EXPECT_EQ(read.consensus->each[0].values[0].rhat, 1.002);
    EXPECT_EQ(read.consensus->each[1].values.size(), 0U);
}

TEST_F(XpcsRecordsTest, AnInfiniteConditionComesBack) {
    auto fit = some_fit();
    fit.condition.reset();
    write_fit(folder_.path(), fit);
    EXPECT_FALSE(read_fit(folder_.path()).condition.has_value());
}

TEST_F(XpcsRecordsTest, AFitWithoutAnIndividualOneComesBack) {
    auto record = some_fit();
    record.individual.reset();
    record.covariance.clear();
    write_fit(folder_.path(), record);

    EXPECT_FALSE(read_fit(folder_.path()).individual);
    EXPECT_TRUE(read_fit(folder_.path()).covariance.empty());
}

TEST_F(XpcsRecordsTest, APosteriorComesBack) {
    write_posterior(folder_.path(), some_posterior());
    const auto read = read_posterior(folder_.path());

    EXPECT_EQ(io::to_text(to_json(read)), io::to_text(to_json(some_posterior())));
    EXPECT_EQ(read.quantities[0].rhat, 1.001);
    EXPECT_EQ(read.quantities[1].rhat, std::nullopt);
    EXPECT_EQ(read.divergences, 0);
    EXPECT_EQ(read.e_bfmi, some_posterior().e_bfmi);
    EXPECT_FALSE(read.is_complete);
}

TEST_F(XpcsRecordsTest, WhatIsMissingIsNamed) {
    EXPECT_THROW(read_fit(folder_.path()), IoError);
    EXPECT_THROW(read_posterior(folder_.path()), IoError);
}

TEST_F(XpcsRecordsTest, DamageIsNamedWithFileAndField) {
    const auto refusal = [&] { return message_of<InputError>([&] { read_fit(folder_.path()); }); };
    write_fit(folder_.path(), some_fit());
    change("fit.json", "\"chi_squared\": 3900.25", "\"chi_squared\": \"much\"");
    EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("fit.json"), HasSubstr("chi_squared")));

    write_fit(folder_.path(), some_fit());
    change("fit.json", "\"values\"", "\"valeus\"");
    EXPECT_THAT(refusal(), HasSubstr("values"));

    write_fit(folder_.path(), some_fit());
    change("fit.json", "\"format_version\": 1", "\"format_version\": 99");
    EXPECT_THAT(refusal(), HasSubstr("format_version"));

    write_fit(folder_.path(), some_fit());
    const auto text = io::read_file(folder_ / "fit.json");
    io::write_file(folder_ / "fit.json", text.substr(0, text.size() / 2));
    EXPECT_THAT(refusal(), HasSubstr("fit.json"));

    write_posterior(folder_.path(), some_posterior());
    change("posterior.json", "\"draws\": 1000", "\"draws\": 1.5");
    EXPECT_THAT(message_of<InputError>([&] { read_posterior(folder_.path()); }),
                testing::AllOf(HasSubstr("posterior.json"), HasSubstr("draws")));
}

}  // namespace
}  // namespace lockstep::formats::xpcs
