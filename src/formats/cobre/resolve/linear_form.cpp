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
        case VariableKind::contract_import:
        case VariableKind::contract_export:
            return sddp::Quantity::contract_power;
        case VariableKind::pumping_flow:
        case VariableKind::pumping_power:
            return sddp::Quantity::pumping_flow;
        default:
            return std::nullopt;
    }
}

bool is_useful_volume(VariableKind kind) {
    return kind == VariableKind::hydro_useful_volume_initial ||
           kind == VariableKind::hydro_useful_volume_final;
}

bool is_storage(VariableKind kind) {
    return kind == VariableKind::hydro_storage || kind == VariableKind::hydro_storage_initial ||
           kind == VariableKind::hydro_storage_final || is_useful_volume(kind);
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
NamedTerm named(const Variable& variable, double coefficient) {
    const std::string kind(to_string(variable.kind));
    std::string text = fmt::format("{}(id={}", kind, variable.entity);
    if (may_name_bus(variable.kind)) {
        text += ", bus=" + number_or_all(variable.bus);
    }
    if (variable.kind != VariableKind::hydro_storage) {
        text += ", block=" + number_or_all(variable.block);
    }
    return {coefficient, kind, text + ')'};
}

}  // namespace

FormResolver::FormResolver(const raw::Case& raw,
                           const Resolver& resolver,
                           const sddp::System& system)
    : resolver_(resolver), system_(system), names_(raw.generic, raw.generic_parameters, resolver) {}

std::optional<ConstraintForm> FormResolver::constraint(
    const raw::GenericConstraint& constraint) const {
    const Origin origin = line_of(file, constraint.line, "constraint", constraint.id);
    const auto expression = parse_reported(constraint.expression, origin, resolver_);
    const auto sum = expression ? names_.sum(*expression, origin) : std::nullopt;
    if (!sum) {
        return std::nullopt;
    }
    ConstraintForm form;
    form.relation = expression->relation;
    form.relation_bound = 0 - expression->constant;
    form.is_stock = !sum->empty();
    bool is_sound = true;
    for (const auto& [variable, coefficient] : *sum) {
        form.is_stock = form.is_stock && is_storage(variable.kind);
        is_sound = add_term(variable, coefficient, origin, form) && is_sound;
    }
    merge(form.terms);
    return is_sound ? std::optional(form) : std::nullopt;
}

bool FormResolver::add_term(const Variable& variable,
                            double coefficient,
                            const Origin& origin,
                            ConstraintForm& form) const {
    if (!std::isfinite(coefficient)) {
        resolver_.error(
            ProblemKind::invalid_value,
            origin,
            fmt::format("the coefficient of {} is too large", to_string(variable.kind)));
        return false;
    }
    if (variable.kind == VariableKind::line_exchange) {
        return add_exchange(variable, coefficient, origin, form);
    }
    const auto quantity = quantity_of(variable.kind);
    if (!quantity) {
        resolver_.error(
            ProblemKind::not_supported,
            origin,
            fmt::format("not supported yet: {} in a generic constraint", to_string(variable.kind)));
        return false;
    }
    if (is_storage(variable.kind) && variable.block >= 0) {
        resolver_.error(
            ProblemKind::not_supported,
            origin,
            fmt::format("not supported yet: {} of a block, which needs chronological blocks",
                        to_string(variable.kind)));
        return false;
    }
    const int entity = find_entity(variable, origin);
    sddp::ConstraintTerm term{coefficient, *quantity, entity, variable.block, -1};
    if (entity < 0 || !find_bus(variable, entity, origin, term)) {
        return false;
    }
    if (variable.kind == VariableKind::hydro_evaporation) {
        term.block = -1;  // one flow for all parallel blocks
    }
    if (variable.kind == VariableKind::pumping_power) {
        term.coefficient *= system_.pumping_stations[at(entity)].consumption_mw_per_m3s;
    }
    if (is_useful_volume(variable.kind)) {
        form.offset -= coefficient * system_.hydros[at(entity)].entity_min_storage_hm3;
    }
    form.terms.push_back(term);
    form.names.push_back(named(variable, coefficient));
    return true;
}

bool FormResolver::add_exchange(const Variable& variable,
                                double coefficient,
                                const Origin& origin,
                                ConstraintForm& form) const {
    const auto add_line = [&](int line, double sign) {
        Variable exchange = variable;
        exchange.entity = system_.lines[at(line)].id;
        form.names.push_back(named(exchange, sign * coefficient));
        form.terms.push_back(
            {sign * coefficient, sddp::Quantity::line_direct, line, variable.block, -1});
        form.terms.push_back(
            {-sign * coefficient, sddp::Quantity::line_reverse, line, variable.block, -1});
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
            return resolver_.find(resolver_.thermals, variable.entity, origin);
        case VariableKind::line_direct:
        case VariableKind::line_reverse:
            return resolver_.find(resolver_.lines, variable.entity, origin);
        case VariableKind::bus_deficit:
        case VariableKind::bus_excess:
            return resolver_.find(resolver_.buses, variable.entity, origin);
        case VariableKind::pumping_flow:
        case VariableKind::pumping_power:
            return resolver_.find(resolver_.pumping_stations, variable.entity, origin);
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
