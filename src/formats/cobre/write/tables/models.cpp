#include "formats/cobre/write/tables/models.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {
namespace {

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

const char* shape(const sddp::ConstraintRow& row) {
    if (!std::isfinite(row.lower)) {
        return "cap";
    }
    if (!std::isfinite(row.upper)) {
        return "floor";
    }
    return row.lower == row.upper ? "equality" : "band";
}

std::optional<std::string> text(const NamedTerm* term, const std::string NamedTerm::*member) {
    return term == nullptr ? std::nullopt : std::optional<std::string>(term->*member);
}

const sddp::ProductionPlane& plane_of(const PlaneRow& row) {
    return row.planes->fit.planes[at(row.plane)];
}

}  // namespace

const TableDefinition<PlaneRow>& fitted_planes_table() {
    using Row = PlaneRow;
    static const TableDefinition<Row> table(
        "hydro_models/fpha_hyperplanes",
        {
            {"hydro_id",
             "",
             "Hydro",
             [](const Row& r) -> std::int32_t { return r.planes->hydro_id; }},
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::optional<std::int32_t> { return r.stage_id; }},
            {"plane_id",
             "",
             "Plane of the plant and stage, from 0",
             [](const Row& r) -> std::int32_t { return r.plane; }},
            {"gamma_0",
             "MW",
             "Generation of the plane at volume, flow and spillage 0",
             [](const Row& r) { return plane_of(r).intercept; }},
            {"gamma_v",
             "MW/hm3",
             "By the mean volume of the stage",
             [](const Row& r) { return plane_of(r).volume; }},
            {"gamma_q",
             "MW/(m3/s)",
             "By the turbined flow",
             [](const Row& r) { return plane_of(r).turbined; }},
            {"gamma_s",
             "MW/(m3/s)",
             "By the spillage",
             [](const Row& r) { return plane_of(r).spilled; }},
            {"kappa",
             "",
             "Factor of gamma_0: 1, the fit is in the planes",
             [](const Row&) -> std::optional<double> { return 1; }},
            {"valid_v_min_hm3",
             "hm3",
             "Least volume that was fitted",
             [](const Row& r) -> std::optional<double> { return r.planes->task.min_volume_hm3; }},
            {"valid_v_max_hm3",
             "hm3",
             "Largest volume that was fitted",
             [](const Row& r) -> std::optional<double> { return r.planes->task.max_volume_hm3; }},
            {"valid_q_max_m3s",
             "m3/s",
             "Largest flow that was fitted",
             [](const Row& r) -> std::optional<double> { return r.planes->task.max_turbined_m3s; }},
        });
    return table;
}

const TableDefinition<FitPointRow>& fit_points_table() {
    using Row = FitPointRow;
    static const TableDefinition<Row> table(
        "hydro_models/fpha_deviation_points",
        {
            {"hydro_id",
             "",
             "Hydro",
             [](const Row& r) -> std::int32_t { return r.planes->hydro_id; }},
            {"stage_id",
             "",
             "First stage, id as declared, of those with this fit",
             [](const Row& r) -> std::int32_t { return r.planes->stage_ids.front(); }},
            {"volume_hm3", "hm3", "Volume", [](const Row& r) { return r.point->volume_hm3; }},
            {"turbined_m3s",
             "m3/s",
             "Turbined flow, without spillage",
             [](const Row& r) { return r.point->turbined_m3s; }},
            {"generation_mw",
             "MW",
             "What the plant generates there",
             [](const Row& r) { return r.point->generation_mw; }},
            {"fitted_mw",
             "MW",
             "What its planes allow there",
             [](const Row& r) { return r.point->fitted_mw; }},
            {"deviation_mw",
             "MW",
             "fitted_mw less generation_mw",
             [](const Row& r) { return r.point->fitted_mw - r.point->generation_mw; }},
        });
    return table;
}

const TableDefinition<EvaporationLine>& evaporation_models_table() {
    using Row = EvaporationLine;
    static const TableDefinition<Row> table(
        "hydro_models/evaporation_models",
        {
            {"hydro_id", "", "Hydro", [](const Row& r) -> std::int32_t { return r.hydro_id; }},
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::optional<std::int32_t> { return r.stage_id; }},
            {"intercept_m3s",
             "m3/s",
             "Net evaporation at volume 0",
             [](const Row& r) { return r.intercept_m3s; }},
            {"volume_slope_m3s_per_hm3",
             "m3/s/hm3",
             "Net evaporation per volume",
             [](const Row& r) { return r.slope_m3s_per_hm3; }},
            {"reference_volume_hm3",
             "hm3",
             "Volume at which the line touches the curve",
             [](const Row& r) { return r.reference_hm3; }},
            {"source",
             "",
             "user_supplied or default_midpoint: where the reference volume comes from",
             [](const Row& r) {
                 return std::string(r.is_reference_given ? "user_supplied" : "default_midpoint");
             }},
        });
    return table;
}

const TableDefinition<EchoRow>& resolved_echo_table() {
    using Row = EchoRow;
    static const TableDefinition<Row> table(
        "generic_constraints/resolved_echo",
        {
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::int32_t { return r.stage_id; }},
            {"block_id",
             "",
             "Block index, from 0; null: the row is for the whole stage",
             [](const Row& r) -> std::optional<std::int32_t> {
                 return r.row->block < 0 ? std::nullopt : std::optional(r.row->block);
             }},
            {"constraint_id",
             "",
             "Constraint",
             [](const Row& r) -> std::int32_t { return r.constraint->id; }},
            {"constraint_name", "", "Its name", [](const Row& r) { return r.constraint->name; }},
            {"term_index",
             "",
             "Term, from 0; null for a constraint without terms",
             [](const Row& r) {
                 return r.named == nullptr ? std::nullopt : std::optional<std::int32_t>(r.term);
             }},
            {"variable_kind",
             "",
             "Name of the term's variable",
             [](const Row& r) { return text(r.named, &NamedTerm::kind); }},
            {"variable",
             "",
             "The variable with all its arguments",
             [](const Row& r) { return text(r.named, &NamedTerm::variable); }},
            {"coefficient",
             "",
             "Its coefficient, like terms added up",
             [](const Row& r) {
                 return r.named == nullptr ? std::nullopt : std::optional(r.coefficient);
             }},
            {"bound_lower",
             "",
             "Least value of the sum, constants included; null for none",
             [](const Row& r) { return finite(r.row->lower); }},
            {"bound_upper",
             "",
             "Largest value of the sum, constants included; null for none",
             [](const Row& r) { return finite(r.row->upper); }},
            {"derived_shape",
             "",
             "cap, floor, band or equality",
             [](const Row& r) { return std::string(shape(*r.row)); }},
            {"slack_enabled",
             "",
             "Whether the row may be violated at a cost",
             [](const Row& r) { return r.constraint->has_slack; }},
            {"slack_penalty",
             "$ per unit and hour",
             "That cost; null without a slack",
             [](const Row& r) {
                 return r.constraint->has_slack ? std::optional(r.constraint->penalty)
                                                : std::nullopt;
             }},
        });
    return table;
}

const TableDefinition<FixedDelivery>& fixed_deliveries_table() {
    using Row = FixedDelivery;
    static const TableDefinition<Row> table(
        "anticipated/fixed_deliveries",
        {
            {"thermal_id", "", "Plant", [](const Row& r) -> std::int32_t { return r.thermal->id; }},
            {"start_date",
             "",
             "First day of the stage after the study",
             [](const Row& r) { return r.delivery->start; }},
            {"end_date",
             "",
             "Day after the last of that stage",
             [](const Row& r) { return r.delivery->end; }},
            {"value_mw",
             "MW",
             "Mean generation of that stage, decided before the study",
             [](const Row& r) { return r.delivery->committed_mw; }},
        });
    return table;
}

void describe_model_tables(std::vector<ColumnDescription>& out) {
    evaporation_models_table().describe(out);
    fitted_planes_table().describe(out);
    fit_points_table().describe(out);
    resolved_echo_table().describe(out);
    fixed_deliveries_table().describe(out);
}

}  // namespace lockstep::formats::cobre::out
