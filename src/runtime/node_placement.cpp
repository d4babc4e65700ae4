#include "lockstep/runtime/node_placement.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/runtime/node_memory.hpp"

namespace lockstep::runtime {
namespace {

std::size_t room_for(std::size_t bytes) {
    constexpr std::size_t cache_line = 64;
    return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

std::int64_t NodePlacement::place(std::shared_ptr<comm::Communicator> node) {
    std::size_t total = 0;
    for (const auto& list : lists_) {
        total += room_for(list.bytes.size());
    }
    const auto memory = NodeMemory::create(std::move(node), total);
    if (!memory) {
        return 0;
    }
    auto* out = memory->writable();
    for (const auto& list : lists_) {
        if (out == nullptr) {
            break;
        }
        std::ranges::copy(list.bytes, out);
        out += room_for(list.bytes.size());
    }
    memory->region().fence();
    const auto* in = memory->bytes();
    for (const auto& list : lists_) {
        list.move(memory, in);
        in += room_for(list.bytes.size());
    }
    return memory->borrowed_bytes();
}

}  // namespace lockstep::runtime
