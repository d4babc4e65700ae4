#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/table.hpp"

namespace lockstep::rl {

/// The memory of a table: values, stored as they are asked for, and visits of all cells.
class CellStore {
public:
    CellStore() = default;
    /// All values and visits are 0.
    /// @param plane  cells of one table, of which there may be several
    CellStore(Precision precision, std::size_t cells, std::size_t plane);

    [[nodiscard]] std::size_t size() const noexcept { return visits_.size(); }
    /// @param touched  as in Cells
    [[nodiscard]] Cells cells(std::uint64_t* touched = nullptr) noexcept;
    [[nodiscard]] std::span<std::uint32_t> visits() noexcept { return visits_; }
    [[nodiscard]] std::span<const std::uint32_t> visits() const noexcept { return visits_; }
    /// What use(span of the stored values) returns; the span is of const double or const float.
    template <typename Use>
    decltype(auto) with_values(Use&& use) const {
        return std::visit([&](const auto& values) { return use(std::span(values)); }, values_);
    }

    // Of one cell: for what is no loop over many.
    [[nodiscard]] double value(std::size_t cell) const;
    void set_value(std::size_t cell, double value);

    /// Cells `begin` to `begin` + `count` - 1.
    void save(ByteWriter& bytes, std::size_t begin, std::size_t count) const;
    /// @throws InputError  damaged, of other cells, or of the other precision
    void load(ByteReader& bytes, std::size_t begin, std::size_t count);

private:
    std::variant<std::vector<double>, std::vector<float>> values_;
    std::vector<std::uint32_t> visits_;
    std::size_t plane_ = 0;
};

}  // namespace lockstep::rl
