#include <cmath>

#include "lockstep/base/index.hpp"

#include "formats/cobre/write/output_dictionaries.hpp"

namespace lockstep::formats::cobre::out {
namespace {

/// Adds the bounds of one entity; limits that are not finite have no row.
class BoundRows {
public:
    BoundRows(const sddp::Calendar& calendar, std::vector<BoundRow>& out)
        : calendar_(calendar), out_(out) {}

    void entity(EntityCode code, int id, std::optional<std::int32_t> hydro_id = {}) {
        row_.entity = code;
        row_.id = id;
        row_.hydro_id = hydro_id;
    }

    void stages(BoundCode bound, const sddp::ByStage& values) {
        for (int t = 0; t < calendar_.stage_count(); ++t) {
            add(bound, t, std::nullopt, values[at(t)]);
        }
    }

    /// One row a stage where all blocks agree, else one a block.
    void blocks(BoundCode bound, const sddp::ByBlock& values, double sign = 1) {
        for (int t = 0; t < calendar_.stage_count(); ++t) {
            if (is_uniform(values, t)) {
                add(bound, t, std::nullopt, sign * values(t, 0));
            } else {
                for (int k = 0; k < block_count(t); ++k) {
                    add(bound, t, k, sign * values(t, k));
                }
            }
        }
    }

private:
    [[nodiscard]] int block_count(int stage) const {
        return static_cast<int>(calendar_.stages[at(stage)].blocks.size());
    }
    [[nodiscard]] bool is_uniform(const sddp::ByBlock& values, int stage) const {
        for (int k = 1; k < block_count(stage); ++k) {
            if (values(stage, k) != values(stage, 0)) {
                return false;
            }
        }
        return true;
    }
    void add(BoundCode bound, int stage, std::optional<std::int32_t> block, double value) {
        if (!std::isfinite(value)) {
            return;
        }
        row_.bound = bound;
        row_.stage_id = calendar_.stages[at(stage)].id;
        row_.block = block;
        row_.value = value + 0.0;  // never -0
        out_.push_back(row_);
    }

    const sddp::Calendar& calendar_;
    std::vector<BoundRow>& out_;
    BoundRow row_;
};

void add_hydro(BoundRows& rows, const sddp::Hydro& hydro) {
    using enum BoundCode;
    rows.entity(EntityCode::hydro, hydro.id);
    rows.stages(storage_min, hydro.min_storage_hm3);
    rows.stages(storage_max, hydro.max_storage_hm3);
    rows.blocks(turbined_max, hydro.max_turbined_m3s);
    rows.blocks(outflow_min, hydro.min_outflow_m3s);
    rows.blocks(outflow_max, hydro.max_outflow_m3s);
    rows.blocks(generation_max, hydro.max_generation_mw);
}

void add_group(BoundRows& rows, const sddp::UnitGroup& group, int hydro_id) {
    using enum BoundCode;
    rows.entity(EntityCode::hydro_unit_group, group.id, hydro_id);
    rows.blocks(turbined_min, group.min_turbined_m3s);
    rows.blocks(turbined_max, group.max_turbined_m3s);
    rows.blocks(generation_min, group.min_generation_mw);
    rows.blocks(generation_max, group.max_generation_mw);
}

}  // namespace

std::vector<BoundRow> bound_rows(const sddp::Problem& problem) {
    using enum BoundCode;
    std::vector<BoundRow> out;
    BoundRows rows(problem.calendar, out);
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        add_hydro(rows, hydro);
    }
    for (const sddp::Thermal& thermal : problem.system.thermals) {
        rows.entity(EntityCode::thermal, thermal.id);
        rows.blocks(generation_min, thermal.min_mw);
        rows.blocks(generation_max, thermal.max_mw);
    }
    for (const sddp::Line& line : problem.system.lines) {
        rows.entity(EntityCode::line, line.id);
        rows.blocks(flow_min, line.reverse_mw, -1);
        rows.blocks(flow_max, line.direct_mw);
    }
    for (const sddp::PumpingStation& station : problem.system.pumping_stations) {
        rows.entity(EntityCode::pumping_station, station.id);
        rows.blocks(flow_min, station.min_m3s);
        rows.blocks(flow_max, station.max_m3s);
    }
    for (const sddp::Contract& contract : problem.system.contracts) {
        rows.entity(EntityCode::contract, contract.id);
        rows.blocks(generation_min, contract.min_mw);
        rows.blocks(generation_max, contract.max_mw);
    }
    for (const sddp::Battery& battery : problem.system.batteries) {
        rows.entity(EntityCode::battery, battery.id);
        rows.stages(energy_min, battery.min_energy_mwh);
        rows.stages(energy_max, battery.max_energy_mwh);
        rows.blocks(charge_max, battery.max_charge_mw);
        rows.blocks(discharge_max, battery.max_discharge_mw);
    }
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        for (const sddp::UnitGroup& group : hydro.groups) {
            add_group(rows, group, hydro.id);
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre::out
