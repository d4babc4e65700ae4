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
/// Copies of a placed list share its memory; copies of one that was not placed own theirs. Reading
/// costs what reading a std::vector costs, placed or not. Not thread-safe while it is filled.
template <typename T>
class SharedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using const_iterator = const T*;

    SharedArray() = default;
    /// Takes the list over, without copying its elements.
    SharedArray(std::vector<T> values) : own_(std::move(values)) { refresh(); }
    SharedArray(std::initializer_list<T> values) : own_(values) { refresh(); }
    explicit SharedArray(std::size_t count, const T& fill = T()) : own_(count, fill) { refresh(); }
    /// A list that was placed already: `count` elements at `values`, which `owner` keeps alive.
    SharedArray(std::shared_ptr<const void> owner, const T* values, std::size_t count)
        : owner_(std::move(owner)), data_(values), size_(count) {}
    SharedArray(const SharedArray& other)
        : own_(other.own_), owner_(other.owner_), data_(other.data_), size_(other.size_) {
        if (!owner_) {
            refresh();
        }
    }
    SharedArray(SharedArray&& other) noexcept { swap(other); }
    SharedArray& operator=(SharedArray other) noexcept {
        swap(other);
        return *this;
    }
    ~SharedArray() = default;

    // Reading. Indices are not checked; front() and back() need an element.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] const T* begin() const noexcept { return data_; }
    [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }
    [[nodiscard]] const T& front() const noexcept { return *data_; }
    [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }
    operator std::span<const T>() const noexcept { return {data(), size()}; }
    friend bool operator==(const SharedArray& a, const SharedArray& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

    // Writing elements: only before the list is placed. Memory that other processes read must not
    // change under them, and where it is write-protected the write ends the process.
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return begin()[index]; }
    [[nodiscard]] T* begin() noexcept { return const_cast<T*>(data_); }
    [[nodiscard]] T* end() noexcept { return begin() + size_; }
    [[nodiscard]] T& front() noexcept { return *begin(); }
    [[nodiscard]] T& back() noexcept { return begin()[size_ - 1]; }
    /// Changes of length move the elements, as a std::vector's do.
    /// @throws AssertionError  the list was placed (so do resize and assign)
    void push_back(const T& value) {
        change([&](auto& list) { list.push_back(value); });
    }
    void resize(std::size_t count, const T& fill = T()) {
        change([&](auto& list) { list.resize(count, fill); });
    }
    void assign(std::size_t count, const T& fill) {
        change([&](auto& list) { list.assign(count, fill); });
    }

    /// Reads from `values` from now on and gives its own memory back.
    /// @param owner   keeps `values` alive; not null
    /// @param values  size() elements, equal to those of this list
    void place(std::shared_ptr<const void> owner, const T* values) {
        owner_ = std::move(owner);
        data_ = values;
        own_ = {};
    }

private:
    template <typename F>
    void change(F&& f) {
        if (owner_) {
            throw AssertionError("a list that was placed in shared memory is read only");
        }
        f(own_);
        refresh();
    }
    void refresh() noexcept {
        data_ = own_.data();
        size_ = own_.size();
    }
    void swap(SharedArray& other) noexcept {
        std::swap(own_, other.own_);
        std::swap(owner_, other.owner_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    std::vector<T> own_;
    std::shared_ptr<const void> owner_;  // none: own_ counts
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace lockstep
