#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/linear_form.hpp"
#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "constraints/generic_constraints.json";
constexpr const char* bounds_file = "constraints/generic_constraint_bounds.parquet";
constexpr double infinity = std::numeric_limits<double>::infinity();

Origin origin_of(const raw::GenericConstraint& constraint) {
    return line_of(file, constraint.line, "constraint", constraint.id);
}

/// A constraint whose expression is resolved.
struct ResolvedConstraint {
    Origin origin;
    std::optional<ConstraintForm> form;  ///< nothing after a report
    std::optional<RowForm> in_row;       ///< the form in the last row
    bool has_row = false;
};

/// Endpoint of a row: the constant of the relation, the bound of the row, or their sum when both
/// exist.
double endpoint(bool is_related, double constant, const std::optional<double>& bound, double none) {
    if (is_related) {
        return constant + bound.value_or(0);
    }
    return bound.value_or(none);
}

sddp::ConstraintRow make_row(Relation relation,
                             const RowForm& form,
                             const raw::GenericBounds& bounds,
                             int stage,
                             int block) {
    const bool is_at_most = relation == Relation::at_most || relation == Relation::equal;
    const bool is_at_least = relation == Relation::at_least || relation == Relation::equal;
    sddp::ConstraintRow row;
    row.stage = stage;
    row.block = block;
    row.lower = endpoint(is_at_least, form.relation_bound, bounds.lower, -infinity) - form.offset;
    row.upper = endpoint(is_at_most, form.relation_bound, bounds.upper, infinity) - form.offset;
    row.terms = form.terms;
    return row;
}

/// A row and what its terms are multiplied by.
struct RowOfTerms {
    sddp::ConstraintRow row;
    std::vector<double> coefficients;  ///< [terms of the form]
};

class ConstraintRows {
public:
    ConstraintRows(const Resolver& resolver,
                   const FormResolver& forms,
                   std::vector<ResolvedConstraint>& constraints)
        : resolver_(resolver),
          forms_(forms),
          constraints_(constraints),
          rows_(constraints.size()) {}

    void add_all(const std::vector<raw::GenericBounds>& bounds, const IdMap& ids) {
        OverrideCells cells(resolver_, bounds_file, ids);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            cells.add(i, bounds[i], static_cast<int>(i));  // a cell may have several rows
            if (const int constraint = ids.find(bounds[i].entity_id); constraint >= 0) {
                constraints_[at(constraint)].has_row = true;
            }
        }
        auto kept = cells.take();
        std::erase_if(
            kept, [&](const OverrideCell& cell) { return !check_once(bounds[cell.row], cell); });
        // The order of the table is none: of a cell the row with a lower bound comes first.
        std::ranges::sort(kept, {}, [&](const OverrideCell& cell) {
            return std::tuple(cell.is_block_row,
                              cell.stage,
                              cell.first_block,
                              !bounds[cell.row].lower.has_value());
        });
        for (const OverrideCell& cell : kept) {
            add(bounds[cell.row], cell);
        }
    }

    /// Rows of a stage, all of which hold: those for the whole stage first.
    std::vector<RowOfTerms> take(std::size_t constraint) {
        std::vector<RowOfTerms>& rows = rows_[constraint];
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.row.stage < b.row.stage;
        });
        return std::move(rows);
    }

private:
    void add(const raw::GenericBounds& bounds, const OverrideCell& cell) {
        const auto& form = constraints_[at(cell.entity)].form;
        if (!form || !check(*form, bounds, cell)) {
            return;
        }
        if (!cell.is_block_row && form->is_stock) {
            add_row(bounds, cell, -1);
            return;
        }
        for (int block = cell.first_block; block < cell.last_block; ++block) {
            add_row(bounds, cell, block);
        }
    }

    void add_row(const raw::GenericBounds& bounds, const OverrideCell& cell, int block) {
        ResolvedConstraint& constraint = constraints_[at(cell.entity)];
        if (!constraint.form) {
            return;  // a mistake that all rows share is reported once
        }
        if (!constraint.in_row || constraint.form->has_parameters) {
            constraint.in_row =
                forms_.in_row(*constraint.form, constraint.origin, cell.stage, block);
        }
        if (!constraint.in_row) {
            constraint.form.reset();
            return;
        }
        const RowForm& form = *constraint.in_row;
        auto row = make_row(constraint.form->relation, form, bounds, cell.stage, block);
        if (check_order(resolver_,
                        row_of(bounds_file, cell.row),
                        "lower bound > upper bound",
                        row.lower,
                        row.upper)) {
            rows_[at(cell.entity)].push_back({std::move(row), form.coefficients});
        }
    }

    /// Whether no earlier row of the cell gives the same endpoint, or none like this one.
    bool check_once(const raw::GenericBounds& bounds, const OverrideCell& cell) {
        const bool is_bare = !bounds.lower && !bounds.upper;
        return (!is_bare || claim("no bound", cell)) &&
               (!bounds.lower || claim("bound_lower", cell)) &&
               (!bounds.upper || claim("bound_upper", cell));
    }

    bool claim(std::string_view endpoint, const OverrideCell& cell) {
        const auto [first, is_new] = given_.try_emplace(
            {cell.entity, cell.stage, cell.is_block_row, cell.first_block, endpoint}, cell.row);
        if (!is_new) {
            resolver_.error(
                ProblemKind::duplicate_id,
                row_of(bounds_file, cell.row),
                fmt::format("gives {} of the same cell as {}", endpoint, row_name(first->second)));
        }
        return is_new;
    }

    bool check(const ConstraintForm& form,
               const raw::GenericBounds& bounds,
               const OverrideCell& cell) {
        const Origin origin = row_of(bounds_file, cell.row);
        if (form.relation == Relation::none && !bounds.lower && !bounds.upper) {
            resolver_.error(
                ProblemKind::invalid_value,
                origin,
                fmt::format("constraint {} has no relation: bound_lower or bound_upper is required",
                            bounds.entity_id));
            return false;
        }
        for (const FormTerm& term : form.terms) {
            for (const sddp::ConstraintTerm& column : term.columns) {
                if (column.block >= 0 && resolver_.block(cell.stage, column.block, origin) < 0) {
                    return false;
                }
                if (!check_storage(column, cell.stage, origin)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Only blocks that follow each other have storages of their own.
    bool check_storage(const sddp::ConstraintTerm& term, int stage, const Origin& origin) const {
        const bool is_storage = term.quantity == sddp::Quantity::hydro_storage_initial ||
                                term.quantity == sddp::Quantity::hydro_storage_final ||
                                term.quantity == sddp::Quantity::battery_energy_initial ||
                                term.quantity == sddp::Quantity::battery_energy_final;
        const sddp::Stage& where = resolver_.calendar.stages[at(stage)];
        if (!is_storage || term.block < 0 || where.is_chronological || where.blocks.size() == 1) {
            return true;
        }
        resolver_.error(ProblemKind::invalid_value,
                        origin,
                        fmt::format("the storage of block {} in stage {}, whose blocks are "
                                    "parallel: they have one storage at the end",
                                    term.block,
                                    where.id));
        return false;
    }

    const Resolver& resolver_;
    const FormResolver& forms_;
    std::vector<ResolvedConstraint>& constraints_;
    std::vector<std::vector<RowOfTerms>> rows_;  ///< [constraints]
    /// Row that gives an endpoint of (constraint, stage, for one block, block).
    std::map<std::tuple<int, int, bool, int, std::string_view>, std::size_t> given_;
};

void check_ids(const std::vector<raw::GenericConstraint>& constraints, const Resolver& resolver) {
    std::unordered_set<int> seen;
    for (const raw::GenericConstraint& constraint : constraints) {
        if (!seen.insert(constraint.id).second) {
            resolver.error(
                ProblemKind::duplicate_id, origin_of(constraint), "constraint id is used twice");
        }
    }
}

sddp::GenericConstraint make_constraint(const raw::GenericConstraint& constraint,
                                        const Resolver& resolver) {
    if (constraint.slack.enabled && !constraint.slack.penalty) {
        resolver.error(ProblemKind::invalid_value,
                       origin_of(constraint),
                       "slack.penalty > 0 is required when the slack is enabled");
    }
    sddp::GenericConstraint out;
    out.id = constraint.id;
    out.name = constraint.name;
    out.has_slack = constraint.slack.enabled;
    out.penalty = constraint.slack.enabled ? constraint.slack.penalty.value_or(0) : 0;
    return out;
}

void check_activation(const std::vector<raw::GenericConstraint>& raw,
                      const std::vector<ResolvedConstraint>& constraints,
                      const Resolver& resolver) {
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        if (constraints[i].form && !constraints[i].has_row) {
            const bool is_related = constraints[i].form->relation != Relation::none;
            resolver.error(
                is_related ? ProblemKind::business_rule_violation : ProblemKind::unused_entity,
                origin_of(raw[i]),
                fmt::format("no row of {} activates this constraint", bounds_file));
        }
    }
}

NamedTerms take_rows(std::vector<RowOfTerms> rows,
                     const std::optional<ConstraintForm>& form,
                     sddp::GenericConstraint& out) {
    NamedTerms names;
    for (RowOfTerms& row : rows) {
        out.rows.push_back(std::move(row.row));
        names.coefficients.insert(
            names.coefficients.end(), row.coefficients.begin(), row.coefficients.end());
    }
    if (form) {
        for (const FormTerm& term : form->terms) {
            names.terms.push_back(term.name);
        }
    }
    return names;
}

}  // namespace

std::vector<NamedTerms> resolve_generic(const raw::Case& raw,
                                        const std::vector<PlantEnergy>& plants,
                                        const Resolver& resolver,
                                        sddp::System& system) {
    const Parameters parameters(raw.generic_parameters, resolver, system, plants);
    const FormResolver forms(raw, parameters, resolver, system);
    check_ids(raw.generic.constraints, resolver);
    std::vector<ResolvedConstraint> constraints;
    for (const raw::GenericConstraint& constraint : raw.generic.constraints) {
        constraints.push_back({origin_of(constraint), forms.constraint(constraint), {}, false});
        system.constraints.push_back(make_constraint(constraint, resolver));
    }
    const IdMap ids("constraint", raw.generic.constraints);
    ConstraintRows rows(resolver, forms, constraints);
    if (raw.generic_bounds) {
        rows.add_all(*raw.generic_bounds, ids);
    }
    check_activation(raw.generic.constraints, constraints, resolver);
    std::vector<NamedTerms> names;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        names.push_back(take_rows(rows.take(i), constraints[i].form, system.constraints[i]));
    }
    return names;
}

}  // namespace lockstep::formats::cobre
