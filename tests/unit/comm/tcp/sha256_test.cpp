#include "comm/tcp/sha256.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::string hex(const Sha256Digest& digest) {
    std::string text;
    for (const std::byte byte : digest) {
        text += fmt::format("{:02x}", std::to_integer<int>(byte));
    }
    return text;
}

// Examples of NIST for FIPS 180-4: no block, one block, two blocks.
TEST(Sha256Test, HashesTheExamplesOfTheStandard) {
    EXPECT_EQ(hex(sha256(bytes_of(""))),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256(bytes_of("abc"))),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256Test, HashesAMillionLettersHoweverTheyAreCut) {
    for (const std::size_t part : {1U, 63U, 64U, 65U, 1000U}) {
        Sha256 hash;
        const std::string letters(part, 'a');
        std::size_t left = 1'000'000;
        for (; left >= part; left -= part) {
            hash.add(bytes_of(letters));
        }
        hash.add(bytes_of(letters).first(left));
        EXPECT_EQ(hex(hash.finish()),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

// RFC 4231, test cases 1, 2, 3 and 6 (a key that is longer than a block).
TEST(Sha256Test, KeysTheHashAsInTheExamplesOfTheRfc) {
    EXPECT_EQ(hex(hmac_sha256(bytes_of(std::string(20, '\x0b')), bytes_of("Hi There"))),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(hmac_sha256(bytes_of("Jefe"), bytes_of("what do ya want for nothing?"))),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(
        hex(hmac_sha256(bytes_of(std::string(20, '\xaa')), bytes_of(std::string(50, '\xdd')))),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    EXPECT_EQ(hex(hmac_sha256(bytes_of(std::string(131, '\xaa')),
                              bytes_of("Test Using Larger Than Block-Size Key - Hash Key First"))),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Sha256Test, ComparesEveryByte) {
    const Sha256Digest digest = sha256(bytes_of("abc"));
    EXPECT_TRUE(are_equal(digest, digest));
    for (std::size_t i = 0; i < digest.size(); ++i) {
        Sha256Digest other = digest;
        other[i] ^= std::byte{1};
        EXPECT_FALSE(are_equal(digest, other));
    }
}

}  // namespace
}  // namespace lockstep::comm
