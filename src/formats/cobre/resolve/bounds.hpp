#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/cobre/read/raw/constraints.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// A row of an override table, resolved.
struct OverrideCell {
    std::size_t row = 0;
    int entity = 0;
    int stage = 0;
    int first_block = 0;
    int last_block = 0;  ///< exclusive
    bool is_block_row = false;
};

/// Cells of a table: rows for whole stages first, then rows for single blocks, so that the finer
/// row wins when they are applied in turn. Rows about unknown entities or blocks and repeated cells
/// are reported and left out; rows about stages outside the study are left out and counted.
class OverrideCells {
public:
    OverrideCells(const Resolver& resolver, std::string_view file, const IdMap& entities)
        : resolver_(resolver), file_(file), entities_(entities) {}

    /// @param part  tells apart rows of the same cell, for example the unit group
    void add(std::size_t row, const raw::Cell& cell, int part = 0);
    std::vector<OverrideCell> take();

private:
    void drop_repeats();

    struct Entry {
        OverrideCell cell;
        int part;
    };
    const Resolver& resolver_;
    std::string_view file_;
    const IdMap& entities_;
    std::vector<Entry> entries_;
    OutsideRows outside_;
};

/// visit(row, cell) for every row of an optional table, in the order of OverrideCells.
template <typename Row, typename Visit>
void for_each_override(const Resolver& resolver,
                       std::string_view file,
                       const IdMap& entities,
                       const std::optional<std::vector<Row>>& rows,
                       Visit visit) {
    if (!rows) {
        return;
    }
    OverrideCells cells(resolver, file, entities);
    for (std::size_t i = 0; i < rows->size(); ++i) {
        cells.add(i, (*rows)[i]);
    }
    for (const OverrideCell& cell : cells.take()) {
        visit((*rows)[cell.row], cell);
    }
}

/// Overrides the blocks of a cell, if there is a value.
void apply(sddp::ByBlock& values, const OverrideCell& cell, const std::optional<double>& value);

/// Overrides a stage value, if there is one. Block rows must not have it: see refuse_in_block_row.
void apply(sddp::ByStage& values, const OverrideCell& cell, const std::optional<double>& value);

/// Reports a stage-level column that has a value in a row for one block.
void refuse_in_block_row(const Resolver& resolver,
                         std::string_view file,
                         const OverrideCell& cell,
                         std::string_view column,
                         const std::optional<double>& value);

/// Reports the first cell where low > high, and how many more there are.
/// @param what  "min_mw > max_mw"
void check_order(const Resolver& resolver,
                 ProblemKind kind,
                 const Origin& origin,
                 std::string_view what,
                 const sddp::ByBlock& low,
                 const sddp::ByBlock& high);
void check_order(const Resolver& resolver,
                 ProblemKind kind,
                 const Origin& origin,
                 std::string_view what,
                 const sddp::ByStage& low,
                 const sddp::ByStage& high);

/// The same for two declared limits.
/// @return whether they are in order
bool check_order(
    const Resolver& resolver, const Origin& origin, std::string_view what, double low, double high);

}  // namespace lockstep::formats::cobre
