#include "formats/cobre/write/tables/models.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace

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
                 return r.named == nullptr ? std::nullopt : std::optional(r.named->coefficient);
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

void describe_model_tables(std::vector<ColumnDescription>& out) {
    evaporation_models_table().describe(out);
    resolved_echo_table().describe(out);
}

}  // namespace lockstep::formats::cobre::out
