#pragma once

#include <optional>
#include <vector>

#include "formats/cobre/records.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// penalties.json, and the hydro costs that entities and stages may override.

struct DeficitSegment {
    int line = 0;
    std::optional<double> depth_mw;
    double cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.optional("depth_mw", depth_mw, positive);
        f.required("cost", cost, positive);
    }
};

struct BusPenalties {
    std::vector<DeficitSegment> deficit_segments;
    double excess_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("deficit_segments", deficit_segments);
        f.required("excess_cost", excess_cost, positive);
    }
};

struct LinePenalties {
    double exchange_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("exchange_cost", exchange_cost, positive);
    }
};

struct SourcePenalties {
    double curtailment_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("curtailment_cost", curtailment_cost, positive);
    }
};

/// Some of a plant's costs; an empty one leaves what a wider level says.
struct HydroCosts {
    std::optional<double> spillage;
    std::optional<double> turbined;
    std::optional<double> diversion;
    std::optional<double> storage_below;
    std::optional<double> filling_target;
    std::optional<double> turbined_below;
    std::optional<double> outflow_below;
    std::optional<double> outflow_above;
    std::optional<double> generation_below;
    std::optional<double> evaporation;
    std::optional<double> withdrawal;
    std::optional<double> evaporation_pos;
    std::optional<double> evaporation_neg;
    std::optional<double> withdrawal_pos;
    std::optional<double> withdrawal_neg;
    std::optional<double> inflow_nonnegativity;

    /// each(key, member, range) for the costs that every level may give.
    template <typename Each>
    static void symmetric(Each each) {
        each("spillage_cost", &HydroCosts::spillage, positive);
        each("turbined_cost", &HydroCosts::turbined, non_negative);
        each("diversion_cost", &HydroCosts::diversion, positive);
        each("storage_violation_below_cost", &HydroCosts::storage_below, positive);
        each("filling_target_violation_cost", &HydroCosts::filling_target, positive);
        each("turbined_violation_below_cost", &HydroCosts::turbined_below, positive);
        each("outflow_violation_below_cost", &HydroCosts::outflow_below, positive);
        each("outflow_violation_above_cost", &HydroCosts::outflow_above, positive);
        each("generation_violation_below_cost", &HydroCosts::generation_below, positive);
        each("evaporation_violation_cost", &HydroCosts::evaporation, positive);
        each("water_withdrawal_violation_cost", &HydroCosts::withdrawal, positive);
    }
    template <typename Each>
    static void directional(Each each) {
        each("evaporation_violation_pos_cost", &HydroCosts::evaporation_pos, non_negative);
        each("evaporation_violation_neg_cost", &HydroCosts::evaporation_neg, non_negative);
        each("water_withdrawal_violation_pos_cost", &HydroCosts::withdrawal_pos, non_negative);
        each("water_withdrawal_violation_neg_cost", &HydroCosts::withdrawal_neg, non_negative);
    }
    template <typename Each>
    static void inflow(Each each) {
        each("inflow_nonnegativity_cost", &HydroCosts::inflow_nonnegativity, positive);
    }
};

/// The case's defaults: every symmetric cost is given.
struct GlobalHydroCosts : HydroCosts {
    template <typename Fields>
    void fields(Fields& f) {
        const auto optional = [&](const char* key, auto member, Range range) {
            f.optional(key, this->*member, range);
        };
        f.replaced("fpha_turbined_cost", R"(it is "turbined_cost")");
        symmetric([&](const char* key, auto member, Range range) {
            f.required(key, this->*member, range);
        });
        directional(optional);
        inflow(optional);
    }
};

/// "penalties" of a plant.
struct EntityHydroCosts : HydroCosts {
    template <typename Fields>
    void fields(Fields& f) {
        const auto optional = [&](const char* key, auto member, Range range) {
            f.optional(key, this->*member, range);
        };
        f.replaced("fpha_turbined_cost", R"(it is "turbined_cost")");
        symmetric(optional);
        inflow(optional);
    }
};

struct Penalties {
    BusPenalties bus;
    LinePenalties line;
    GlobalHydroCosts hydro;
    SourcePenalties non_controllable_source;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("bus", bus);
        f.required("line", line);
        f.required("hydro", hydro);
        f.required("non_controllable_source", non_controllable_source);
    }
};

}  // namespace lockstep::formats::cobre::raw
