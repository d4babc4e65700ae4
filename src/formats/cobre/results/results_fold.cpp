#include "formats/cobre/results/results_fold.hpp"

#include <algorithm>

namespace lockstep::formats::cobre::out {
namespace {

/// Samples of consecutive items, which are entities of one column after the other.
class Pass {
public:
    Pass(const Scenarios& scenarios,
         const EntityIndex& entities,
         const std::vector<FoldedColumn>& columns,
         std::size_t first,
         std::size_t count)
        : scenarios_(scenarios),
          entities_(entities),
          columns_(columns),
          first_(first),
          count_(count),
          samples_(scenarios.samples(count)) {}

    void add(const ScenarioTable& rows,
             const char* id_column,
             const std::vector<std::size_t>& stage,
             std::size_t scenario) {
        const auto id = rows.get<std::int32_t>(id_column);
        const auto block = rows.get<std::int32_t>("block_id");
        std::vector<std::size_t> entity;
        for (const std::int32_t number : id) {
            entity.push_back(entities_.at(number, rows.file()));
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (is_wanted(c)) {
                add_column(rows, c, entity, block, stage, scenario);
            }
        }
    }

    void get(const std::vector<std::size_t>& singles, std::vector<std::vector<Spread>>& out) {
        for (std::size_t i = 0; i < count_; ++i) {
            out[(first_ + i) / entities_.size()][(first_ + i) % entities_.size()] =
                samples_.spread(i, singles);
        }
    }

private:
    [[nodiscard]] bool is_wanted(std::size_t column) const {
        const std::size_t begin = column * entities_.size();
        return begin < first_ + count_ && begin + entities_.size() > first_;
    }

    void add_column(const ScenarioTable& rows,
                    std::size_t c,
                    const std::vector<std::size_t>& entity,
                    std::span<const std::int32_t> block,
                    const std::vector<std::size_t>& stage,
                    std::size_t scenario) {
        const auto values = rows.get<double>(columns_[c].name);
        for (std::size_t row = 0; row < values.size(); ++row) {
            const std::size_t item = c * entities_.size() + entity[row];
            if (item < first_ || item >= first_ + count_) {
                continue;
            }
            const double value = columns_[c].factor * values[row];
            if (columns_[c].by_hours) {
                const double share = scenarios_.block_share(stage[row], block[row], rows.file());
                samples_.add(item - first_, stage[row], scenario, value * share);
            } else {
                samples_.set(item - first_, stage[row], scenario, value);
            }
        }
    }

    const Scenarios& scenarios_;
    const EntityIndex& entities_;
    const std::vector<FoldedColumn>& columns_;
    std::size_t first_;
    std::size_t count_;
    Samples samples_;
};

std::vector<std::string> columns_to_read(const char* id_column,
                                         const std::vector<FoldedColumn>& columns,
                                         const Also& also) {
    std::vector<std::string> names = also.columns;
    names.insert(names.end(), {id_column, "stage_id", "block_id"});
    for (const FoldedColumn& column : columns) {
        names.emplace_back(column.name);
    }
    return names;
}

}  // namespace

std::vector<std::vector<Spread>> fold(const Scenarios& scenarios,
                                      const std::string& table,
                                      const char* id_column,
                                      const EntityIndex& entities,
                                      const std::vector<FoldedColumn>& columns,
                                      const FoldLimits& limits,
                                      const Also& also) {
    std::vector<std::vector<Spread>> out(columns.size(), std::vector<Spread>(entities.size()));
    const std::size_t items = columns.size() * entities.size();
    const std::size_t bytes =
        std::max<std::size_t>(1, Samples::item_bytes(scenarios.stages(), scenarios.size()));
    const std::size_t group = std::max<std::size_t>(1, limits.memory_bytes / bytes);
    const auto wanted = columns_to_read(id_column, columns, also);
    for (std::size_t first = 0; first < items; first += group) {
        Pass pass(scenarios, entities, columns, first, std::min(group, items - first));
        scenarios.for_each(
            table,
            [&](std::size_t s, const ScenarioTable& rows) {
                const auto stage = rows.stages(scenarios.stage_ids());
                pass.add(rows, id_column, stage, s);
                if (first == 0 && also.visit) {
                    also.visit(s, rows, stage);
                }
            },
            wanted);
        pass.get(limits.singles, out);
    }
    return out;
}

}  // namespace lockstep::formats::cobre::out
