// The operators of this program, and with them those of the libraries it loads: see
// block_cache.hpp. Where a sanitizer has its own, or the C library does not tell the length of a
// block, this file is left out.

#include <new>

#include "block_cache.hpp"

namespace {

namespace cache = lockstep::cli::block_cache;

void* allocate(std::size_t bytes) {
    for (;;) {
        if (void* block = cache::take(bytes)) {
            return block;
        }
        const auto handler = std::get_new_handler();
        if (handler == nullptr) {
            throw std::bad_alloc();
        }
        handler();
    }
}

}  // namespace

// Not inlined: GCC takes a call for a pair that does not fit.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    return allocate(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
    return allocate(bytes);
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    cache::give(block);
}
[[gnu::noinline]] void operator delete[](void* block) noexcept {
    cache::give(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
    cache::give(block);
}
[[gnu::noinline]] void operator delete[](void* block, std::size_t) noexcept {
    cache::give(block);
}
