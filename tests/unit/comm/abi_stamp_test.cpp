#include "comm/abi_stamp.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(AbiStampTest, TellsHowBytesLie) {
    EXPECT_EQ(raw_layout(), "wire 1, little-endian, 8-byte pointers, 8-byte doubles");
}

TEST(AbiStampTest, TellsTheBuild) {
    const auto stamp = program_stamp();
    EXPECT_THAT(stamp, StartsWith(raw_layout() + ", build "));
    EXPECT_THAT(stamp, MatchesRegex(".* build [0-9a-f]+ of lockstep .*"));
    EXPECT_THAT(stamp, HasSubstr(build_info().version));
    EXPECT_THAT(stamp, HasSubstr(build_info().commit));
    EXPECT_THAT(stamp, HasSubstr(build_info().compiler));
}

// What is cut off lies behind the fingerprint of the whole build.
TEST(AbiStampTest, TravelsWithAsManyCharactersAsFit) {
    run_in_process(2, [](Communicator& comm) {
        const std::string same(256, 'a');
        EXPECT_NO_THROW(check_same_program(comm, same + (comm.rank() == 0 ? "b" : "c")));
        EXPECT_THROW(check_same_program(comm, same.substr(1) + (comm.rank() == 0 ? "b" : "c")),
                     WrongProgram);
        EXPECT_THROW(check_same_program(comm, comm.rank() == 0 ? "b" : "bc"), WrongProgram);
    });
}

}  // namespace
}  // namespace lockstep::comm
