#include "comm/tcp/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::comm::tcp {
namespace {

using testing::HasSubstr;

std::string comm_error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

Bytes bytes_of(const std::vector<int>& numbers) {
    Bytes bytes;
    for (const int number : numbers) {
        bytes.push_back(static_cast<std::byte>(number));
    }
    return bytes;
}

EncodedHeader with_byte(std::size_t at, int value) {
    EncodedHeader header = encode({Tag::ring, 1, 2, 3});
    header[at] = static_cast<std::byte>(value);
    return header;
}

TEST(TcpFrameTest, LaysAHeaderOutAsDocumented) {
    const EncodedHeader header = encode({Tag::ring, 0x01020304, 0x05060708, 0x1122334455667788});

    EXPECT_EQ(Bytes(header.begin(), header.end()),
              bytes_of({'L',  'S',  1,    static_cast<int>(Tag::ring),
                        0,    0,    0,    0,
                        1,    2,    3,    4,
                        5,    6,    7,    8,
                        0x11, 0x22, 0x33, 0x44,
                        0x55, 0x66, 0x77, 0x88}));
}

TEST(TcpFrameTest, ReadsWhatItWrote) {
    for (int tag = 1; tag <= last_tag; ++tag) {
        const FrameHeader header{static_cast<Tag>(tag), 4000000000, 17, std::uint64_t{1} << 40};
        EXPECT_EQ(decode(encode(header)), header);
    }
}

TEST(TcpFrameTest, RefusesWhatIsNoFrame) {
    EXPECT_EQ(comm_error_of([] { decode(with_byte(0, 'G')); }),
              "tcp: what came is no message of this program");
    EXPECT_EQ(comm_error_of([] { decode(with_byte(2, 9)); }),
              "tcp: wire version 9, this rank speaks 1");
    EXPECT_EQ(comm_error_of([] { decode(with_byte(3, 0)); }),
              "tcp: unknown kind of message (tag 0, flags 0)");
    EXPECT_EQ(comm_error_of([] { decode(with_byte(3, last_tag + 1)); }),
              "tcp: unknown kind of message (tag " + std::to_string(last_tag + 1) + ", flags 0)");
    EXPECT_EQ(comm_error_of([] { decode(with_byte(7, 1)); }),
              "tcp: unknown kind of message (tag " + std::to_string(static_cast<int>(Tag::ring)) +
                  ", flags 1)");
}

TEST(TcpFrameTest, SaysWhatCameInsteadOfWhat) {
    EXPECT_NO_THROW(check_header({Tag::ring, 1, 0, 8}, {Tag::ring, 1, 0, 8}));
    EXPECT_EQ(comm_error_of([] {
                  check_header({Tag::pair, 4, 0, 16}, {Tag::ring, 3, 0, 8});
              }),
              "tcp: ranks are out of step: pair 4 of 16 bytes came, ring 3 of 8 bytes was "
              "expected");
}

TEST(TcpFrameTest, UnpacksWhatWasPacked) {
    const Bytes packed = Packer()
                             .number(std::uint8_t{7})
                             .number(std::uint64_t{1} << 63)
                             .text("löwe")
                             .text("")
                             .number(std::uint16_t{500})
                             .take();

    Unpacker fields(packed);
    EXPECT_EQ(fields.number<std::uint8_t>(), 7);
    EXPECT_EQ(fields.number<std::uint64_t>(), std::uint64_t{1} << 63);
    EXPECT_EQ(fields.text(), "löwe");
    EXPECT_EQ(fields.text(), "");
    EXPECT_EQ(fields.number<std::uint16_t>(), 500);
    EXPECT_NO_THROW(fields.finish());
}

TEST(TcpFrameTest, NoticesBytesThatAreMissingOrLeft) {
    const Bytes three = bytes_of({0, 0, 1});
    EXPECT_EQ(comm_error_of([&] { static_cast<void>(Unpacker(three).number<std::uint32_t>()); }),
              "tcp: a message ends 1 bytes too early");
    EXPECT_EQ(comm_error_of([&] { Unpacker(three).finish(); }),
              "tcp: a message has 3 bytes too many");
    // A text that claims four gigabytes.
    const Bytes long_text = bytes_of({255, 255, 255, 255, 'a'});
    EXPECT_THAT(comm_error_of([&] { static_cast<void>(Unpacker(long_text).text()); }),
                HasSubstr("too early"));
}

TEST(TcpFrameTest, PutsFramesTogetherFromSingleBytes) {
    Bytes stream = frame_bytes({Tag::message, 0, 5}, bytes_of({1, 2, 3}));
    const Bytes second = frame_bytes({Tag::ping}, {});
    stream.insert(stream.end(), second.begin(), second.end());

    FrameReader reader(16);
    std::vector<Frame> frames;
    for (const std::byte byte : stream) {
        reader.add({&byte, 1});
        while (auto frame = reader.next()) {
            frames.push_back(*frame);
        }
    }

    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].header, (FrameHeader{Tag::message, 0, 5, 3}));
    EXPECT_EQ(frames[0].payload, bytes_of({1, 2, 3}));
    EXPECT_EQ(frames[1].header.tag, Tag::ping);
}

TEST(TcpFrameTest, RefusesAFrameThatIsTooLongBeforeItComes) {
    FrameReader reader(16);
    reader.add(encode({Tag::message, 0, 0, std::uint64_t{1} << 50}));

    EXPECT_THAT(comm_error_of([&] { static_cast<void>(reader.next()); }),
                HasSubstr("is longer than 16 bytes"));
}

}  // namespace
}  // namespace lockstep::comm::tcp
