#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/base/error.hpp"

namespace lockstep {

/// A list that is filled like a std::vector and may then be placed in memory that is held
/// elsewhere, for example once for several processes. From then on it is read only: to change its
/// length is an AssertionError, to write an element is not found out.
///
/// Copies of a placed list share its memory.
template <typename T>
class SharedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using const_iterator = const T*;

    SharedArray() = default;
    SharedArray(std::vector<T> values) : own_(std::move(values)) {}
    SharedArray(std::initializer_list<T> values) : own_(values) {}
    explicit SharedArray(std::size_t count, const T& fill = T()) : own_(count, fill) {}

    [[nodiscard]] std::size_t size() const noexcept { return owner_ ? size_ : own_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] const T* data() const noexcept { return owner_ ? placed_ : own_.data(); }
    [[nodiscard]] const T* begin() const noexcept { return data(); }
    [[nodiscard]] const T* end() const noexcept { return data() + size(); }
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }
    [[nodiscard]] const T& front() const noexcept { return *begin(); }
    [[nodiscard]] const T& back() const noexcept { return *(end() - 1); }
    operator std::span<const T>() const noexcept { return {data(), size()}; }
    friend bool operator==(const SharedArray& a, const SharedArray& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

    [[nodiscard]] T& operator[](std::size_t index) noexcept {
        return const_cast<T&>(data()[index]);
    }
    [[nodiscard]] T* begin() noexcept { return const_cast<T*>(data()); }
    [[nodiscard]] T* end() noexcept { return begin() + size(); }
    [[nodiscard]] T& front() noexcept { return *begin(); }
    [[nodiscard]] T& back() noexcept { return *(end() - 1); }
    void push_back(const T& value) { growing().push_back(value); }
    void reserve(std::size_t count) { growing().reserve(count); }
    void resize(std::size_t count, const T& fill = T()) { growing().resize(count, fill); }
    void assign(std::size_t count, const T& fill) { growing().assign(count, fill); }

    /// Reads from `values` from now on, an equal list that lives as long as `owner`.
    void place(std::shared_ptr<const void> owner, const T* values) {
        size_ = size();
        placed_ = values;
        owner_ = std::move(owner);
        own_ = {};
    }

private:
    [[nodiscard]] std::vector<T>& growing() {
        if (owner_)
            throw AssertionError("a list that was placed in shared memory is read only");
        return own_;
    }

    std::vector<T> own_;
    std::shared_ptr<const void> owner_;  // none: own_ counts
    const T* placed_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace lockstep
