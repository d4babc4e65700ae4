#include "formats/cobre/resolve/process/inflow_tables.hpp"

#include <set>
#include <tuple>

#include <fmt/format.h>

#include "formats/cobre/resolve/stage_list.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Checks the (hydro, stage) keys of one statistics file.
class KeyedRows {
public:
    KeyedRows(const char* file, const Resolver& resolver) : file_(file), resolver_(resolver) {}

    /// Hydro index of a row, -1 after a report or outside the study. `part` tells apart rows of the
    /// same key.
    int find(std::size_t row, int hydro_id, int stage_id, int part = 0) {
        const Origin origin = row_of(file_, row);
        const int hydro = resolver_.find(resolver_.hydros, hydro_id, origin);
        if (!resolver_.is_any_stage(stage_id)) {
            outside_.add(stage_id);
            return -1;
        }
        if (hydro >= 0 && !seen_.emplace(hydro, stage_id, part).second) {
            resolver_.error(ProblemKind::duplicate_id,
                            origin,
                            fmt::format("hydro {}, stage {} has another row", hydro_id, stage_id));
            return -1;
        }
        return hydro;
    }
    void report_outside() const { outside_.report(file_, resolver_.problems); }
    [[nodiscard]] bool has(int hydro, int stage_id, int part = 0) const {
        return seen_.contains({hydro, stage_id, part});
    }

private:
    const char* file_;
    const Resolver& resolver_;
    std::set<std::tuple<int, int, int>> seen_;
    OutsideRows outside_;
};

/// Every plant needs statistics at every study stage once the file is there.
void check_coverage(const KeyedRows& rows,
                    const char* file,
                    const raw::Case& raw,
                    const Resolver& resolver) {
    for (std::size_t i = 0; i < raw.hydros.size(); ++i) {
        StageList missing;
        for (const sddp::Stage& stage : resolver.calendar.stages) {
            if (!rows.has(static_cast<int>(i), stage.id)) {
                missing.add(stage.id);
            }
        }
        if (!missing.is_empty()) {
            resolver.error(ProblemKind::dimension_mismatch,
                           {file, fmt::format("hydro {}", raw.hydros[i].id)},
                           "no row for " + missing.text());
        }
    }
}

/// A table without rows says no more than one that is not there.
template <typename Row>
bool is_empty(const std::optional<std::vector<Row>>& rows) {
    return !rows || rows->empty();
}

/// The inflow model as the files give it.
class InflowTables {
public:
    InflowTables(const raw::Case& raw, const Resolver& resolver, sddp::ProcessData& out)
        : raw_(raw), resolver_(resolver), out_(out), statistics_(statistics_file, resolver) {}

    void run() {
        add_statistics();
        add_coefficients();
        add_annual();
    }

private:
    static constexpr const char* statistics_file = "scenarios/inflow_seasonal_stats.parquet";
    static constexpr const char* coefficients_file = "scenarios/inflow_ar_coefficients.parquet";
    static constexpr const char* annual_file = "scenarios/inflow_annual_component.parquet";

    void add_statistics() {
        if (is_empty(raw_.inflow_statistics)) {
            return;
        }
        auto& out = out_.statistics.emplace();
        for (std::size_t i = 0; i < raw_.inflow_statistics->size(); ++i) {
            const raw::InflowStatistics& row = (*raw_.inflow_statistics)[i];
            if (const int hydro = statistics_.find(i, row.entity_id, row.stage_id); hydro >= 0) {
                out.push_back({hydro, row.stage_id, row.mean_m3s, row.std_m3s});
            }
        }
        statistics_.report_outside();
        check_coverage(statistics_, statistics_file, raw_, resolver_);
    }

    void add_coefficients() {
        if (is_empty(raw_.ar_coefficients)) {
            return;
        }
        auto& out = out_.coefficients.emplace();
        KeyedRows keys(coefficients_file, resolver_);
        for (std::size_t i = 0; i < raw_.ar_coefficients->size(); ++i) {
            const raw::ArCoefficient& row = (*raw_.ar_coefficients)[i];
            if (const int hydro = keys.find(i, row.entity_id, row.stage_id, row.lag); hydro >= 0) {
                check_orphan(coefficients_file, i, hydro, row.entity_id, row.stage_id);
                out.push_back({hydro, row.stage_id, row.lag, row.coefficient});
            }
        }
        keys.report_outside();
        check_lags(keys);
    }

    /// The list of lags is positional: a gap would shift the rest.
    void check_lags(const KeyedRows& keys) const {
        for (std::size_t i = 0; i < raw_.ar_coefficients->size(); ++i) {
            const raw::ArCoefficient& row = (*raw_.ar_coefficients)[i];
            const int hydro = resolver_.hydros.find(row.entity_id);
            if (hydro >= 0 && row.lag > 1 && resolver_.is_any_stage(row.stage_id) &&
                !keys.has(hydro, row.stage_id, row.lag - 1)) {
                resolver_.error(ProblemKind::invalid_value,
                                row_of(coefficients_file, i),
                                fmt::format("lag {} of hydro {}, stage {} has no row for lag {}",
                                            row.lag,
                                            row.entity_id,
                                            row.stage_id,
                                            row.lag - 1));
            }
        }
    }

    void add_annual() {
        if (is_empty(raw_.annual_component)) {
            return;
        }
        auto& out = out_.annual.emplace();
        KeyedRows keys(annual_file, resolver_);
        for (std::size_t i = 0; i < raw_.annual_component->size(); ++i) {
            const raw::AnnualComponent& row = (*raw_.annual_component)[i];
            if (const int hydro = keys.find(i, row.entity_id, row.stage_id); hydro >= 0) {
                check_orphan(annual_file, i, hydro, row.entity_id, row.stage_id);
                out.push_back({hydro, row.stage_id, row.coefficient, row.mean_m3s, row.std_m3s});
            }
        }
        keys.report_outside();
    }

    void check_orphan(
        const char* file, std::size_t row, int hydro, int hydro_id, int stage_id) const {
        if (!is_empty(raw_.inflow_statistics) && !statistics_.has(hydro, stage_id)) {
            resolver_.error(
                ProblemKind::invalid_reference,
                row_of(file, row),
                fmt::format(
                    "hydro {}, stage {} has no row in {}", hydro_id, stage_id, statistics_file));
        }
    }

    const raw::Case& raw_;
    const Resolver& resolver_;
    sddp::ProcessData& out_;
    KeyedRows statistics_;
};

}  // namespace

void resolve_inflow_tables(const raw::Case& raw, const Resolver& resolver, sddp::ProcessData& out) {
    InflowTables(raw, resolver, out).run();
}

std::vector<sddp::NodeInflow> resolve_node_inflows(const raw::Case& raw,
                                                   const sddp::PolicyGraph& graph,
                                                   const Resolver& resolver) {
    const char* file = "scenarios/inflow_node_stats.parquet";
    std::vector<sddp::NodeInflow> out;
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; raw.node_inflows && i < raw.node_inflows->size(); ++i) {
        const raw::NodeInflowStatistics& row = (*raw.node_inflows)[i];
        const Origin origin = row_of(file, i);
        const int hydro = resolver.find(resolver.hydros, row.hydro_id, origin);
        const auto node = std::ranges::find(graph.nodes, row.node_id, &sddp::PolicyGraph::Node::id);
        if (node == graph.nodes.end()) {
            resolver.error(ProblemKind::invalid_reference,
                           origin,
                           fmt::format("node {} does not exist in stages.json", row.node_id));
        } else if (hydro >= 0 && !seen.emplace(hydro, row.node_id).second) {
            resolver.error(
                ProblemKind::duplicate_id,
                origin,
                fmt::format("node {} is given twice for hydro {}", row.node_id, row.hydro_id));
        } else if (hydro >= 0) {
            out.push_back(
                {hydro, static_cast<int>(node - graph.nodes.begin()), row.mean_m3s, row.std_m3s});
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre
