#pragma once

#include <string>

#include <gtest/gtest.h>

#include "integration/app/program.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::cli {

/// Runs of the program on the sample at rest that `lockstep xpcs init` makes up, in a folder that
/// goes with the test.
class FirstSampleTest : public testing::Test {
protected:
    void SetUp() override {
        const auto made = run({"xpcs", "init", path("first"), "--mode", "static"});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::string config() const { return path("first/config.yaml"); }

private:
    app::TemporaryFolder folder_;
};

}  // namespace lockstep::cli
