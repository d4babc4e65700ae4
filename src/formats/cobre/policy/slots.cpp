#include "formats/cobre/policy/slots.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {

namespace {

/// None for a stage of which nothing is known.
std::optional<Period> period_of(const sddp::Calendar& calendar,
                                const std::vector<Period>& after,
                                int stage) {
    if (stage < calendar.stage_count()) {
        return Period{calendar.stages[at(stage)].start, calendar.stages[at(stage)].end};
    }
    const auto later = at(stage - calendar.stage_count());
    return later < after.size() ? std::optional(after[later]) : std::nullopt;
}

/// Start of a stage of the study or, where it is told, before it.
std::optional<Date> start_of(const sddp::Calendar& calendar, int stage) {
    if (stage >= 0) {
        return calendar.stages[at(stage)].start;
    }
    auto past = calendar.past;
    std::ranges::sort(past, {}, &sddp::PastStage::start);
    const auto place = std::ssize(past) + stage;
    return place < 0 ? std::nullopt : std::optional(past[at(place)].start);
}

/// Whether every place of inflow memory is the lag of its number.
bool has_plain_lags(const sddp::InflowModel& model) {
    return std::ranges::all_of(model.stages,
                               [](const auto& stage) { return stage.recall.empty(); });
}

/// The delivery in a ring of so many after a stage.
int delivery_of(int stage, int place, int ring) {
    const int first = stage + 1;
    return first + (place - first % ring + ring) % ring;
}

void set_period(Slot& slot, const std::optional<Period>& period) {
    if (period) {
        slot.start = period->start;
        slot.end = period->end;
    }
}

}  // namespace

std::string to_string(const Slot& slot) {
    switch (slot.kind) {
        case SlotKind::storage:
            return fmt::format("storage of hydro {}", slot.entity_id);
        case SlotKind::inflow_lag:
        case SlotKind::season_part:
            return fmt::format("inflow_lag of hydro {} (lag {})", slot.entity_id, slot.subindex);
        case SlotKind::commitment:
            return fmt::format("commitment of thermal {} (slot {})", slot.entity_id, slot.subindex);
        case SlotKind::transit:
        case SlotKind::block_transit:
            return fmt::format("transit of hydro {} (slot {})", slot.entity_id, slot.subindex);
        case SlotKind::energy:
            return fmt::format("energy of battery {}", slot.entity_id);
    }
    return fmt::format(
        "variable of unknown type {} of entity {}", static_cast<int>(slot.kind), slot.entity_id);
}

std::vector<Slot> slots_after(const sddp::Problem& problem,
                              int stage,
                              const std::vector<Period>& after) {
    const auto& calendar = problem.calendar;
    std::vector<Slot> slots;
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        slots.push_back({SlotKind::storage, hydro.id, 0, {}, {}, {}});
    }
    const bool has_blocks =
        std::ranges::any_of(calendar.stages, [](const auto& each) { return each.periods() > 1; });
    const auto water = has_blocks ? SlotKind::block_transit : SlotKind::transit;
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        for (int later = 1; later <= hydro.transit_periods(); ++later) {
            slots.push_back({water, hydro.id, later, {}, {}, {}});
            if (!has_blocks) {
                set_period(slots.back(), period_of(calendar, after, stage + later));
            }
        }
    }
    for (const sddp::Thermal& thermal : problem.system.thermals) {
        for (int place = 0; place < thermal.commitments; ++place) {
            slots.push_back({SlotKind::commitment, thermal.id, place, {}, {}, {}});
            const int delivery = delivery_of(stage, place, thermal.commitments);
            set_period(slots.back(), period_of(calendar, after, delivery));
        }
    }
    for (const sddp::Battery& battery : problem.system.batteries) {
        slots.push_back({SlotKind::energy, battery.id, 0, {}, {}, {}});
    }
    const auto memory =
        has_plain_lags(problem.process.inflow) ? SlotKind::inflow_lag : SlotKind::season_part;
    for (int lag = 1; lag <= problem.process.inflow.lags; ++lag) {
        for (const sddp::Hydro& hydro : problem.system.hydros) {
            slots.push_back({memory, hydro.id, lag, start_of(calendar, stage - lag + 1), {}, {}});
        }
    }
    return slots;
}

bool is_in_cuts(const Slot& slot, const sddp::Problem& problem, int stage) {
    const bool is_last = stage + 1 >= problem.stage_count();
    if (is_last && !problem.graph.is_cyclic()) {
        return true;
    }
    const auto& next = problem.calendar.stages[at(is_last ? problem.graph.back_to : stage + 1)];
    switch (slot.kind) {
        case SlotKind::storage:
            return next.storage_in_cuts;
        case SlotKind::inflow_lag:
        case SlotKind::season_part:
            return next.lags_in_cuts;
        default:
            return true;
    }
}

std::vector<std::size_t> cobre_order(const std::vector<Slot>& slots) {
    constexpr std::array order{SlotKind::storage,
                               SlotKind::inflow_lag,
                               SlotKind::season_part,
                               SlotKind::transit,
                               SlotKind::block_transit,
                               SlotKind::commitment,
                               SlotKind::energy};
    const auto rank = [&](std::size_t place) {
        const auto& slot = slots[place];
        // commitments are place by place, plants within
        const int outer = slot.kind == SlotKind::commitment ? slot.subindex : 0;
        return std::pair(std::ranges::find(order, slot.kind) - order.begin(), outer);
    };
    std::vector<std::size_t> places(slots.size());
    std::iota(places.begin(), places.end(), 0U);
    std::ranges::stable_sort(places, {}, rank);
    return places;
}

int to_number(Date date) {
    const std::chrono::year_month_day day(date);
    return static_cast<int>(day.year()) * 10000 +
           static_cast<int>(static_cast<unsigned>(day.month())) * 100 +
           static_cast<int>(static_cast<unsigned>(day.day()));
}

std::optional<Date> to_date(int number) {
    if (number < 0) {
        return std::nullopt;
    }
    const std::chrono::year_month_day day(
        std::chrono::year(number / 10000),
        std::chrono::month(static_cast<unsigned>(number / 100 % 100)),
        std::chrono::day(static_cast<unsigned>(number % 100)));
    return day.ok() ? std::optional(Date(day)) : std::nullopt;
}

}  // namespace lockstep::formats::cobre::out
