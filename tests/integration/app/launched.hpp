#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/types.h>

#include "integration/app/case_copy.hpp"
#include "integration/app/program.hpp"

namespace lockstep::cli {

using Words = std::vector<std::string>;

/// The words of all one after the other.
Words joined(const std::vector<Words>& parts);

/// How often a text holds a part.
int count(const std::string& text, const std::string& part);

/// For run(): variables of the program's environment.
std::function<void()> with_environment(const Words& names_and_values);

/// Runs of a copy of 1dtoy under `lockstep launch`. Tests leave no process behind.
class LaunchedTest : public testing::Test {
public:
    LaunchedTest();
    ~LaunchedTest() override;

protected:
    /// More iterations than a test waits for.
    static constexpr int endless = 1'000'000;
    /// What rank 0 tells when training is well under way.
    static constexpr const char* under_way = "\n       12 ";

    /// Processes that the test has started and that do not end.
    [[nodiscard]] std::vector<pid_t> left_processes() const;

    /// "run CASE" for so many iterations, to the output of the copy.
    [[nodiscard]] Words job(int iterations, const Words& more = {}, int threads = 1) const;
    /// "launch -n RANKS OPTIONS -- PROGRAM JOB".
    static Words launch(int ranks, const Words& job, const Words& options = {});

    /// Whether the output has the bits of one rank that nobody disturbed in so many iterations.
    [[nodiscard]] testing::AssertionResult has_bits_of(int iterations) const;
    /// Iterations that the output tells of.
    [[nodiscard]] int trained_iterations() const;
    [[nodiscard]] std::filesystem::path checkpoints() const {
        return std::filesystem::path(copy.output()) / "checkpoints";
    }

    CaseCopy copy;
};

}  // namespace lockstep::cli
