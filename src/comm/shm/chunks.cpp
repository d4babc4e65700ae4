#include "comm/shm/chunks.hpp"

namespace lockstep::comm {
namespace {

// Shares begin on cache lines of their own.
constexpr std::size_t line = 64;

std::size_t divide_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

}  // namespace

std::size_t divide_into_chunks(std::span<ShmPart> parts, std::size_t buffer) {
    std::size_t total = 0;
    for (const auto& part : parts) {
        total += part.bytes;
    }
    // Rounding up adds less than a line a rank.
    const std::size_t room = buffer - line * parts.size();
    const std::size_t chunks = std::max<std::size_t>(1, divide_up(total, room));
    std::size_t end = 0;
    for (auto& part : parts) {
        part.share = divide_up(divide_up(part.bytes, chunks), line) * line;
        part.offset = end;
        end += part.share;
    }
    return chunks;
}

}  // namespace lockstep::comm
