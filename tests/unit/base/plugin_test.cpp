#include "lockstep/base/plugin.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

TEST(PluginTest, IsLookedForBesideTheProgramFirst) {
    const auto folders = plugin_folders();
    const auto program = fs::read_symlink("/proc/self/exe").parent_path().string();
    ASSERT_FALSE(folders.empty());
    EXPECT_EQ(folders.front(), program);
}

TEST(PluginTest, IsLookedForOnceInAFolder) {
    auto folders = plugin_folders();
    std::ranges::sort(folders);
    EXPECT_EQ(std::ranges::adjacent_find(folders), folders.end());
    EXPECT_EQ(std::ranges::find(folders, ""), folders.end());
}

TEST(PluginTest, IsTheFirstThatIsThere) {
    const auto here = fs::temp_directory_path() / "lockstep_plugin_test";
    fs::create_directories(here / "two");
    fs::create_directories(here / "three");
    std::ofstream(here / "two/p.so") << "x";
    std::ofstream(here / "three/p.so") << "x";
    const std::vector<std::string> folders{here / "one", here / "two", here / "three"};
    EXPECT_EQ(find_plugin(folders, "p.so"), here / "two/p.so");
    EXPECT_TRUE(find_plugin(folders, "q.so").empty());
    fs::remove_all(here);
}

TEST(PluginTest, OfThisBuildIsFoundByItsTests) {
    EXPECT_FALSE(find_plugin(plugin_folders(), "lockstep_parquet.so").empty());
}

}  // namespace
}  // namespace lockstep
