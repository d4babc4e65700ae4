#include "io/page/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::io {
namespace {

using testing::HasSubstr;

TEST(ImageTest, Base64IsThatOfTheStandard) {  // RFC 4648, section 10
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(ImageTest, PngHasTheChunksOfTheStandardWithTheirChecksums) {
    const std::string png = to_png({2, 1, {{0, 0, 0}, {255, 0, 0}}, {0, 1}});

    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_THAT(png,
                HasSubstr(std::string("\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x03\0\0\0", 21)));
    EXPECT_THAT(png, HasSubstr(std::string("\0\0\0\x06PLTE\0\0\0\xff\0\0", 14)));
    EXPECT_THAT(png, HasSubstr("tRNS"));
    // The checksum of an empty IEND is in every PNG file.
    EXPECT_EQ(png.substr(png.size() - 12), std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

}  // namespace
}  // namespace lockstep::io
