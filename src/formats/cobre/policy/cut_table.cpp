#include "formats/cobre/policy/cut_table.hpp"

#include <cstdint>

namespace lockstep::formats::cobre::out {

const TableDefinition<CutRow>& cuts_table() {
    using Row = CutRow;
    static const TableDefinition<Row> table(
        "cuts",
        {
            {"piece_id",
             "",
             "Place of the cut in its stage, from 0",
             [](const Row& r) { return static_cast<std::int64_t>(r.cut); }},
            {"stage_id",
             "",
             "Stage after which the cost is bounded, by its id",
             [](const Row& r) { return static_cast<std::int32_t>(r.stage_id); }},
            {"iteration",
             "",
             "Iteration that made the cut, from 1",
             [](const Row& r) { return r.cuts->iteration[r.cut]; }},
            {"trajectory",
             "",
             "Forward trajectory at whose state it was made, from 0",
             [](const Row& r) { return r.cuts->trajectory[r.cut]; }},
            {"intercept",
             "$",
             "Value of the cut at state 0",
             [](const Row& r) { return r.cuts->intercept[r.cut]; }},
            {"active",
             "",
             "Whether the cut bounds the cost still",
             [](const Row& r) { return r.cuts->active[r.cut] != 0; }},
            {"coefficients",
             "$/hm3, $/MW, $/MWh, $/(m3/s)",
             "Slopes: storages, water on its way, commitments, energies of batteries, then inflow "
             "lags, lag-major",
             [](const Row& r) { return r.cuts->slopes.row(static_cast<int>(r.cut)); }},
        });
    return table;
}

}  // namespace lockstep::formats::cobre::out
