#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep {

/// 128-bit fingerprint of a result.
using Digest = std::array<std::uint64_t, 2>;

/// 32 lower-case hexadecimal digits: the 16 bytes of the hash in the order of the paper.
std::string to_string(const Digest& digest);

/// The digest of which to_string() made `text`; nothing for any other text.
std::optional<Digest> parse_digest(std::string_view text);

/// Numbers without padding.
template <typename T>
concept Hashable = std::is_arithmetic_v<T> && sizeof(T) <= 8;

/// Hashes a stream of bytes: SipHash-2-4 with 128-bit output and the key 00 01 … 0f.
///
/// The value depends on the bytes alone, not on how they were cut into calls. Numbers are fed in
/// little-endian order; -0.0 and +0.0 differ, as do NaNs of different bits. Strings and spans are
/// preceded by their length (u64), so that neighbours cannot run together.
/// @par Source  [AumassonBernstein2012]
class DigestBuilder {
public:
    void add_bytes(std::span<const std::byte> bytes);

    template <Hashable T>
    void add(T value) {
        add_bytes(std::as_bytes(std::span<const T, 1>(&value, 1)));
    }
    void add(std::string_view text);

    template <Hashable T>
    void add(std::span<const T> values) {
        add(static_cast<std::uint64_t>(values.size()));
        add_bytes(std::as_bytes(values));
    }

    template <Hashable T>
    void add(const std::vector<T>& values) {
        add(std::span<const T>(values));
    }

    /// Fingerprint of all bytes so far; adding may go on.
    [[nodiscard]] Digest digest() const;

private:
    // The key and the constants of the paper, with the mark of the 128-bit variant.
    std::array<std::uint64_t, 4> state_{
        0x7469686173716475, 0x6b617f6d656e668b, 0x6b7f62616d677361, 0x7b6b696e727e6c7b};
    std::array<std::byte, 8> tail_{};  // the last length_ % 8 bytes
    std::uint64_t length_ = 0;
};

}  // namespace lockstep
