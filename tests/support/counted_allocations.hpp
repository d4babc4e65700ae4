#pragma once

// Replaces the allocation of a program so that tests can count it: for one source of a test, not
// under a sanitizer, which replaces the same operators.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace lockstep::test {

inline std::atomic<bool> is_counting_allocations = false;
inline std::atomic<long> allocations = 0;

inline void* allocate(std::size_t bytes, std::size_t alignment) {
    if (is_counting_allocations) {
        ++allocations;
    }
    void* block =
        alignment > alignof(std::max_align_t)
            ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
            : std::malloc(bytes == 0 ? 1 : bytes);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

/// Allocations of all threads during f().
template <typename F>
long allocations_of(F f) {
    allocations = 0;
    is_counting_allocations = true;
    f();
    is_counting_allocations = false;
    return allocations;
}

}  // namespace lockstep::test

// Replaced for this program: every allocation of ours passes here. Not inlined: GCC takes a call
// for a pair that does not fit.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    return lockstep::test::allocate(bytes, 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return lockstep::test::allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}
