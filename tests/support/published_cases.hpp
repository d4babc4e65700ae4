#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::test {

/// Cases in cases/sddp whose optimal bound is published (expected.json beside each).
inline std::vector<std::string> published_cases() {
    return {"1dtoy",
            "anticipated",
            "anticipated-2",
            "anticipated-hours",
            "block-bounds",
            "chronological-storage",
            "contracts",
            "d01-thermal-dispatch",
            "d02-single-hydro",
            "d03-two-hydro-cascade",
            "d04-transmission",
            "d05-fpha-constant-head",
            "d06-fpha-variable-head",
            "d07-fpha-computed",
            "d08-evaporation",
            "d09-multi-deficit",
            "d10-inflow-nonnegativity",
            "d11-water-withdrawal",
            "d12-par-annual",
            "d13-generic-constraint",
            "d14-block-factors",
            "d15-non-controllable-source",
            "d16-par1-lag-shift",
            "d19-multi-hydro-par",
            "d20-operational-violations",
            "d21-min-outflow-regression",
            "d22-per-block-min-outflow",
            "d23-bidirectional-withdrawal",
            "d24-productivity-override",
            "d25-discount-rate",
            "d26-estimated-par2",
            "d27-per-stage-thermal-cost",
            "d28-decomp-weekly-monthly",
            "d29-weekly-par-noise-sharing",
            "generic-parameters",
            "nonzero-stage-fpha-override",
            "node-tree",
            "node-tree-cvar",
            "exited-plant-transit",
            "filling",
            "pumping-transfer",
            "travel-time-arc"};
}

/// Name of a test that runs on a case.
inline std::string name_of_case(const testing::TestParamInfo<std::string>& info) {
    auto name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace lockstep::test
