#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/table.hpp"
#include "lockstep/runtime/node_memory.hpp"

namespace lockstep::rl {

/// Cells as they are to be.
struct CellList {
    std::vector<std::uint32_t> cells;
    std::vector<double> values;
    std::vector<std::uint32_t> visits;

    void add(std::uint32_t cell, double value, std::uint32_t visited);
    void clear() noexcept;
};

/// The memory of a table: values, stored as they are asked for, and visits of all cells.
class CellStore {
public:
    CellStore() = default;
    /// All values and visits are 0.
    /// @param plane  cells of one table, of which there may be several
    /// @param shared  of bytes_of(precision, cells), zeroed: where they are; nullptr: in own memory
    CellStore(Precision precision,
              std::size_t cells,
              std::size_t plane,
              std::shared_ptr<runtime::NodeMemory> shared = nullptr);
    [[nodiscard]] static std::size_t bytes_of(Precision precision, std::size_t cells) noexcept;

    /// A copy has memory of its own.
    CellStore(const CellStore& other);
    CellStore& operator=(const CellStore& other);
    CellStore(CellStore&&) = default;
    CellStore& operator=(CellStore&&) = default;
    ~CellStore() = default;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// What ranks of a node share; nullptr: its own.
    [[nodiscard]] runtime::NodeMemory* shared() const noexcept { return shared_.get(); }
    /// @param touched  as in Cells
    [[nodiscard]] Cells cells(std::uint64_t* touched = nullptr) noexcept;
    [[nodiscard]] std::span<std::uint32_t> visits() noexcept { return {counts(), size_}; }
    [[nodiscard]] std::span<const std::uint32_t> visits() const noexcept {
        return {counts(), size_};
    }
    /// What use(span of the stored values) returns; the span is of const double or const float.
    template <typename Use>
    decltype(auto) with_values(Use&& use) const {
        return std::visit(
            [&]<typename V>(const CellsOf<V>& of) {
                return use(std::span<const V>(of.values, size_));
            },
            cells_);
    }

    // Of one cell: for what is no loop over many.
    [[nodiscard]] double value(std::size_t cell) const;
    void set_value(std::size_t cell, double value);

    void write(const CellList& list) noexcept;
    /// Becomes as another one of the same size and precision is.
    void fill(const CellStore& other) noexcept;

    /// Cells `begin` to `begin` + `count` - 1.
    void save(ByteWriter& bytes, std::size_t begin, std::size_t count) const;
    /// @throws InputError  damaged, of other cells, or of the other precision
    void load(ByteReader& bytes, std::size_t begin, std::size_t count);

private:
    [[nodiscard]] std::uint32_t* counts() const noexcept {
        return std::visit([](const auto& of) { return of.visits; }, cells_);
    }

    std::size_t size_ = 0;
    std::shared_ptr<runtime::NodeMemory> shared_;
    AlignedVector<std::byte> own_;
    Cells cells_;  // in either
};

}  // namespace lockstep::rl
