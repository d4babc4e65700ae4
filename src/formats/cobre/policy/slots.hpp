#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lockstep/base/date.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::formats::cobre::out {

/// What a number of a state is, by its code in policy files. Cobre knows those below 100.
enum class SlotKind : std::uint8_t {
    storage = 0,
    inflow_lag = 1,
    commitment = 2,
    transit = 3,
    energy = 100,         ///< of a battery
    season_part = 101,    ///< inflow memory that is no lag: some stage has its lags from several
    block_transit = 102,  ///< water by the block of its arrival: some stage has ordered blocks
};

/// A number of the state after a stage.
struct Slot {
    SlotKind kind = SlotKind::storage;
    int entity_id = 0;
    int subindex = 0;  ///< lag from 1; stages until the water arrives; place of a commitment
    std::optional<Date> reference;  ///< of a lag: start of the stage whose inflow it is
    // of a commitment its delivery, of water its arrival; none after what the study knows
    std::optional<Date> start;
    std::optional<Date> end;

    /// Equal for the same number after other stages.
    [[nodiscard]] std::tuple<SlotKind, int, int> identity() const noexcept {
        return {kind, entity_id, subindex};
    }
};

/// "inflow_lag of hydro 3 (lag 1)".
std::string to_string(const Slot& slot);

/// Days from the first to the one after the last.
struct Period {
    Date start{};
    Date end{};
};

/// The state after a stage, in order.
/// @param after  stages after the study, as far as they are known
std::vector<Slot> slots_after(const sddp::Problem& problem,
                              int stage,
                              const std::vector<Period>& after = {});

/// Whether cuts after a stage may have a slope by a state: the next stage tells of storages and
/// lags.
bool is_in_cuts(const Slot& slot, const sddp::Problem& problem, int stage);

/// Places of the slots in the order of Cobre's states: storages, lags, water, commitments.
std::vector<std::size_t> cobre_order(const std::vector<Slot>& slots);

/// 20240131 of a day, and back.
int to_number(Date date);
/// @return none for what is no day
std::optional<Date> to_date(int number);

}  // namespace lockstep::formats::cobre::out
