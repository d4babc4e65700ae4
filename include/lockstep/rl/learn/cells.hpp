#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <variant>

namespace lockstep::rl {

/// How a learner reaches its table.
enum class Access {
    own,      ///< nobody else does
    tracked,  ///< nobody else does; states that change are noted
    shared,   ///< others write at the same time: relaxed atomics, an update may be lost
};

/// A table as learners see it, whose values are stored as `V`, double or float. The memory belongs
/// to who runs them. Arithmetic is in double; a value is rounded once, where it is stored.
template <typename V>
struct CellsOf {
    V* values = nullptr;               ///< [planes, states, actions]
    std::uint32_t* visits = nullptr;   ///< [planes, states, actions]
    std::uint64_t* touched = nullptr;  ///< tracked: a bit a state, set where a cell of it changes
    std::ptrdiff_t plane = 0;          ///< states · actions
};

/// A table of either precision: loops are compiled for both.
using Cells = std::variant<CellsOf<double>, CellsOf<float>>;

template <Access A, typename T>
T load_from(const T& place) noexcept {
    if constexpr (A == Access::shared) {
        return std::atomic_ref<T>(const_cast<T&>(place)).load(std::memory_order_relaxed);
    } else {
        return place;
    }
}

template <Access A, typename T>
void store_to(T& place, T value) noexcept {
    if constexpr (A == Access::shared) {
        std::atomic_ref<T>(place).store(value, std::memory_order_relaxed);
    } else {
        place = value;
    }
}

template <Access A, typename V>
double value_at(const CellsOf<V>& cells, std::ptrdiff_t cell) noexcept {
    return static_cast<double>(load_from<A>(cells.values[cell]));
}

/// Rounds where values are floats.
template <Access A, typename V>
void set_value(const CellsOf<V>& cells, std::ptrdiff_t cell, double value) noexcept {
    store_to<A>(cells.values[cell], static_cast<V>(value));
}

/// Notes that a cell of state `s` changes.
template <Access A, typename V>
void touch(const CellsOf<V>& cells, std::int32_t s) noexcept {
    if constexpr (A == Access::tracked) {
        const auto number = static_cast<std::uint32_t>(s);
        cells.touched[number / 64U] |= std::uint64_t{1} << number % 64U;
    }
}

/// Visits and more of them; they stay at their maximum.
constexpr std::uint32_t add_visits(std::uint32_t visits, std::uint32_t more) noexcept {
    return visits > UINT32_MAX - more ? UINT32_MAX : visits + more;
}

/// Counts a visit.
/// @return the visits now
template <Access A, typename V>
std::uint32_t visit(const CellsOf<V>& cells, std::ptrdiff_t cell) noexcept {
    std::uint32_t& visits = cells.visits[cell];
    const auto now = add_visits(load_from<A>(visits), 1);
    store_to<A>(visits, now);
    return now;
}

}  // namespace lockstep::rl
