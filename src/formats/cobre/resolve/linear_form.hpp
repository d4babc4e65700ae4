#pragma once

#include <optional>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/expression.hpp"
#include "formats/cobre/read/named_expressions.hpp"
#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// An expression with references replaced, like terms merged and entities found:
/// Σ terms + offset compared with relation_bound.
struct ConstraintForm {
    std::vector<sddp::ConstraintTerm> terms;
    std::vector<NamedTerm> names;  ///< the terms as the text says them
    double offset = 0;             ///< from useful volumes
    double relation_bound = 0;     ///< constant of the relation, moved to the right
    Relation relation = Relation::none;
    bool is_stock = false;  ///< only storages: one row a stage is enough
};

/// Turns the expressions of a case into forms; mistakes are reported.
class FormResolver {
public:
    FormResolver(const raw::Case& raw, const Resolver& resolver, const sddp::System& system);

    /// Nothing after a report.
    [[nodiscard]] std::optional<ConstraintForm> constraint(
        const raw::GenericConstraint& constraint) const;

private:
    [[nodiscard]] bool add_term(const Variable& variable,
                                double coefficient,
                                const Origin& origin,
                                ConstraintForm& form) const;
    [[nodiscard]] bool add_exchange(const Variable& variable,
                                    double coefficient,
                                    const Origin& origin,
                                    ConstraintForm& form) const;
    [[nodiscard]] int find_entity(const Variable& variable, const Origin& origin) const;
    [[nodiscard]] int find_contract(const Variable& variable,
                                    bool is_import,
                                    const Origin& origin) const;
    [[nodiscard]] bool find_bus(const Variable& variable,
                                int hydro,
                                const Origin& origin,
                                sddp::ConstraintTerm& term) const;

    const Resolver& resolver_;
    const sddp::System& system_;
    NamedExpressions names_;
};

}  // namespace lockstep::formats::cobre
