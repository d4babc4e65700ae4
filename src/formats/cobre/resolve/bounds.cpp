#include "formats/cobre/resolve/bounds.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Collects cells in which something is wrong into one report.
class CellReport {
public:
    explicit CellReport(const Resolver& resolver) : resolver_(resolver) {}

    void add(int stage, int block, double low, double high) {
        if (count_++ == 0) {
            first_ = fmt::format("stage {}", resolver_.calendar.stages[at(stage)].id);
            first_ += block < 0 ? "" : fmt::format(", block {}", block);
            first_ += fmt::format(": {} > {}", low, high);
        }
    }
    void finish(ProblemKind kind, const Origin& origin, std::string_view what) const {
        if (count_ > 0) {
            const std::string more = count_ > 1 ? fmt::format(" (and {} more)", count_ - 1) : "";
            resolver_.error(kind, origin, fmt::format("{} in {}{}", what, first_, more));
        }
    }

private:
    const Resolver& resolver_;
    int count_ = 0;
    std::string first_;
};

}  // namespace

void OverrideCells::add(std::size_t row, const raw::Cell& cell, int part) {
    const Origin origin = row_of(file_, row);
    const int entity = resolver_.find(entities_, cell.entity_id, origin);
    const int stage = resolver_.stages.find(cell.stage_id);
    if (stage < 0) {
        outside_.add(cell.stage_id);
    }
    if (entity < 0 || stage < 0) {
        return;
    }
    OverrideCell out{
        row, entity, stage, 0, resolver_.block_count(stage), cell.block_id.has_value()};
    if (cell.block_id) {
        const int block = resolver_.block(stage, *cell.block_id, origin);
        if (block < 0) {
            return;
        }
        out.first_block = block;
        out.last_block = block + 1;
    }
    entries_.push_back({out, part});
}

std::vector<OverrideCell> OverrideCells::take() {
    outside_.report(file_, resolver_.problems);
    drop_repeats();
    std::vector<OverrideCell> cells;
    for (const Entry& entry : entries_) {
        cells.push_back(entry.cell);
    }
    std::sort(cells.begin(), cells.end(), [](const OverrideCell& a, const OverrideCell& b) {
        return std::tuple(a.is_block_row, a.row) < std::tuple(b.is_block_row, b.row);
    });
    return cells;
}

void OverrideCells::drop_repeats() {
    const auto key = [](const Entry& e) {
        return std::tuple(
            e.cell.entity, e.part, e.cell.stage, e.cell.is_block_row, e.cell.first_block);
    };
    std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
        return std::pair(key(a), a.cell.row) < std::pair(key(b), b.cell.row);
    });
    std::vector<Entry> kept;
    std::vector<std::pair<std::size_t, std::size_t>> repeats;
    for (const Entry& entry : entries_) {
        if (kept.empty() || key(kept.back()) != key(entry)) {
            kept.push_back(entry);
        } else {
            repeats.emplace_back(entry.cell.row, kept.back().cell.row);
        }
    }
    std::sort(repeats.begin(), repeats.end());
    for (const auto& [row, first] : repeats) {
        resolver_.error(ProblemKind::duplicate_id,
                        row_of(file_, row),
                        fmt::format("gives the same cell as {}", row_name(first)));
    }
    entries_ = std::move(kept);
}

void apply(sddp::ByBlock& values, const OverrideCell& cell, const std::optional<double>& value) {
    for (int block = cell.first_block; value && block < cell.last_block; ++block) {
        values(cell.stage, block) = *value;
    }
}

void apply(sddp::ByStage& values, const OverrideCell& cell, const std::optional<double>& value) {
    if (value && !cell.is_block_row) {
        values[at(cell.stage)] = *value;
    }
}

void refuse_in_block_row(const Resolver& resolver,
                         std::string_view file,
                         const OverrideCell& cell,
                         std::string_view column,
                         const std::optional<double>& value) {
    if (value && cell.is_block_row) {
        resolver.error(ProblemKind::business_rule_violation,
                       row_of(file, cell.row),
                       fmt::format("{} holds for a whole stage: block_id must be null", column));
    }
}

void check_order(const Resolver& resolver,
                 ProblemKind kind,
                 const Origin& origin,
                 std::string_view what,
                 const sddp::ByBlock& low,
                 const sddp::ByBlock& high) {
    CellReport report(resolver);
    resolver.for_each_block([&](int stage, int block) {
        if (low(stage, block) > high(stage, block)) {
            report.add(stage, block, low(stage, block), high(stage, block));
        }
    });
    report.finish(kind, origin, what);
}

void check_order(const Resolver& resolver,
                 ProblemKind kind,
                 const Origin& origin,
                 std::string_view what,
                 const sddp::ByStage& low,
                 const sddp::ByStage& high) {
    CellReport report(resolver);
    for (std::size_t stage = 0; stage < low.size(); ++stage) {
        if (low[stage] > high[stage]) {
            report.add(static_cast<int>(stage), -1, low[stage], high[stage]);
        }
    }
    report.finish(kind, origin, what);
}

bool check_order(const Resolver& resolver,
                 const Origin& origin,
                 std::string_view what,
                 double low,
                 double high) {
    if (low > high) {
        resolver.error(
            ProblemKind::invalid_value, origin, fmt::format("{}: {} > {}", what, low, high));
    }
    return low <= high;
}

}  // namespace lockstep::formats::cobre
