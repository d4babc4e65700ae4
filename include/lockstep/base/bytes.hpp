#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "lockstep/base/error.hpp"

namespace lockstep {

/// Appends values as they lie in memory; arrays with their length (64 bits) first.
///
/// What it writes is for the same build on a machine of the same byte order: between ranks, which
/// check that they are one program, and in checkpoints, whose manifest names the build. Padding of
/// structs is written as it lies; types with padding would make equal values differ.
class ByteWriter {
public:
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void add(const T& value) { append(std::as_bytes(std::span<const T>(&value, 1))); }
    template <typename T>
    requires std::is_trivially_copyable_v<T>
    void add_array(std::span<const T> values) {
        add(static_cast<std::uint64_t>(values.size()));
        append(std::as_bytes(values));
    }
    template <typename T>
    void add_array(const std::vector<T>& values) {
        add_array(std::span<const T>(values));
    }

    /// All that was added, without what lies between values: there is no alignment.
    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
    /// The same, moved out; the writer must not be used any more.
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void append(std::span<const std::byte> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> bytes_;
};

/// Reads back what a ByteWriter wrote, in the same order and as the same types. Every length is
/// checked against what is there before memory is asked for: damaged bytes are an InputError, never
/// a read beyond the end or a huge allocation. What a value means is for the caller to check.
///
/// The bytes belong to somebody else and must outlive the reader and the views it gives.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    /// @throws InputError  the bytes end before the value does
    template <typename T>
    requires std::is_trivially_copyable_v<T> T read() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    /// @throws InputError  the bytes end before the array does
    template <typename T>
    requires std::is_trivially_copyable_v<T> std::vector<T> read_array() {
        const auto bytes = view_array<T>();
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!bytes.empty()) {
            std::memcpy(values.data(), bytes.data(), bytes.size());
        }
        return values;
    }

    /// Skips an array: its bytes, where they lie.
    /// @throws InputError  the bytes end before the array does
    template <typename T>
    requires std::is_trivially_copyable_v<T> std::span<const std::byte> view_array() {
        const auto length = read<std::uint64_t>();
        if (length > rest_.size() / sizeof(T)) {
            throw InputError("data is cut off in an array");
        }
        return take(static_cast<std::size_t>(length) * sizeof(T));
    }

    /// What was not read yet.
    [[nodiscard]] std::span<const std::byte> rest() const noexcept { return rest_; }
    /// A caller that has read all it knows of checks this: bytes left over are a mistake, too.
    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

private:
    std::span<const std::byte> take(std::size_t count) {
        if (count > rest_.size()) {
            throw InputError("data is cut off");
        }
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    std::span<const std::byte> rest_;
};

}  // namespace lockstep
