#include "runtime/control_groups.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/runtime/topology.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

class ControlGroupsTest : public testing::Test {
protected:
    ControlGroupsTest()
        : root_(fs::temp_directory_path() / ("control_groups_" + std::to_string(getpid()))) {}
    ~ControlGroupsTest() override { fs::remove_all(root_); }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }
    [[nodiscard]] std::optional<double> quota(const std::string& membership) const {
        return cpu_quota(root_, membership);
    }
    [[nodiscard]] std::optional<std::int64_t> memory(const std::string& membership) const {
        return memory_limit(root_, membership);
    }

private:
    fs::path root_;
};

TEST_F(ControlGroupsTest, ReadsTheGroupOfVersion2) {
    write("jobs/seven/cpu.max", "150000 100000\n");

    EXPECT_EQ(quota("0::/jobs/seven\n"), 1.5);
}

TEST_F(ControlGroupsTest, TakesTheTightestLimitUpToTheRoot) {
    write("jobs/cpu.max", "200000 100000\n");
    write("jobs/seven/cpu.max", "max 100000\n");
    EXPECT_EQ(quota("0::/jobs/seven\n"), 2);

    write("cpu.max", "50000 100000\n");
    EXPECT_EQ(quota("0::/jobs/seven\n"), 0.5);
}

TEST_F(ControlGroupsTest, ReadsTheRootWhenThePathIsThatOfTheHost) {
    write("cpu.max", "300000 100000\n");

    EXPECT_EQ(quota("0::/../../kubepods/pod1\n"), 3);
    EXPECT_EQ(quota("0::/\n"), 3);
}

TEST_F(ControlGroupsTest, ReadsVersion1BesideOtherControllers) {
    write("cpu/docker/1/cpu.cfs_quota_us", "250000\n");
    write("cpu/docker/1/cpu.cfs_period_us", "100000\n");

    EXPECT_EQ(quota("5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:cpuset:/\n"), 2.5);
}

TEST_F(ControlGroupsTest, FindsNoLimit) {
    write("a/cpu.max", "max 100000\n");
    write("cpu/a/cpu.cfs_quota_us", "-1\n");
    write("cpu/a/cpu.cfs_period_us", "100000\n");

    EXPECT_EQ(quota("0::/a\n4:cpu:/a\n"), std::nullopt);
    EXPECT_EQ(quota("0::/missing\n"), std::nullopt);
    EXPECT_EQ(quota(""), std::nullopt);
    EXPECT_EQ(quota("no colons"), std::nullopt);
}

TEST_F(ControlGroupsTest, ReadsTheTightestLimitOfMemory) {
    write("jobs/memory.max", "2147483648\n");
    write("jobs/seven/memory.max", "max\n");
    write("memory/docker/1/memory.limit_in_bytes", "1073741824\n");

    EXPECT_EQ(memory("0::/jobs/seven\n"), std::int64_t{2} << 30);
    EXPECT_EQ(memory("4:memory:/docker/1\n0::/jobs\n"), std::int64_t{1} << 30);
    EXPECT_EQ(memory("4:cpu:/docker/1\n0::/other\n"), std::nullopt);
}

TEST(UsableMemoryTest, IsThatOfTheMachineOrLess) {
    EXPECT_GT(usable_memory(), 0);
    EXPECT_LE(usable_memory(), std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

TEST(UsableCpusTest, IsAtLeastOne) {
    EXPECT_GE(usable_cpus(), 1);
}

}  // namespace
}  // namespace lockstep::runtime
