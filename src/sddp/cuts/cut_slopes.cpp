#include "lockstep/sddp/cut_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::sddp {

namespace {

constexpr int cache_line = 8;  // doubles

// A sum over the states for each cut: the states in order, the cuts side by side.
void add_products(const double* columns,
                  std::size_t stride,
                  std::span<const double> x,
                  std::span<double> value) {
    for (std::size_t h = 0; h < x.size(); ++h) {
        const double factor = x[h];
        const double* column = columns + h * stride;
        for (std::size_t cut = 0; cut < value.size(); ++cut) {
            value[cut] = std::fma(column[cut], factor, value[cut]);
        }
    }
}

template <typename T>
T rounded_up(T count) {
    return (count + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

std::size_t CutSlopes::columns() const noexcept {
    return at(states_.decided + states_.fresh);
}

std::size_t CutSlopes::older_stride() const noexcept {
    return rounded_up(at(states_.older));
}

int CutSlopes::count(std::size_t block) const noexcept {
    const int end = block + 1 < blocks_.size() ? blocks_[block + 1].first : size_;
    return end - blocks_[block].first;
}

bool CutSlopes::has_shared_blocks() const noexcept {
    return std::ranges::any_of(blocks_, &Block::is_shared);
}

bool CutSlopes::has_own_blocks() const noexcept {
    return !std::ranges::all_of(blocks_, &Block::is_shared);
}

int CutSlopes::room() const noexcept {
    return blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().room - size_;
}

int CutSlopes::block_room(int cuts) noexcept {
    return rounded_up(cuts);
}

std::size_t CutSlopes::block_size(int room) const noexcept {
    return at(room) * (columns() + older_stride());
}

// Untouched, so that room not yet used takes no memory.
CutSlopes::Block CutSlopes::own_block(int room) const {
    const auto doubles = block_size(room);
    AlignedAllocator<double> allocator;
    auto* values = allocator.allocate(doubles);
    const std::shared_ptr<const void> owner(
        values, [=](double* start) mutable { allocator.deallocate(start, doubles); });
    return {owner, values, values, room, 0, false};
}

void CutSlopes::attach(Block block) {
    block.first = size_;
    if (!blocks_.empty() && blocks_.back().first == size_) {
        blocks_.pop_back();
    }
    blocks_.push_back(std::move(block));
}

void CutSlopes::reserve(int cuts) {
    if (room() < cuts) {
        attach(own_block(block_room(std::max(cuts, size_))));
    }
}

void CutSlopes::add(std::span<const double> slopes) {
    reserve(1);
    const auto& block = blocks_.back();
    const int place = size_++ - block.first;
    if (block.writable != nullptr) {
        put(slopes, block, place);
    }
}

void CutSlopes::put(std::span<const double> slopes, const Block& into, int place) const {
    const auto stride = at(into.room);
    for (std::size_t c = 0; c < columns(); ++c) {
        into.writable[c * stride + at(place)] = slopes[c];
    }
    const auto old = slopes.subspan(columns(), at(states_.older));
    std::copy(
        old.begin(), old.end(), into.writable + columns() * stride + at(place) * older_stride());
}

void CutSlopes::truncate(int size) {
    while (!blocks_.empty() && blocks_.back().first > size) {
        blocks_.pop_back();
    }
    size_ = size;
}

void CutSlopes::move_to(Block block) {
    block.first = 0;
    if (block.writable != nullptr) {
        for (int cut = 0; cut < size_; ++cut) {
            put(row(cut), block, cut);
        }
    }
    blocks_.assign(1, std::move(block));
}

const CutSlopes::Block& CutSlopes::block_of(int cut) const noexcept {
    return *(std::upper_bound(blocks_.begin(),
                              blocks_.end(),
                              cut,
                              [](int c, const Block& block) { return c < block.first; }) -
             1);
}

CutSlopes::Strided CutSlopes::decided(int cut) const noexcept {
    const auto& block = block_of(cut);
    return {block.values + (cut - block.first), at(block.room)};
}

CutSlopes::Strided CutSlopes::fresh(int cut) const noexcept {
    auto slopes = decided(cut);
    slopes.first += at(states_.decided) * slopes.stride;
    return slopes;
}

CutSlopes::Older CutSlopes::older(const Block& block) const noexcept {
    return {block.values + columns() * at(block.room), older_stride(), at(states_.older)};
}

std::span<const double> CutSlopes::older(int cut) const noexcept {
    const auto& block = block_of(cut);
    return older(block)[cut - block.first];
}

void CutSlopes::add_products(int first, std::span<const double> x, std::span<double> value) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const auto& block = blocks_[b];
        const auto stride = at(block.room);
        lockstep::sddp::add_products(block.values + at(first) * stride,
                                     stride,
                                     x,
                                     value.subspan(at(block.first), at(count(b))));
    }
}

void CutSlopes::multiply(std::span<const double> state, std::span<double> value) const {
    const auto older_part = state.last(at(states_.older));
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const auto slopes = older(blocks_[b]);
        for (int i = 0; i < count(b); ++i) {
            value[at(blocks_[b].first + i)] = runtime::fixed_dot(slopes[i], older_part);
        }
    }
    add_products(0, state.first(columns()), value);
}

std::vector<double> CutSlopes::row(int cut) const {
    std::vector<double> slopes;
    slopes.reserve(at(width()));
    const auto first = decided(cut);
    for (int c = 0; c < static_cast<int>(columns()); ++c) {
        slopes.push_back(first[c]);
    }
    const auto old = older(cut);
    slopes.insert(slopes.end(), old.begin(), old.end());
    return slopes;
}

std::vector<double> CutSlopes::rows() const {
    std::vector<double> all;
    all.reserve(at(size_) * at(width()));
    for (int cut = 0; cut < size_; ++cut) {
        const auto slopes = row(cut);
        all.insert(all.end(), slopes.begin(), slopes.end());
    }
    return all;
}

}  // namespace lockstep::sddp
