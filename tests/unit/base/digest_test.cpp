#include "lockstep/base/digest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::vector<std::byte> counting_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i);
    }
    return bytes;
}

std::string digest_of(const std::vector<std::byte>& bytes) {
    DigestBuilder builder;
    builder.add_bytes(bytes);
    return to_string(builder.digest());
}

// Answers of OpenSSL 3.0.19: `openssl mac -macopt hexkey:00…0f -macopt size:16 SipHash` over bytes
// 00 01 02 …
TEST(DigestTest, GivesOpenSslsSipHashOfCountingBytes) {
    EXPECT_EQ(digest_of(counting_bytes(0)), "a3817f04ba25a8e66df67214c7550293");
    EXPECT_EQ(digest_of(counting_bytes(1)), "da87c1d86b99af44347659119b22fc45");
    EXPECT_EQ(digest_of(counting_bytes(2)), "8177228da4a45dc7fca38bdef60affe4");
    EXPECT_EQ(digest_of(counting_bytes(7)), "a1f1ebbed8dbc153c0b84aa61ff08239");
    EXPECT_EQ(digest_of(counting_bytes(8)), "3b62a9ba6258f5610f83e264f31497b4");
    EXPECT_EQ(digest_of(counting_bytes(9)), "264499060ad9baabc47f8b02bb6d71ed");
    EXPECT_EQ(digest_of(counting_bytes(63)), "5150d1772f50834a503e069a973fbd7c");
}

TEST(DigestTest, DoesNotSeeHowBytesWereCutIntoCalls) {
    const auto bytes = counting_bytes(40);
    const std::string whole = digest_of(bytes);

    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        DigestBuilder builder;
        for (std::size_t start = 0; start < bytes.size(); start += piece) {
            builder.add_bytes(
                std::span(bytes).subspan(start, std::min(piece, bytes.size() - start)));
        }
        EXPECT_EQ(to_string(builder.digest()), whole) << "pieces of " << piece;
    }
}

TEST(DigestTest, MayBeReadAndContinued) {
    DigestBuilder once;
    DigestBuilder twice;
    once.add(1.5);
    twice.add(1.5);
    static_cast<void>(twice.digest());
    once.add(7);
    twice.add(7);

    EXPECT_EQ(once.digest(), twice.digest());
}

template <typename... T>
Digest of(const T&... values) {
    DigestBuilder builder;
    (builder.add(values), ...);
    return builder.digest();
}

TEST(DigestTest, TellsNumbersApartByTheirBits) {
    EXPECT_NE(of(0.0), of(-0.0));
    EXPECT_NE(of(1), of(1.0F));
    EXPECT_NE(of(1), of(std::int64_t{1}));
    EXPECT_NE(of(std::numeric_limits<double>::quiet_NaN()),
              of(-std::numeric_limits<double>::quiet_NaN()));
}

TEST(DigestTest, KeepsNeighboursApart) {
    EXPECT_NE(of(std::string_view("ab"), std::string_view("c")),
              of(std::string_view("a"), std::string_view("bc")));
    EXPECT_NE(of(std::vector<int>{1, 2}, std::vector<int>{3}),
              of(std::vector<int>{1}, std::vector<int>{2, 3}));
    EXPECT_NE(of(std::vector<double>{}), of());
}

}  // namespace
}  // namespace lockstep
