#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/expression.hpp"
#include "formats/cobre/read/named_expressions.hpp"
#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"
#include "formats/cobre/resolve/parameters.hpp"

namespace lockstep::formats::cobre {

/// A variable with its coefficient, which parameters make depend on stage and block.
struct FormTerm {
    std::vector<sddp::ConstraintTerm> columns;  ///< what the variable with coefficient 1 is
    NamedTerm name;
    double offset = 0;                            ///< its constant part, from useful volumes
    std::vector<std::pair<int, double>> factors;  ///< (parameter or -1, coefficient)
};

/// An expression with references replaced and entities found.
struct ConstraintForm {
    std::vector<FormTerm> terms;  ///< like terms merged
    double constant = 0;
    std::vector<std::pair<int, double>> constants;  ///< (parameter, coefficient)
    Relation relation = Relation::none;
    bool has_parameters = false;
    bool is_stock = false;  ///< only storages, alike in all blocks: one row a stage is enough
};

/// A form in one row: Σ terms + offset compared with relation_bound.
struct RowForm {
    std::vector<sddp::ConstraintTerm> terms;  ///< one for each column
    std::vector<double> coefficients;         ///< [terms of the form]
    double offset = 0;
    double relation_bound = 0;  ///< constants of the relation, moved to the right
};

/// Turns the expressions of a case into forms; mistakes are reported.
class FormResolver {
public:
    FormResolver(const raw::Case& raw,
                 const Parameters& parameters,
                 const Resolver& resolver,
                 const sddp::System& system);

    /// Nothing after a report.
    [[nodiscard]] std::optional<ConstraintForm> constraint(
        const raw::GenericConstraint& constraint) const;
    /// The same.
    [[nodiscard]] std::optional<RowForm> in_row(const ConstraintForm& form,
                                                const Origin& origin,
                                                int stage,
                                                int block) const;

private:
    using Factors = std::vector<std::pair<int, double>>;
    [[nodiscard]] bool add_terms(const Sum& sum, const Origin& origin, ConstraintForm& form) const;
    [[nodiscard]] bool add_term(const Variable& variable,
                                const Factors& factors,
                                const Origin& origin,
                                ConstraintForm& form) const;
    [[nodiscard]] bool add_exchange(const Variable& variable,
                                    const Factors& factors,
                                    const Origin& origin,
                                    ConstraintForm& form) const;
    [[nodiscard]] bool can_use(const Variable& variable, const Origin& origin) const;
    [[nodiscard]] std::optional<double> value(const Factors& factors,
                                              const Origin& origin,
                                              int stage,
                                              int block) const;
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
    const Parameters& parameters_;
    NamedExpressions names_;
    bool counts_all_terms_;
};

}  // namespace lockstep::formats::cobre
