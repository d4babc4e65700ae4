#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "lockstep/base/error.hpp"

namespace lockstep {

/// Appends values as they lie in memory; arrays with their length first.
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

    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void append(std::span<const std::byte> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> bytes_;
};

/// Reads back what a ByteWriter wrote.
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
