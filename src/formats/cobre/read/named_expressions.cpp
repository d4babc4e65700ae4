#include "formats/cobre/read/named_expressions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "constraints/generic_constraints.json";

/// Expressions within expressions; the walk is recursive.
constexpr std::size_t deepest_reference = 500;

}  // namespace

std::optional<Expression> parse_reported(const std::string& text,
                                         const Origin& origin,
                                         const Resolver& resolver) {
    try {
        return parse_expression(text);
    } catch (const InputError& error) {
        resolver.error(ProblemKind::parse_error,
                       origin,
                       fmt::format("expression \"{}\": {}", text, error.what()));
        return std::nullopt;
    }
}

NamedExpressions::NamedExpressions(const raw::GenericConstraints& generic,
                                   const Parameters& parameters,
                                   const Resolver& resolver)
    : resolver_(resolver), parameters_(parameters) {
    for (const raw::NamedExpression& entry : generic.expressions) {
        add(entry);
    }
    std::vector<std::size_t> path;
    for (std::size_t i = 0; i < named_.size(); ++i) {
        expand(i, path);
    }
}

void NamedExpressions::add(const raw::NamedExpression& entry) {
    const Origin origin{fmt::format("{}:{}", file, entry.line), "expression " + entry.name};
    if (!index_.emplace(entry.name, named_.size()).second) {
        resolver_.error(ProblemKind::duplicate_id, origin, "the name is used twice");
    } else if (parameters_.find(entry.name) >= 0) {
        resolver_.error(ProblemKind::duplicate_id, origin, "the name is that of a parameter, too");
    }
    auto expression = parse_reported(entry.expression, origin, resolver_);
    if (expression && expression->relation != Relation::none) {
        resolver_.error(
            ProblemKind::invalid_value, origin, "a named expression must not have a relation");
        expression.reset();
    }
    names_.push_back(entry.name);
    named_.push_back({origin, std::move(expression), {}, State::waiting});
}

int NamedExpressions::find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : static_cast<int>(found->second);
}

bool NamedExpressions::may_open(std::size_t index, const std::vector<std::size_t>& path) {
    Named& named = named_[index];
    if (named.state == State::open) {
        std::string names;
        for (auto step = std::find(path.begin(), path.end(), index); step != path.end(); ++step) {
            names += "@" + names_[*step] + " -> ";
        }
        resolver_.error(
            ProblemKind::cycle_detected,
            named.origin,
            fmt::format("expressions refer to themselves: {}@{}", names, names_[index]));
        named.state = State::failed;
    } else if (named.state == State::waiting && path.size() >= deepest_reference) {
        resolver_.error(
            ProblemKind::invalid_value,
            named.origin,
            fmt::format("expressions refer to each other deeper than {}", deepest_reference));
        named.state = State::failed;
    }
    return named.state == State::waiting;
}

void NamedExpressions::expand(std::size_t index, std::vector<std::size_t>& path) {
    if (!may_open(index, path)) {
        return;
    }
    Named& named = named_[index];
    named.state = State::open;
    path.push_back(index);
    expand_references(named, path);
    path.pop_back();
    if (named.state == State::open && named.expression) {
        if (auto found = resolved(*named.expression, named.origin)) {
            named.sum = std::move(found->terms);
            named.state = State::done;
            return;
        }
    }
    named.state = State::failed;
}

void NamedExpressions::expand_references(const Named& named, std::vector<std::size_t>& path) {
    if (!named.expression) {
        return;
    }
    for (const Reference& reference : named.expression->references) {
        if (const int next = find(reference.name); next >= 0) {
            expand(static_cast<std::size_t>(next), path);
        }
    }
}

std::optional<Resolved> NamedExpressions::resolved(const Expression& expression,
                                                   const Origin& origin) const {
    Resolved out;
    bool is_sound = true;
    for (const Term& term : expression.terms) {
        is_sound = add_term(term, origin, out.terms) && is_sound;
    }
    const bool is_related = expression.relation != Relation::none;
    for (const Reference& reference : expression.references) {
        is_sound = add_reference(reference, is_related, origin, out) && is_sound;
    }
    return is_sound ? std::optional(std::move(out)) : std::nullopt;
}

bool NamedExpressions::add_term(const Term& term, const Origin& origin, Sum& out) const {
    const int parameter = term.parameter.empty() ? -1 : parameters_.find(term.parameter);
    if (parameter < 0 && !term.parameter.empty()) {
        report_unknown("parameter", term.parameter, parameters_.names(), origin);
        return false;
    }
    out[{term.variable, parameter}] += term.coefficient;
    return true;
}

bool NamedExpressions::add_reference(const Reference& reference,
                                     bool is_related,
                                     const Origin& origin,
                                     Resolved& out) const {
    const int index = find(reference.name);
    if (const int parameter = parameters_.find(reference.name); index < 0 && parameter >= 0) {
        if (!is_related) {
            resolver_.error(ProblemKind::invalid_value,
                            origin,
                            fmt::format("the parameter @{} stands alone: that needs a relation "
                                        "(<=, >= or ==)",
                                        reference.name));
        }
        out.constants[parameter] += reference.coefficient;
        return is_related;
    }
    if (index < 0) {
        report_unknown("expression", reference.name, names_, origin);
        return false;
    }
    const Named& named = named_[at(index)];
    for (const auto& [variable, coefficient] : named.sum) {
        out.terms[variable] += reference.coefficient * coefficient;
    }
    return named.state == State::done;
}

void NamedExpressions::report_unknown(std::string_view what,
                                      const std::string& name,
                                      const std::vector<std::string>& known,
                                      const Origin& origin) const {
    const std::string_view near = nearest(name, {known.begin(), known.end()});
    resolver_.error(ProblemKind::invalid_reference,
                    origin,
                    fmt::format("there is no {} \"{}\"{}",
                                what,
                                name,
                                near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

}  // namespace lockstep::formats::cobre
