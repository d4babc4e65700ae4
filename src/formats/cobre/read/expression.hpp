#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats::cobre {

// Expressions of generic constraints:
//
//     constraint = side [("<=" | ">=" | "==") side]
//     side       = ["+" | "-"] term {("+" | "-") term}
//     term       = [number "*"] (variable | "@" name | "(" side ")")
//                | [number "*"] "@" name "*" variable
//                | number                                   (only in a relation)
//     variable   = name "(" argument {"," argument} ")"
//     argument   = id | key "=" id
//
// Parsing folds a relation to one side: left minus right.

/// In the order in which the format lists the terms of a constraint.
enum class VariableKind {
    hydro_storage,
    hydro_turbined,
    hydro_spillage,
    hydro_diversion,
    hydro_outflow,
    hydro_generation,
    hydro_evaporation,
    hydro_withdrawal,
    thermal_generation,
    line_direct,
    line_reverse,
    line_exchange,
    bus_deficit,
    bus_excess,
    pumping_flow,
    pumping_power,
    contract_import,
    contract_export,
    non_controllable_generation,
    non_controllable_curtailment,
    anticipated_decision,
    hydro_inflow,
    hydro_storage_initial,
    hydro_storage_final,
    hydro_useful_volume_initial,
    hydro_useful_volume_final,
    battery_charge,  // from here on: not in Cobre
    battery_discharge,
    battery_energy_initial,
    battery_energy_final,
};

std::string_view to_string(VariableKind kind);

/// A variable of the stage problem; ids as written, -1 where not given.
struct Variable {
    VariableKind kind = VariableKind::thermal_generation;
    int entity = -1;  ///< -1 only for line_exchange between two buses
    int block = -1;
    int bus = -1;  ///< bus= of hydro_turbined and hydro_generation, source_bus= of line_exchange
    int target_bus = -1;  ///< target_bus= of line_exchange
    friend auto operator<=>(const Variable&, const Variable&) = default;
};

/// coefficient · [@parameter ·] variable
struct Term {
    double coefficient = 0;
    Variable variable;
    std::string parameter{};  ///< empty for none
};

/// coefficient · @name: of an expression, or in a relation of a parameter
struct Reference {
    double coefficient = 0;
    std::string name;
};

enum class Relation { none, at_most, at_least, equal };

/// terms + references + constant, compared with 0 if there is a relation.
struct Expression {
    std::vector<Term> terms;  ///< in the order of the text, not merged
    std::vector<Reference> references;
    double constant = 0;
    Relation relation = Relation::none;
};

/// @throws InputError  "character 12: expected …": the place from 1, what was expected and found
Expression parse_expression(std::string_view text);

}  // namespace lockstep::formats::cobre
