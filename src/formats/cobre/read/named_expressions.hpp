#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/cobre/read/expression.hpp"
#include "formats/cobre/read/raw/constraints.hpp"
#include "formats/cobre/resolve/lookup.hpp"
#include "formats/cobre/resolve/parameters.hpp"

namespace lockstep::formats::cobre {

/// Variables with their parameters (-1: none) and merged coefficients.
using Sum = std::map<std::pair<Variable, int>, double>;

/// What an expression says once its references are replaced.
struct Resolved {
    Sum terms;
    std::map<int, double> constants;  ///< coefficients of the parameters that stand alone
};

/// The expression of a text, nothing after a report.
std::optional<Expression> parse_reported(const std::string& text,
                                         const Origin& origin,
                                         const Resolver& resolver);

/// The named expressions of a case, references among them replaced. Mistakes are reported once,
/// where they are made.
class NamedExpressions {
public:
    NamedExpressions(const raw::GenericConstraints& generic,
                     const Parameters& parameters,
                     const Resolver& resolver);

    /// An expression with its references replaced; nothing after a report.
    [[nodiscard]] std::optional<Resolved> resolved(const Expression& expression,
                                                   const Origin& origin) const;

private:
    enum class State { waiting, open, done, failed };
    struct Named {
        Origin origin;
        std::optional<Expression> expression;
        Sum sum;
        State state = State::waiting;
    };
    void add(const raw::NamedExpression& entry);
    /// Replaces the references of one expression; `path` holds those being replaced.
    void expand(std::size_t index, std::vector<std::size_t>& path);
    void expand_references(const Named& named, std::vector<std::size_t>& path);
    [[nodiscard]] bool may_open(std::size_t index, const std::vector<std::size_t>& path);
    [[nodiscard]] bool add_term(const Term& term, const Origin& origin, Sum& out) const;
    [[nodiscard]] bool add_reference(const Reference& reference,
                                     bool is_related,
                                     const Origin& origin,
                                     Resolved& out) const;
    [[nodiscard]] int find(const std::string& name) const;
    void report_unknown(std::string_view what,
                        const std::string& name,
                        const std::vector<std::string>& known,
                        const Origin& origin) const;

    const Resolver& resolver_;
    const Parameters& parameters_;
    std::map<std::string, std::size_t> index_;
    std::vector<std::string> names_;
    std::vector<Named> named_;
};

}  // namespace lockstep::formats::cobre
