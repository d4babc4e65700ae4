#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::comm {

using Sha256Digest = std::array<std::byte, 32>;

/// Hashes a stream of bytes, however it is cut into calls.
/// @par Source  FIPS 180-4, section 6.2
class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    /// Hash of all bytes so far; ends the stream.
    [[nodiscard]] Sha256Digest finish();

private:
    void compress();

    // First 32 bits of the fractions of the square roots of the first eight primes.
    std::array<std::uint32_t, 8> state_{0x6a09e667,
                                        0xbb67ae85,
                                        0x3c6ef372,
                                        0xa54ff53a,
                                        0x510e527f,
                                        0x9b05688c,
                                        0x1f83d9ab,
                                        0x5be0cd19};
    std::array<std::byte, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t length_ = 0;
};

Sha256Digest sha256(std::span<const std::byte> bytes);

/// Keyed hash of the message.
/// @par Source  RFC 2104, section 2
Sha256Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message);

/// Whether both are equal, in a time that does not tell where they differ.
bool are_equal(const Sha256Digest& a, const Sha256Digest& b) noexcept;

}  // namespace lockstep::comm
