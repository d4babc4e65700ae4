#include "runtime/cpu_quota.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

class CpuQuotaTest : public testing::Test {
protected:
    CpuQuotaTest() : root_(fs::temp_directory_path() / ("cpu_quota_" + std::to_string(getpid()))) {}
    ~CpuQuotaTest() override { fs::remove_all(root_); }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }
    [[nodiscard]] std::optional<double> quota(const std::string& membership) const {
        return cpu_quota(root_, membership);
    }

private:
    fs::path root_;
};

TEST_F(CpuQuotaTest, ReadsTheGroupOfVersion2) {
    write("jobs/seven/cpu.max", "150000 100000\n");

    EXPECT_EQ(quota("0::/jobs/seven\n"), 1.5);
}

TEST_F(CpuQuotaTest, TakesTheTightestLimitUpToTheRoot) {
    write("jobs/cpu.max", "200000 100000\n");
    write("jobs/seven/cpu.max", "max 100000\n");
    EXPECT_EQ(quota("0::/jobs/seven\n"), 2);

    write("cpu.max", "50000 100000\n");
    EXPECT_EQ(quota("0::/jobs/seven\n"), 0.5);
}

TEST_F(CpuQuotaTest, ReadsTheRootWhenThePathIsThatOfTheHost) {
    write("cpu.max", "300000 100000\n");

    EXPECT_EQ(quota("0::/../../kubepods/pod1\n"), 3);
    EXPECT_EQ(quota("0::/\n"), 3);
}

TEST_F(CpuQuotaTest, ReadsVersion1BesideOtherControllers) {
    write("cpu/docker/1/cpu.cfs_quota_us", "250000\n");
    write("cpu/docker/1/cpu.cfs_period_us", "100000\n");

    EXPECT_EQ(quota("5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:cpuset:/\n"), 2.5);
}

TEST_F(CpuQuotaTest, FindsNoLimit) {
    write("a/cpu.max", "max 100000\n");
    write("cpu/a/cpu.cfs_quota_us", "-1\n");
    write("cpu/a/cpu.cfs_period_us", "100000\n");

    EXPECT_EQ(quota("0::/a\n4:cpu:/a\n"), std::nullopt);
    EXPECT_EQ(quota("0::/missing\n"), std::nullopt);
    EXPECT_EQ(quota(""), std::nullopt);
    EXPECT_EQ(quota("no colons"), std::nullopt);
}

TEST(UsableCpusTest, IsAtLeastOne) {
    EXPECT_GE(usable_cpus(), 1);
}

}  // namespace
}  // namespace lockstep::runtime
