#pragma once

#include <array>
#include <optional>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. How inflows are modelled and estimated.

enum class NonNegativity { none, penalty, truncation, truncation_with_penalty };
constexpr std::array<Choice<NonNegativity>, 4> choices(NonNegativity) {
    return {{{"none", NonNegativity::none},
             {"penalty", NonNegativity::penalty},
             {"truncation", NonNegativity::truncation},
             {"truncation_with_penalty", NonNegativity::truncation_with_penalty}}};
}

enum class BoundSlopes { secant, tangent };
constexpr std::array<Choice<BoundSlopes>, 2> choices(BoundSlopes) {
    return {{{"secant", BoundSlopes::secant}, {"tangent", BoundSlopes::tangent}}};
}

struct InflowNonNegativity {
    NonNegativity method = NonNegativity::penalty;
    BoundSlopes bound_slopes = BoundSlopes::secant;  ///< Cobre's are tangents
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("method",
                   method,
                   {"What happens to negative inflows that are drawn. none: they stay, and a plant "
                    "without water has no solution; penalty: what is missing may be added at "
                    "inflow_nonnegativity_cost; truncation: they are cut off at 0; "
                    "truncation_with_penalty: both"});
        f.optional(
            "bound_slopes",
            bound_slopes,
            {"Where inflows with memory are truncated. secant: the lower bound is one; tangent: it "
             "is computed as by Cobre and may exceed the optimum. Not in Cobre"});
        f.replaced("penalty_cost", R"(the cost is "inflow_nonnegativity_cost" of penalties.json)");
    }
};

struct Modeling {
    InflowNonNegativity inflow_non_negativity;
    std::optional<double> cost_scale_factor;  ///< of Cobre's LP; ours scales itself
    bool all_constraint_terms = false;        ///< also those that Cobre takes for 0
    bool line_losses = false;                 ///< no part of Cobre's format
    bool linearized_head = false;             ///< to Cobre a constant productivity
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "inflow_non_negativity", inflow_non_negativity, {"How negative inflows are treated"});
        f.optional("cost_scale_factor",
                   cost_scale_factor,
                   {"Divisor of costs in Cobre's LPs. Read, without effect: LPs are scaled by what "
                    "they hold",
                    "1000000",
                    dimensionless},
                   positive);
        f.optional("all_constraint_terms",
                   all_constraint_terms,
                   {"true: hydro_withdrawal, non_controllable_generation and "
                    "non_controllable_curtailment count in generic constraints; false: they are 0 "
                    "there, as in Cobre. Not in Cobre"});
        f.optional(
            "line_losses",
            line_losses,
            {"true: of a flow on a line, losses_percent does not arrive; false: all arrives, "
             "as in Cobre"});
        f.optional("linearized_head",
                   linearized_head,
                   {"true: the productivity of plants with the model linearized_head rises with "
                    "their head, linearly in the storage; false: it is constant, as in Cobre. Not "
                    "in Cobre"});
    }
};

enum class OrderSelection { pacf, pacf_annual };
constexpr std::array<Choice<OrderSelection>, 2> choices(OrderSelection) {
    return {{{"pacf", OrderSelection::pacf}, {"pacf_annual", OrderSelection::pacf_annual}}};
}

struct Estimation {
    int max_order = 6;
    OrderSelection order_selection = OrderSelection::pacf;
    int min_observations_per_season = 30;
    std::optional<double> max_coefficient_magnitude;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("max_order",
                   max_order,
                   {"Highest order of an inflow model that is fitted to the record"},
                   at_least(0));
        f.optional("order_selection",
                   order_selection,
                   {"How the order of a season is found. pacf: by partial autocorrelations; "
                    "pacf_annual: the same, with a term of the last twelve months' mean"});
        f.optional("min_observations_per_season",
                   min_observations_per_season,
                   {"A season with fewer values in the record gets a warning"},
                   at_least(0));
        f.optional("max_coefficient_magnitude",
                   max_coefficient_magnitude,
                   {"A season that is fitted a larger standardised coefficient gets order 0; null: "
                    "no limit",
                    "3",
                    dimensionless},
                   positive);
    }
};

/// Values that Cobre has and this program has not; no part of its format.
struct Compat {
    bool rounded_moments = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("rounded_moments",
                   rounded_moments,
                   {"true: a month of the record of which more than half the values round to one "
                    "whole number has that mean and no deviation, as in Cobre; false: the mean and "
                    "deviation of its values, as small rivers need"});
    }
};

}  // namespace lockstep::formats::cobre::raw
