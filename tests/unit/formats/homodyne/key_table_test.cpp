#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"

namespace lockstep::formats::homodyne {
namespace {

std::string row(const KeyUse& key) {
    const char* const use = key.use == Use::acts      ? "acts"
                            : key.use == Use::ignored ? "ignored"
                                                      : "refused";
    return fmt::format("| `{}` | {} | {} |", key.path, use, key.note);
}

TEST(HomodyneKeyTableTest, StandsInTheManual) {
    std::istringstream manual(io::read_file(test::source_dir() / "docs/xpcs/configuration.md"));
    std::vector<std::string> found;
    for (std::string line; std::getline(manual, line);) {
        if (line.starts_with("| `")) {
            found.push_back(line);
        }
    }
    std::vector<std::string> wanted;
    for (const KeyUse& key : key_table()) {
        wanted.push_back(row(key));
    }

    EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace lockstep::formats::homodyne
