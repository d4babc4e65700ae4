#include "block_cache.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include <malloc.h>

namespace lockstep::cli::block_cache {
namespace {

constexpr std::size_t least_size = 1024;
constexpr std::size_t doublings = 10;
constexpr std::size_t largest_size = least_size << doublings;
constexpr std::size_t steps = 4;  // of a doubling

/// least_size, 5/4, 6/4, 7/4 of it, twice it …
constexpr std::size_t size_of(std::size_t kind) {
    return (least_size << (kind / steps)) / steps * (steps + kind % steps);
}

/// The largest size that fits into `bytes`, which are at least the least.
constexpr std::size_t kind_below(std::size_t bytes) {
    const auto doubling = static_cast<std::size_t>(std::bit_width(bytes / least_size)) - 1;
    const std::size_t base = least_size << doubling;
    return doubling * steps + (bytes - base) / (base / steps);
}

/// The smallest size that holds `bytes`.
constexpr std::size_t kind_above(std::size_t bytes) {
    const auto kind = kind_below(bytes);
    return kind + (size_of(kind) < bytes ? 1 : 0);
}

static_assert(size_of(kind_above(1025)) == 1280 && size_of(kind_above(1280)) == 1280);
static_assert(size_of(kind_below(2047)) == 1792 && size_of(kind_below(2048)) == 2048);

struct Block {
    Block* next;
};

/// Needs neither constructor nor destructor: memory is asked for before and after all others have
/// run.
struct Kept {
    std::array<Block*, doublings * steps + 1> first;
    std::size_t bytes;
    bool is_closed;  // the thread is ending
};
thread_local constinit Kept kept{};

struct Emptier {
    ~Emptier() {
        kept.is_closed = true;
        for (Block*& list : kept.first) {
            while (list != nullptr) {
                std::free(std::exchange(list, list->next));
            }
        }
        kept.bytes = 0;
    }
    void see_to_the_end() const noexcept {}
};
thread_local Emptier emptier;

}  // namespace

void* take(std::size_t bytes) noexcept {
    if (bytes <= least_size || bytes > largest_size) {
        return std::malloc(bytes == 0 ? 1 : bytes);
    }
    const auto kind = kind_above(bytes);
    Block*& list = kept.first[kind];
    if (list == nullptr) {
        return std::malloc(size_of(kind));
    }
    kept.bytes -= size_of(kind);
    return std::exchange(list, list->next);
}

void give(void* block) noexcept {
    const auto bytes = block == nullptr ? 0 : malloc_usable_size(block);
    // A block of the C library's own sizes is a little longer than what was asked for.
    if (bytes < least_size + least_size / steps || bytes > largest_size + largest_size / steps) {
        std::free(block);
        return;
    }
    const auto kind = kind_below(bytes);
    const auto size = size_of(kind);
    if (kind > doublings * steps || kept.is_closed || kept.bytes + size > most_kept) {
        std::free(block);
        return;
    }
    if (kept.bytes == 0) {
        emptier.see_to_the_end();
    }
    kept.bytes += size;
    kept.first[kind] = new (block) Block{kept.first[kind]};
}

std::size_t kept_bytes() noexcept {
    return kept.bytes;
}

}  // namespace lockstep::cli::block_cache
