#include <string>

#include <gtest/gtest.h>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::formats::cobre {
namespace {

namespace subject = sddp::subject;

Problem located(const char* about, const std::string& entity) {
    Problems found;
    found.add(ProblemKind::invalid_value, about, entity, "wrong");
    Problems problems;
    add_located(found, problems);
    return problems.all().at(0);
}

TEST(SubjectsTest, EverySubjectStandsInAFile) {
    for (const auto about : subject::all) {
        const auto problem = located(about.data(), "hydro 3");
        EXPECT_TRUE(problem.file.ends_with(".json") || problem.file.ends_with(".parquet")) << about;
        EXPECT_TRUE(problem.entity.ends_with("hydro 3")) << about;
    }
}

TEST(SubjectsTest, NamesTheField) {
    EXPECT_EQ(to_string(located(subject::non_negativity, "")),
              "[InvalidValue] config.json (modeling.inflow_non_negativity): wrong");
    EXPECT_EQ(to_string(located(subject::season_map, "cycle")),
              "[InvalidValue] stages.json (season_definitions: cycle): wrong");
    EXPECT_EQ(to_string(located(subject::openings, "stage 1")),
              "[InvalidValue] scenarios/noise_openings.parquet (stage 1): wrong");
}

TEST(SubjectsTest, WhatIsNoSubjectStays) {
    EXPECT_EQ(located("a file", "x").file, "a file");
}

}  // namespace
}  // namespace lockstep::formats::cobre
