#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lockstep {

/// Allocator whose blocks start on a 64-byte border: a cache line, and the widest vector register.
///
/// Two threads that write to blocks of their own never share a line at the start of a block; at its
/// end they may, unless the length is rounded up (rows of a MatrixView: by its stride).
template <typename T>
struct AlignedAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    AlignedAllocator() = default;
    template <typename U>
    AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

    /// @throws std::bad_alloc, std::bad_array_new_length  as operator new[]
    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(bytes(count), alignment));
    }
    void deallocate(T* block, std::size_t) noexcept { ::operator delete(block, alignment); }

    friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }

private:
    static std::size_t bytes(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) {
            throw std::bad_array_new_length();
        }
        return count * sizeof(T);
    }
};

/// A vector whose first element lies on a 64-byte border.
template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace lockstep
