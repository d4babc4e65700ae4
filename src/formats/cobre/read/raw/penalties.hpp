#pragma once

#include <optional>
#include <vector>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
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
        f.optional("depth_mw",
                   depth_mw,
                   {"Load that may go unserved at this cost; null in the last segment, and there "
                    "only: all the rest",
                    "100"},
                   positive);
        f.required("cost",
                   cost,
                   {"Cost of load that is not served; rises from segment to segment, and the last "
                    "should be above every thermal cost",
                    "5000",
                    "$/MWh"},
                   positive);
    }
};

struct BusPenalties {
    std::vector<DeficitSegment> deficit_segments;
    double excess_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("deficit_segments",
                   deficit_segments,
                   {"Steps of the cost of load that is not served, the cheapest first"});
        f.required("excess_cost",
                   excess_cost,
                   {"Cost of generation that nobody takes", "0.1", "$/MWh"},
                   positive);
    }
};

struct LinePenalties {
    double exchange_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("exchange_cost",
                   exchange_cost,
                   {"Cost of a flow in either direction; a small one keeps power from going in "
                    "circles",
                    "0.01",
                    "$/MWh"},
                   positive);
    }
};

struct SourcePenalties {
    double curtailment_cost = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("curtailment_cost",
                   curtailment_cost,
                   {"Cost of available generation that is not used", "0.05", "$/MWh"},
                   positive);
    }
};

inline constexpr std::string_view per_flow = "$/(m³/s·h)";

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

    /// each(key, member, about, range) for the costs that every level may give.
    template <typename Each>
    static void symmetric(Each each) {
        each("spillage_cost",
             &HydroCosts::spillage,
             About{"Cost of water that is spilled; a small one makes spilling the last of the "
                   "choices that cost nothing else",
                   "0.01",
                   per_flow},
             positive);
        each("turbined_cost",
             &HydroCosts::turbined,
             About{"Cost of water that is turbined; a small one decides between plants of equal "
                   "worth",
                   "0.005",
                   per_flow},
             non_negative);
        each("diversion_cost",
             &HydroCosts::diversion,
             About{"Cost of water that is diverted", "0.1", per_flow},
             positive);
        each("storage_violation_below_cost",
             &HydroCosts::storage_below,
             About{"Cost of a storage below its minimum, at the end of a stage, of reservoirs that "
                   "are filled during the study or whose min_storage_is_soft; others are never "
                   "below",
                   "10000",
                   "$/hm³"},
             positive);
        each("filling_target_violation_cost",
             &HydroCosts::filling_target,
             About{"Cost of a storage below its target, at the end of a stage, while a reservoir "
                   "is filled",
                   "50000",
                   "$/hm³"},
             positive);
        each("turbined_violation_below_cost",
             &HydroCosts::turbined_below,
             About{"Cost of turbining less than the minimum of the unit groups", "500", per_flow},
             positive);
        each("outflow_violation_below_cost",
             &HydroCosts::outflow_below,
             About{"Cost of an outflow, turbined and spilled, below its minimum", "500", per_flow},
             positive);
        each("outflow_violation_above_cost",
             &HydroCosts::outflow_above,
             About{"Cost of an outflow above its maximum", "500", per_flow},
             positive);
        each("generation_violation_below_cost",
             &HydroCosts::generation_below,
             About{"Cost of generating less than the minimum of the unit groups", "1000", "$/MWh"},
             positive);
        each("evaporation_violation_cost",
             &HydroCosts::evaporation,
             About{"Cost of evaporation that differs from what the volume of the reservoir makes; "
                   "stands for both directions",
                   "5000",
                   per_flow},
             positive);
        each("water_withdrawal_violation_cost",
             &HydroCosts::withdrawal,
             About{"Cost of withdrawing another flow than is asked for; stands for both directions",
                   "1000",
                   per_flow},
             positive);
    }
    template <typename Each>
    static void directional(Each each) {
        each("evaporation_violation_pos_cost",
             &HydroCosts::evaporation_pos,
             About{"Cost of evaporation above what the volume makes; null: "
                   "evaporation_violation_cost",
                   "5000",
                   per_flow},
             non_negative);
        each("evaporation_violation_neg_cost",
             &HydroCosts::evaporation_neg,
             About{"Cost of evaporation below what the volume makes; null: "
                   "evaporation_violation_cost",
                   "5000",
                   per_flow},
             non_negative);
        each("water_withdrawal_violation_pos_cost",
             &HydroCosts::withdrawal_pos,
             About{"Cost of withdrawing more than is asked for; null: "
                   "water_withdrawal_violation_cost",
                   "1000",
                   per_flow},
             non_negative);
        each("water_withdrawal_violation_neg_cost",
             &HydroCosts::withdrawal_neg,
             About{"Cost of withdrawing less than is asked for; null: "
                   "water_withdrawal_violation_cost",
                   "1000",
                   per_flow},
             non_negative);
    }
    template <typename Each>
    static void inflow(Each each) {
        each("inflow_nonnegativity_cost",
             &HydroCosts::inflow_nonnegativity,
             About{"Cost of inflow that is added where drawn inflows are negative, with the "
                   "methods penalty and truncation_with_penalty of config.json; 1000 where no "
                   "level gives it",
                   "1000",
                   per_flow},
             positive);
    }
};

/// The case's defaults: every symmetric cost is given.
struct GlobalHydroCosts : HydroCosts {
    template <typename Fields>
    void fields(Fields& f) {
        const auto optional = [&](const char* key, auto member, const About& about, Range range) {
            f.optional(key, this->*member, about, range);
        };
        f.replaced("fpha_turbined_cost", R"(it is "turbined_cost")");
        symmetric([&](const char* key, auto member, const About& about, Range range) {
            f.required(key, this->*member, about, range);
        });
        directional(optional);
        inflow(optional);
    }
};

/// "penalties" of a plant.
struct EntityHydroCosts : HydroCosts {
    template <typename Fields>
    void fields(Fields& f) {
        const auto optional = [&](const char* key, auto member, const About& about, Range range) {
            f.optional(key, this->*member, about, range);
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
        f.required("bus", bus, {"Costs at every bus that has none of its own"});
        f.required("line", line, {"Costs of every line that has none of its own"});
        f.required("hydro",
                   hydro,
                   {"Costs of every plant; those of a plant in system/hydros.json go before them, "
                    "those of a stage in constraints/penalty_overrides_hydro.parquet before both"});
        f.required("non_controllable_source",
                   non_controllable_source,
                   {"Costs of every source that has none of its own"});
    }
};

}  // namespace lockstep::formats::cobre::raw
