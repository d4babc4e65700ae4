#include "sddp/cuts/cut_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace lockstep::sddp {

namespace {

// Columns long enough to be priced fast, few blocks in the end, and little memory too much.
int next_room(const CutPool& pool, int cuts) {
    constexpr int least = 64;
    if (cuts == 0) {
        return 0;
    }
    return CutSlopes::block_room(std::max({cuts, pool.size() / 2, least}));
}

CutSlopes::Block block_at(const std::shared_ptr<runtime::NodeMemory>& memory,
                          std::size_t first_double,
                          int room) {
    const void* start = memory->bytes();
    void* writable = memory->writable();
    return {memory,
            static_cast<const double*>(start) + first_double,
            writable != nullptr ? static_cast<double*>(writable) + first_double : nullptr,
            room,
            0,
            true};
}

// Where another rank writes, no rows are needed.
void add_rows(CutSlopes& slopes, int cuts, std::span<const std::byte> rows) {
    std::vector<double> row(static_cast<std::size_t>(slopes.width()));
    const auto bytes = row.size() * sizeof(double);
    for (int cut = 0; cut < cuts; ++cut) {
        if (slopes.blocks().back().writable != nullptr) {
            std::memcpy(row.data(), rows.data() + static_cast<std::size_t>(cut) * bytes, bytes);
        }
        slopes.add(row);
    }
}

}  // namespace

// A block of each pool, of rooms[pool] cuts; put(pool, block) takes it.
template <typename F>
void CutMemory::deal(std::span<CutPool> pools, std::span<const int> rooms, F&& put) {
    std::size_t doubles = 0;
    for (std::size_t t = 0; t < pools.size(); ++t) {
        doubles += pools[t].slopes().block_size(rooms[t]);
    }
    newest_ = runtime::NodeMemory::create(node_, doubles * sizeof(double));
    borrowed_bytes_ += newest_ ? newest_->borrowed_bytes() : 0;
    std::size_t next = 0;
    for (std::size_t t = 0; t < pools.size(); ++t) {
        auto& slopes = pools[t].slopes();
        put(slopes, newest_ ? block_at(newest_, next, rooms[t]) : slopes.own_block(rooms[t]));
        next += slopes.block_size(rooms[t]);
    }
    close();
}

void CutMemory::place(std::shared_ptr<comm::Communicator> node,
                      std::span<CutPool> pools,
                      int cuts) {
    begin(std::move(node));
    const auto is_shared = [](const CutPool& pool) { return pool.slopes().has_shared_blocks(); };
    if (node_->size() == 1 && std::ranges::none_of(pools, is_shared)) {
        return reserve(pools, cuts);
    }
    std::vector<int> rooms;
    for (const auto& pool : pools) {
        rooms.push_back(CutSlopes::block_room(pool.size() + next_room(pool, cuts)));
    }
    deal(pools, rooms, [](CutSlopes& slopes, CutSlopes::Block block) {
        slopes.move_to(std::move(block));
    });
}

void CutMemory::reserve(std::span<CutPool> pools, int cuts) {
    const auto has_room = [=](const CutPool& pool) { return pool.slopes().room() >= cuts; };
    if (!std::ranges::all_of(pools, has_room)) {
        grow(pools, cuts);
    }
}

void CutMemory::begin(std::shared_ptr<comm::Communicator> node) {
    node_ = std::move(node);
    newest_.reset();
    borrowed_bytes_ = 0;
}

void CutMemory::fill(CutPool& pool, std::span<const std::byte> rows) {
    if (pool.size() == 0) {
        return;
    }
    const int room = CutSlopes::block_room(pool.size());
    deal({&pool, 1}, {&room, 1}, [&](CutSlopes& slopes, CutSlopes::Block block) {
        std::vector<std::byte> copy;
        if (!block.is_shared && node_->size() > 1) {
            copy.assign(rows.begin(), rows.end());
            comm::broadcast_list(*node_, copy, 0);
            rows = copy;
        }
        slopes.attach(std::move(block));
        add_rows(slopes, pool.size(), rows);
    });
}

void CutMemory::grow(std::span<CutPool> pools, int cuts) {
    std::vector<int> rooms;
    for (const auto& pool : pools) {
        rooms.push_back(next_room(pool, cuts));
    }
    deal(pools, rooms, [](CutSlopes& slopes, CutSlopes::Block block) {
        slopes.attach(std::move(block));
    });
}

void CutMemory::open() {
    if (newest_) {
        newest_->region().begin_update();
    }
}

void CutMemory::publish() {
    if (newest_) {
        newest_->region().publish();
    }
}

void CutMemory::close() {
    if (newest_) {
        newest_->region().fence();
    }
}

}  // namespace lockstep::sddp
