#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/hdf5.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;

TEST(Hdf5NotBuiltTest, SaysHowToGetIt) {
    EXPECT_FALSE(has_hdf5());
    for (const std::string& message : {message_of<NotBuiltError>([] { open_hdf5("a.h5"); }),
                                       message_of<NotBuiltError>([] { create_hdf5("a.h5"); })}) {
        EXPECT_THAT(message, HasSubstr("a.h5: HDF5 is not in this build"));
        EXPECT_THAT(message, HasSubstr("-DLOCKSTEP_WITH_HDF5=ON"));
    }
}

}  // namespace
}  // namespace lockstep::io
