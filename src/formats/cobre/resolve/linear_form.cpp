#include "formats/cobre/resolve/linear_form.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "constraints/generic_constraints.json";

/// The quantity of a variable that stands for one term as it is.
std::optional<sddp::Quantity> quantity_of(VariableKind kind) {
    switch (kind) {
        case VariableKind::hydro_storage:
        case VariableKind::hydro_storage_final:
        case VariableKind::hydro_useful_volume_final:
            return sddp::Quantity::hydro_storage_final;
        case VariableKind::hydro_storage_initial:
        case VariableKind::hydro_useful_volume_initial:
            return sddp::Quantity::hydro_storage_initial;
        case VariableKind::hydro_evaporation:
            return sddp::Quantity::hydro_evaporation;
        case VariableKind::hydro_inflow:
            return sddp::Quantity::hydro_inflow;
        case VariableKind::hydro_turbined:
            return sddp::Quantity::hydro_turbined;
        case VariableKind::hydro_spillage:
            return sddp::Quantity::hydro_spillage;
        case VariableKind::hydro_diversion:
            return sddp::Quantity::hydro_diversion;
        case VariableKind::hydro_outflow:
            return sddp::Quantity::hydro_outflow;
        case VariableKind::hydro_generation:
            return sddp::Quantity::hydro_generation;
        case VariableKind::thermal_generation:
            return sddp::Quantity::thermal_generation;
        case VariableKind::line_direct:
            return sddp::Quantity::line_direct;
        case VariableKind::line_reverse:
            return sddp::Quantity::line_reverse;
        case VariableKind::bus_deficit:
            return sddp::Quantity::bus_deficit;
        case VariableKind::bus_excess:
            return sddp::Quantity::bus_excess;
        case VariableKind::anticipated_decision:
            return sddp::Quantity::anticipated_decision;
        case VariableKind::contract_import:
        case VariableKind::contract_export:
            return sddp::Quantity::contract_power;
        case VariableKind::pumping_flow:
        case VariableKind::pumping_power:
            return sddp::Quantity::pumping_flow;
        case VariableKind::hydro_withdrawal:
            return sddp::Quantity::hydro_withdrawal;
        case VariableKind::non_controllable_generation:
            return sddp::Quantity::source_generation;
        case VariableKind::non_controllable_curtailment:
            return sddp::Quantity::source_curtailment;
        case VariableKind::battery_charge:
            return sddp::Quantity::battery_charge;
        case VariableKind::battery_discharge:
            return sddp::Quantity::battery_discharge;
        case VariableKind::battery_energy_initial:
            return sddp::Quantity::battery_energy_initial;
        case VariableKind::battery_energy_final:
            return sddp::Quantity::battery_energy_final;
        default:
            return std::nullopt;
    }
}

bool is_useful_volume(VariableKind kind) {
    return kind == VariableKind::hydro_useful_volume_initial ||
           kind == VariableKind::hydro_useful_volume_final;
}

/// Variables that Cobre accepts without effect.
bool is_ignored_by_cobre(VariableKind kind) {
    return kind == VariableKind::hydro_withdrawal ||
           kind == VariableKind::non_controllable_generation ||
           kind == VariableKind::non_controllable_curtailment;
}

bool is_storage(VariableKind kind) {
    return kind == VariableKind::hydro_storage || kind == VariableKind::hydro_storage_initial ||
           kind == VariableKind::hydro_storage_final || is_useful_volume(kind) ||
           kind == VariableKind::battery_energy_initial ||
           kind == VariableKind::battery_energy_final;
}

/// Two variables may mean the same column: its coefficients add up.
void merge(std::vector<sddp::ConstraintTerm>& terms) {
    const auto key = [](const sddp::ConstraintTerm& t) {
        return std::tuple(t.quantity, t.entity, t.block, t.bus);
    };
    std::stable_sort(
        terms.begin(), terms.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    std::vector<sddp::ConstraintTerm> merged;
    for (const sddp::ConstraintTerm& term : terms) {
        if (!merged.empty() && key(merged.back()) == key(term)) {
            merged.back().coefficient += term.coefficient;
        } else {
            merged.push_back(term);
        }
    }
    std::erase_if(merged, [](const sddp::ConstraintTerm& term) { return term.coefficient == 0; });
    terms = std::move(merged);
}

bool may_name_bus(VariableKind kind) {
    return kind == VariableKind::hydro_turbined || kind == VariableKind::hydro_generation;
}

std::string number_or_all(int number) {
    return number < 0 ? "all" : std::to_string(number);
}

/// Every argument that the variable can have, also those that were left out.
NamedTerm named(const Variable& variable) {
    const std::string kind(to_string(variable.kind));
    std::string text = fmt::format("{}(id={}", kind, variable.entity);
    if (may_name_bus(variable.kind)) {
        text += ", bus=" + number_or_all(variable.bus);
    }
    if (variable.kind != VariableKind::hydro_storage) {
        text += ", block=" + number_or_all(variable.block);
    }
    return {kind, text + ')'};
}

}  // namespace

FormResolver::FormResolver(const raw::Case& raw,
                           const Parameters& parameters,
                           const Resolver& resolver,
                           const sddp::System& system)
    : resolver_(resolver),
      system_(system),
      parameters_(parameters),
      names_(raw.generic, parameters, resolver),
      counts_all_terms_(raw.config.modeling.all_constraint_terms) {}

std::optional<ConstraintForm> FormResolver::constraint(
    const raw::GenericConstraint& constraint) const {
    const Origin origin = line_of(file, constraint.line, "constraint", constraint.id);
    const auto expression = parse_reported(constraint.expression, origin, resolver_);
    const auto resolved = expression ? names_.resolved(*expression, origin) : std::nullopt;
    if (!resolved) {
        return std::nullopt;
    }
    ConstraintForm form;
    form.relation = expression->relation;
    form.constant = expression->constant;
    form.constants.assign(resolved->constants.begin(), resolved->constants.end());
    form.has_parameters = !form.constants.empty();
    form.is_stock = !resolved->terms.empty();
    return add_terms(resolved->terms, origin, form) ? std::optional(form) : std::nullopt;
}

// The parameters of one variable are next to each other.
bool FormResolver::add_terms(const Sum& sum, const Origin& origin, ConstraintForm& form) const {
    bool is_sound = true;
    for (auto first = sum.begin(); first != sum.end();) {
        const Variable& variable = first->first.first;
        Factors factors;
        for (; first != sum.end() && first->first.first == variable; ++first) {
            const int parameter = first->first.second;
            factors.emplace_back(parameter, first->second);
            form.has_parameters = form.has_parameters || parameter >= 0;
            form.is_stock =
                form.is_stock && (parameter < 0 || !parameters_.differs_by_block(parameter));
        }
        form.is_stock = form.is_stock && is_storage(variable.kind);
        is_sound = add_term(variable, factors, origin, form) && is_sound;
    }
    for (const auto& [parameter, coefficient] : form.constants) {
        form.is_stock = form.is_stock && !parameters_.differs_by_block(parameter);
    }
    return is_sound;
}

std::optional<double> FormResolver::value(const Factors& factors,
                                          const Origin& origin,
                                          int stage,
                                          int block) const {
    double sum = 0;
    for (const auto& [parameter, coefficient] : factors) {
        const auto value =
            parameter < 0 ? std::optional(1.0) : parameters_.value(parameter, stage, block);
        if (!value) {
            resolver_.error(ProblemKind::invalid_reference,
                            origin,
                            fmt::format("the parameter @{} has no value in stage {}{}",
                                        parameters_.names()[at(parameter)],
                                        resolver_.calendar.stages[at(stage)].id,
                                        block < 0 ? "" : fmt::format(", block {}", block)));
            return std::nullopt;
        }
        sum += coefficient * *value;
    }
    if (!std::isfinite(sum)) {
        resolver_.error(ProblemKind::invalid_value, origin, "a coefficient is too large");
        return std::nullopt;
    }
    return sum;
}

std::optional<RowForm> FormResolver::in_row(const ConstraintForm& form,
                                            const Origin& origin,
                                            int stage,
                                            int block) const {
    RowForm out;
    const auto constants = value(form.constants, origin, stage, block);
    if (!constants) {
        return std::nullopt;
    }
    out.relation_bound = 0 - form.constant - *constants;
    for (const FormTerm& term : form.terms) {
        const auto coefficient = value(term.factors, origin, stage, block);
        if (!coefficient) {
            return std::nullopt;
        }
        out.coefficients.push_back(*coefficient);
        out.offset += *coefficient * term.offset;
        for (sddp::ConstraintTerm column : term.columns) {
            column.coefficient *= *coefficient;
            out.terms.push_back(column);
        }
    }
    merge(out.terms);
    return out;
}

bool FormResolver::can_use(const Variable& variable, const Origin& origin) const {
    const auto refuse = [&](std::string_view why) {
        resolver_.error(ProblemKind::not_supported,
                        origin,
                        fmt::format("not supported yet: {} {}", to_string(variable.kind), why));
    };
    if (!quantity_of(variable.kind)) {
        refuse("in a generic constraint");
        return false;
    }
    return true;
}

bool FormResolver::add_term(const Variable& variable,
                            const Factors& factors,
                            const Origin& origin,
                            ConstraintForm& form) const {
    if (variable.kind == VariableKind::line_exchange) {
        return add_exchange(variable, factors, origin, form);
    }
    if (!can_use(variable, origin)) {
        return false;
    }
    const int entity = find_entity(variable, origin);
    sddp::ConstraintTerm column{1, *quantity_of(variable.kind), entity, variable.block, -1};
    if (entity < 0 || !find_bus(variable, entity, origin, column)) {
        return false;
    }
    if (is_ignored_by_cobre(variable.kind) && !counts_all_terms_) {
        resolver_.error(ProblemKind::model_quality,
                        origin,
                        fmt::format("{} counts as 0, as in Cobre, unless "
                                    "modeling.all_constraint_terms of config.json is true",
                                    to_string(variable.kind)));
        return true;
    }
    FormTerm term{{column}, named(variable), 0, factors};
    if (variable.kind == VariableKind::pumping_power) {
        term.columns[0].coefficient = system_.pumping_stations[at(entity)].consumption_mw_per_m3s;
    }
    if (is_useful_volume(variable.kind)) {
        term.offset = -system_.hydros[at(entity)].entity_min_storage_hm3;
    }
    form.terms.push_back(std::move(term));
    return true;
}

bool FormResolver::add_exchange(const Variable& variable,
                                const Factors& factors,
                                const Origin& origin,
                                ConstraintForm& form) const {
    const auto add_line = [&](int line, double sign) {
        Variable exchange = variable;
        exchange.entity = system_.lines[at(line)].id;
        Factors signed_factors = factors;
        for (auto& [parameter, coefficient] : signed_factors) {
            coefficient *= sign;
        }
        form.terms.push_back({{{1, sddp::Quantity::line_direct, line, variable.block, -1},
                               {-1, sddp::Quantity::line_reverse, line, variable.block, -1}},
                              named(exchange),
                              0,
                              std::move(signed_factors)});
    };
    if (variable.entity >= 0) {
        const int line = resolver_.find(resolver_.lines, variable.entity, origin);
        if (line >= 0) {
            add_line(line, 1);
        }
        return line >= 0;
    }
    const int source = resolver_.find(resolver_.buses, variable.bus, origin);
    const int target = resolver_.find(resolver_.buses, variable.target_bus, origin);
    bool has_line = false;
    for (std::size_t i = 0; source >= 0 && target >= 0 && i < system_.lines.size(); ++i) {
        const sddp::Line& line = system_.lines[i];
        const bool is_direct = line.source == source && line.target == target;
        const bool is_reverse = line.source == target && line.target == source;
        if (is_direct || is_reverse) {
            add_line(static_cast<int>(i), is_direct ? 1 : -1);
            has_line = true;
        }
    }
    if (!has_line && source >= 0 && target >= 0) {
        resolver_.error(
            ProblemKind::invalid_reference,
            origin,
            fmt::format("no line joins buses {} and {}", variable.bus, variable.target_bus));
    }
    return has_line;
}

int FormResolver::find_entity(const Variable& variable, const Origin& origin) const {
    switch (variable.kind) {
        case VariableKind::thermal_generation:
        case VariableKind::anticipated_decision:
            return resolver_.find(resolver_.thermals, variable.entity, origin);
        case VariableKind::line_direct:
        case VariableKind::line_reverse:
            return resolver_.find(resolver_.lines, variable.entity, origin);
        case VariableKind::non_controllable_generation:
        case VariableKind::non_controllable_curtailment:
            return resolver_.find(resolver_.sources, variable.entity, origin);
        case VariableKind::bus_deficit:
        case VariableKind::bus_excess:
            return resolver_.find(resolver_.buses, variable.entity, origin);
        case VariableKind::pumping_flow:
        case VariableKind::pumping_power:
            return resolver_.find(resolver_.pumping_stations, variable.entity, origin);
        case VariableKind::battery_charge:
        case VariableKind::battery_discharge:
        case VariableKind::battery_energy_initial:
        case VariableKind::battery_energy_final:
            return resolver_.find(resolver_.batteries, variable.entity, origin);
        case VariableKind::contract_import:
            return find_contract(variable, true, origin);
        case VariableKind::contract_export:
            return find_contract(variable, false, origin);
        default:
            return resolver_.find(resolver_.hydros, variable.entity, origin);
    }
}

int FormResolver::find_contract(const Variable& variable,
                                bool is_import,
                                const Origin& origin) const {
    const int contract = resolver_.find(resolver_.contracts, variable.entity, origin);
    if (contract >= 0 && system_.contracts[at(contract)].is_import != is_import) {
        resolver_.error(ProblemKind::invalid_reference,
                        origin,
                        fmt::format("contract {} is an {}: use contract_{}",
                                    variable.entity,
                                    is_import ? "export" : "import",
                                    is_import ? "export" : "import"));
        return -1;
    }
    return contract;
}

bool FormResolver::find_bus(const Variable& variable,
                            int hydro,
                            const Origin& origin,
                            sddp::ConstraintTerm& term) const {
    if (variable.bus < 0) {
        return true;
    }
    term.bus = resolver_.find(resolver_.buses, variable.bus, origin);
    const auto& groups = system_.hydros[at(hydro)].groups;
    const bool feeds = std::any_of(groups.begin(), groups.end(), [&](const sddp::UnitGroup& group) {
        return group.bus == term.bus;
    });
    if (term.bus >= 0 && !feeds) {
        resolver_.error(
            ProblemKind::invalid_reference,
            origin,
            fmt::format("hydro {} has no unit group at bus {}", variable.entity, variable.bus));
    }
    return term.bus >= 0 && feeds;
}

}  // namespace lockstep::formats::cobre
