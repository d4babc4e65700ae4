#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace lockstep {

/// 128-bit fingerprint of a result.
using Digest = std::array<std::uint64_t, 2>;

/// 32 lower-case hexadecimal digits.
std::string to_string(const Digest& digest);

/// Hashes a stream of bytes: SipHash-2-4 with 128-bit output and the key 00 01 … 0f.
///
/// The value depends on the bytes alone, not on how they were cut into calls. Numbers are fed in
/// little-endian order; -0.0 and +0.0 differ, as do NaNs of different bits. Strings and spans are
/// preceded by their length (u64), so that neighbours cannot run together.
/// @par Source  [AumassonBernstein2012]
class DigestBuilder {
public:
    void add_bytes(std::span<const std::byte> bytes);

    template <typename T>
        requires std::is_arithmetic_v<T>
    void add(T value) {
        add_bytes(std::as_bytes(std::span<const T, 1>(&value, 1)));
    }
    void add(std::string_view text);

    template <typename T>
        requires std::is_arithmetic_v<T>
    void add(std::span<const T> values) {
        add(static_cast<std::uint64_t>(values.size()));
        add_bytes(std::as_bytes(values));
    }

    /// Fingerprint of all bytes so far; adding may go on.
    [[nodiscard]] Digest digest() const;

private:
    std::array<std::uint64_t, 4> state_{};
    std::array<std::uint8_t, 8> tail_{};
    std::uint64_t length_ = 0;
    bool started_ = false;
    void compress(std::uint64_t word);
    void start();
};

}  // namespace lockstep
