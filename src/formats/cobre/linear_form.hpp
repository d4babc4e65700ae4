#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/expression.hpp"
#include "formats/cobre/lookup.hpp"
#include "formats/cobre/raw/case.hpp"

namespace lockstep::formats::cobre {

/// An expression with references replaced, like terms merged and entities found:
/// Σ terms + offset compared with relation_bound.
struct ConstraintForm {
    std::vector<sddp::ConstraintTerm> terms;
    double offset = 0;          ///< from useful volumes
    double relation_bound = 0;  ///< constant of the relation, moved to the right
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
    using Sum = std::map<Variable, double>;

    [[nodiscard]] std::optional<Expression> parse(const std::string& text,
                                                  const Origin& origin) const;
    /// Adds a named expression and all that it refers to; `path` holds the names being expanded.
    void expand(std::size_t index, std::vector<std::size_t>& path);
    [[nodiscard]] bool add(const Expression& expression, const Origin& origin, Sum& sum) const;
    [[nodiscard]] int find_name(const std::string& name) const;
    void report_unknown(const std::string& name, const Origin& origin) const;
    [[nodiscard]] bool add_term(const Variable& variable,
                                double coefficient,
                                const Origin& origin,
                                ConstraintForm& form) const;
    [[nodiscard]] bool add_exchange(const Variable& variable,
                                    double coefficient,
                                    const Origin& origin,
                                    ConstraintForm& form) const;
    [[nodiscard]] int find_entity(const Variable& variable, const Origin& origin) const;
    [[nodiscard]] bool find_bus(const Variable& variable,
                                int hydro,
                                const Origin& origin,
                                sddp::ConstraintTerm& term) const;

    enum class State { waiting, open, done, failed };
    struct Named {
        Origin origin;
        std::optional<Expression> expression;
        Sum sum;
        State state = State::waiting;
    };
    const Resolver& resolver_;
    const sddp::System& system_;
    std::map<std::string, std::size_t> index_;
    std::vector<std::string> names_;
    std::vector<std::string> parameters_;
    std::vector<Named> named_;
};

}  // namespace lockstep::formats::cobre
