#pragma once

#include <vector>

#include "lockstep/sddp/policy.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// A cut of a stage.
struct CutRow {
    const sddp::StageCuts* cuts = nullptr;
    int stage_id = 0;
    std::size_t cut = 0;
};

const TableDefinition<CutRow>& cuts_table();

}  // namespace lockstep::formats::cobre::out
