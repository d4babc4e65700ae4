#include "formats/cobre/read/expression.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::formats::cobre {

namespace {

/// How a variable may be written.
struct VariableRule {
    std::string_view name;
    VariableKind kind;
    bool takes_block;
    bool takes_bus;
};

constexpr std::array<VariableRule, 30> rules = {{
    {"hydro_storage", VariableKind::hydro_storage, false, false},
    {"hydro_turbined", VariableKind::hydro_turbined, true, true},
    {"hydro_spillage", VariableKind::hydro_spillage, true, false},
    {"hydro_diversion", VariableKind::hydro_diversion, true, false},
    {"hydro_outflow", VariableKind::hydro_outflow, true, false},
    {"hydro_generation", VariableKind::hydro_generation, true, true},
    {"hydro_evaporation", VariableKind::hydro_evaporation, true, false},
    {"hydro_withdrawal", VariableKind::hydro_withdrawal, false, false},
    {"thermal_generation", VariableKind::thermal_generation, true, false},
    {"line_direct", VariableKind::line_direct, true, false},
    {"line_reverse", VariableKind::line_reverse, true, false},
    {"line_exchange", VariableKind::line_exchange, true, false},
    {"bus_deficit", VariableKind::bus_deficit, true, false},
    {"bus_excess", VariableKind::bus_excess, true, false},
    {"pumping_flow", VariableKind::pumping_flow, true, false},
    {"pumping_power", VariableKind::pumping_power, true, false},
    {"contract_import", VariableKind::contract_import, true, false},
    {"contract_export", VariableKind::contract_export, true, false},
    {"non_controllable_generation", VariableKind::non_controllable_generation, true, false},
    {"non_controllable_curtailment", VariableKind::non_controllable_curtailment, true, false},
    {"anticipated_decision", VariableKind::anticipated_decision, false, false},
    {"hydro_inflow", VariableKind::hydro_inflow, true, false},
    {"hydro_storage_initial", VariableKind::hydro_storage_initial, true, false},
    {"hydro_storage_final", VariableKind::hydro_storage_final, true, false},
    {"hydro_useful_volume_initial", VariableKind::hydro_useful_volume_initial, true, false},
    {"hydro_useful_volume_final", VariableKind::hydro_useful_volume_final, true, false},
    {"battery_charge", VariableKind::battery_charge, true, false},
    {"battery_discharge", VariableKind::battery_discharge, true, false},
    {"battery_energy_initial", VariableKind::battery_energy_initial, true, false},
    {"battery_energy_final", VariableKind::battery_energy_final, true, false},
}};

/// Groups within groups; a text that nests deeper is a mistake, not a model.
constexpr int deepest_group = 64;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Expression parse() {
        side(1);
        if (const Relation relation = take_relation(); relation != Relation::none) {
            out_.relation = relation;
            side(-1);
        }
        skip_spaces();
        if (at_ < text_.size()) {
            expected(out_.relation == Relation::none ? "+, -, <=, >=, == or the end"
                                                     : "+, - or the end");
        }
        check();
        return std::move(out_);
    }

private:
    [[noreturn]] void fail(std::size_t place, std::string_view message) const {
        throw InputError(fmt::format("character {}: {}", place + 1, message));
    }

    [[nodiscard]] std::string found() const {
        if (at_ >= text_.size()) {
            return "the end";
        }
        const auto byte = static_cast<unsigned char>(text_[at_]);
        return byte > ' ' && byte < 0x7f ? fmt::format("'{}'", text_[at_])
                                         : fmt::format("byte {:#04x}", byte);
    }

    [[noreturn]] void expected(std::string_view what) const {
        fail(at_, fmt::format("expected {}, found {}", what, found()));
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    [[nodiscard]] char peek() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char c) {
        if (peek() != c || at_ >= text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }

    void need(char c, std::string_view what) {
        if (!take(c)) {
            expected(what);
        }
    }

    Relation take_relation() {
        skip_spaces();
        const std::string_view two = text_.substr(at_, 2);
        const Relation relation = two == "<="   ? Relation::at_most
                                  : two == ">=" ? Relation::at_least
                                  : two == "==" ? Relation::equal
                                                : Relation::none;
        at_ += relation == Relation::none ? 0 : 2;
        return relation;
    }

    void side(double scale) {
        double sign = take('-') ? -1 : 1;
        if (sign > 0) {
            take('+');
        }
        term(sign * scale);
        for (char next = peek(); next == '+' || next == '-'; next = peek()) {
            ++at_;
            sign = next == '-' ? -1 : 1;
            term(sign * scale);
        }
    }

    void term(double scale) {
        if (is_digit(peek()) || peek() == '.') {
            first_constant_ = is_constant_ ? first_constant_ : at_;
            scale *= number();
            if (!take('*')) {
                is_constant_ = true;
                out_.constant += scale;
                return;
            }
        }
        if (take('@')) {
            reference(scale);
        } else if (take('(')) {
            group(scale);
        } else if (is_letter(peek())) {
            out_.terms.push_back({scale, variable(), {}});
        } else {
            expected("a number, a variable, @ or (");
        }
    }

    void group(double scale) {
        if (++depth_ > deepest_group) {
            fail(at_ - 1, fmt::format("groups nest deeper than {}", deepest_group));
        }
        side(scale);
        need(')', "+, - or )");
        --depth_;
    }

    void reference(double scale) {
        std::string name(word("a name after @"));
        if (take('*')) {
            skip_spaces();
            const Variable scaled = variable();
            out_.terms.push_back({scale, scaled, std::move(name)});
        } else {
            out_.references.push_back({scale, std::move(name)});
        }
    }

    double number() {
        double value = 0;
        const char* end = text_.data() + text_.size();
        const auto result = std::from_chars(text_.data() + at_, end, value);
        if (result.ec != std::errc{} || !std::isfinite(value)) {
            expected("a number");
        }
        at_ = static_cast<std::size_t>(result.ptr - text_.data());
        return value;
    }

    int id() {
        skip_spaces();
        int value = 0;
        const char* end = text_.data() + text_.size();
        const auto result = std::from_chars(text_.data() + at_, end, value);
        if (result.ec != std::errc{} || value < 0) {
            expected("an id (0, 1, 2 …)");
        }
        at_ = static_cast<std::size_t>(result.ptr - text_.data());
        return value;
    }

    std::string_view word(std::string_view what) {
        skip_spaces();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (is_letter(text_[at_]) || (at_ > start && is_digit(text_[at_])))) {
            ++at_;
        }
        if (at_ == start) {
            expected(what);
        }
        return text_.substr(start, at_ - start);
    }

    Variable variable() {
        const std::size_t start = at_;
        const std::string_view name = word("a variable");
        const VariableRule& rule = rule_of(name, start);
        need('(', "( after the variable");
        Variable out;
        out.kind = rule.kind;
        int plain = 0;
        do {
            skip_spaces();
            if (is_letter(peek())) {
                keyed_argument(rule, out);
            } else {
                plain_argument(rule, out, plain++);
            }
        } while (take(','));
        need(')', ", or )");
        check_arguments(rule, out, start);
        return out;
    }

    [[nodiscard]] const VariableRule& rule_of(std::string_view name, std::size_t start) const {
        std::vector<std::string_view> names;
        for (const VariableRule& rule : rules) {
            if (rule.name == name) {
                return rule;
            }
            names.push_back(rule.name);
        }
        const std::string_view near = nearest(name, names);
        fail(start,
             fmt::format("there is no variable \"{}\"{}",
                         name,
                         near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }

    void plain_argument(const VariableRule& rule, Variable& out, int position) {
        if (position == 1 && !rule.takes_block) {
            fail(at_, fmt::format("{} takes no block", rule.name));
        }
        if (position > 1) {
            fail(at_, fmt::format("{} has too many arguments", rule.name));
        }
        (position == 0 ? out.entity : out.block) = id();
    }

    void keyed_argument(const VariableRule& rule, Variable& out) {
        const std::size_t start = at_;
        const std::string_view key = word("a key");
        need('=', "= after the key");
        const bool is_exchange = rule.kind == VariableKind::line_exchange;
        int* target = key == "bus" && rule.takes_bus       ? &out.bus
                      : key == "source_bus" && is_exchange ? &out.bus
                      : key == "target_bus" && is_exchange ? &out.target_bus
                                                           : nullptr;
        if (target == nullptr) {
            fail(start, fmt::format("{} takes no argument \"{}\"", rule.name, key));
        }
        if (*target >= 0) {
            fail(start, fmt::format("\"{}\" is given twice", key));
        }
        *target = id();
    }

    void check_arguments(const VariableRule& rule, const Variable& out, std::size_t start) const {
        const bool is_between_buses = out.bus >= 0 && out.target_bus >= 0;
        if (rule.kind == VariableKind::line_exchange && (out.bus >= 0 || out.target_bus >= 0)) {
            if (!is_between_buses || out.entity >= 0) {
                fail(start, "line_exchange takes a line, or source_bus= and target_bus=");
            }
        } else if (out.entity < 0) {
            fail(start, fmt::format("{} needs an id", rule.name));
        }
    }

    void check() const {
        if (is_constant_ && out_.relation == Relation::none) {
            fail(first_constant_, "a number that stands alone needs a relation (<=, >= or ==)");
        }
        bool is_finite = std::isfinite(out_.constant);
        for (const Term& t : out_.terms) {
            is_finite = is_finite && std::isfinite(t.coefficient);
        }
        for (const Reference& r : out_.references) {
            is_finite = is_finite && std::isfinite(r.coefficient);
        }
        if (!is_finite) {
            fail(0, "a coefficient is too large");
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool is_constant_ = false;
    std::size_t first_constant_ = 0;
    Expression out_;
};

}  // namespace

std::string_view to_string(VariableKind kind) {
    return rules[static_cast<std::size_t>(kind)].name;
}

Expression parse_expression(std::string_view text) {
    return Parser(text).parse();
}

}  // namespace lockstep::formats::cobre
