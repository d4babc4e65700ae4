#include "lockstep/rl/learn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/base/number.hpp"

namespace lockstep::rl {
namespace {

constexpr std::string_view schedules =
    "a number, linear(from, to, transitions), exponential(from, least, factor) or visits(c)";
constexpr std::string_view step_sizes = "a number in (0, 1], n^-omega, 1/n, a/(b+n) or a/(b+cn)";

std::string without_blanks(std::string_view text) {
    std::string word(text);
    std::erase(word, ' ');
    return word;
}

std::optional<double> number(std::string_view text) {
    const auto value = parse_number<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

// What stands between `before` and `after`; nothing if they do not.
std::optional<std::string_view> between(std::string_view text,
                                        std::string_view before,
                                        std::string_view after) {
    if (text.size() < before.size() + after.size() || !text.starts_with(before) ||
        !text.ends_with(after)) {
        return std::nullopt;
    }
    return text.substr(before.size(), text.size() - before.size() - after.size());
}

// "name(1,2,3)" with so many numbers; empty if it is something else.
std::vector<double> arguments(std::string_view text, std::string_view name, std::size_t count) {
    auto inside = between(text, fmt::format("{}(", name), ")");
    std::vector<double> values;
    while (inside && values.size() < count) {
        const auto comma = inside->find(',');
        const auto value = number(inside->substr(0, comma));
        if (!value) {
            return {};
        }
        values.push_back(*value);
        inside = comma == std::string_view::npos ? std::optional<std::string_view>()
                                                 : inside->substr(comma + 1);
    }
    return inside || values.size() < count ? std::vector<double>() : values;
}

std::optional<Schedule> read_schedule(std::string_view text) {
    if (const auto value = number(text)) {
        return Schedule{Schedule::Rule::constant, *value, *value, 1};
    }
    if (const auto values = arguments(text, "linear", 3); !values.empty()) {
        return Schedule{Schedule::Rule::linear, values[0], values[1], values[2]};
    }
    if (const auto values = arguments(text, "exponential", 3); !values.empty()) {
        return Schedule{Schedule::Rule::exponential, values[0], values[1], values[2]};
    }
    if (const auto values = arguments(text, "visits", 1); !values.empty()) {
        return Schedule{Schedule::Rule::visits, values[0], 0, 1};
    }
    return std::nullopt;
}

bool is_sound(const Schedule& schedule) {
    const bool has_pace =
        schedule.pace > 0 && (schedule.rule != Schedule::Rule::exponential || schedule.pace <= 1);
    return schedule.start >= 0 && schedule.end >= 0 && has_pace;
}

// "a/(b+cn)"
std::optional<StepSize> read_fraction(std::string_view text) {
    const auto bar = text.find('/');
    const auto over = number(text.substr(0, bar));
    if (bar == std::string_view::npos || !over) {
        return std::nullopt;
    }
    const auto below = text.substr(bar + 1);
    if (below == "n") {
        return StepSize{StepSize::Rule::fraction, 0, *over, 0, 1};
    }
    const auto inside = between(below, "(", "n)");
    const auto plus = inside ? inside->rfind('+') : std::string_view::npos;
    if (plus == std::string_view::npos) {
        return std::nullopt;
    }
    const auto base = number(inside->substr(0, plus));
    const auto slope = inside->substr(plus + 1);
    const auto factor = slope.empty() ? std::optional(1.0) : number(slope);
    return base && factor
               ? std::optional(StepSize{StepSize::Rule::fraction, 0, *over, *base, *factor})
               : std::nullopt;
}

std::optional<StepSize> read_step_size(std::string_view text) {
    if (const auto value = number(text)) {
        return StepSize{StepSize::Rule::constant, *value, 1, 0, 1};
    }
    if (const auto omega = between(text, "n^-", "")) {
        const auto value = number(*omega);
        return value ? std::optional(StepSize{StepSize::Rule::power, *value, 1, 0, 1})
                     : std::nullopt;
    }
    return read_fraction(text);
}

// In (0, 1] at every n: fractions fall as n grows.
bool is_sound(const StepSize& rule) {
    if (rule.rule != StepSize::Rule::fraction) {
        return rule.value > 0 && rule.value <= 1;
    }
    const double first = rule.over / (rule.base + rule.slope);
    return rule.over > 0 && rule.base >= 0 && rule.slope > 0 && first <= 1;
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view allowed) {
    throw InputError(fmt::format("{} \"{}\": must be {}", what, text, allowed));
}

}  // namespace

double Schedule::at(std::int64_t transitions) const noexcept {
    const auto t = static_cast<double>(transitions);
    if (rule == Rule::linear) {
        return t >= pace ? end : start + (end - start) * (t / pace);
    }
    if (rule == Rule::exponential) {
        return std::max(end, start * math::pow(pace, t));
    }
    return start;
}

Schedule parse_schedule(std::string_view text) {
    const auto schedule = read_schedule(without_blanks(text));
    if (!schedule || !is_sound(*schedule)) {
        refuse("schedule", text, schedules);
    }
    return *schedule;
}

std::string to_string(const Schedule& schedule) {
    switch (schedule.rule) {
        case Schedule::Rule::linear:
            return fmt::format("linear({}, {}, {})", schedule.start, schedule.end, schedule.pace);
        case Schedule::Rule::exponential:
            return fmt::format(
                "exponential({}, {}, {})", schedule.start, schedule.end, schedule.pace);
        case Schedule::Rule::visits:
            return fmt::format("visits({})", schedule.start);
        case Schedule::Rule::constant:
            break;
    }
    return fmt::format("{}", schedule.start);
}

StepSize parse_step_size(std::string_view text) {
    const auto rule = read_step_size(without_blanks(text));
    if (!rule || !is_sound(*rule)) {
        refuse("step size", text, step_sizes);
    }
    return *rule;
}

std::string to_string(const StepSize& step_size) {
    switch (step_size.rule) {
        case StepSize::Rule::power:
            return fmt::format("n^-{}", step_size.value);
        case StepSize::Rule::fraction:
            return fmt::format("{}/({}+{}n)", step_size.over, step_size.base, step_size.slope);
        case StepSize::Rule::constant:
            break;
    }
    return fmt::format("{}", step_size.value);
}

StepSizes::StepSizes(const StepSize& rule) : rule_(rule) {
    const double omega = rule.value;
    for (std::size_t n = 1; n < heads_.size(); ++n) {
        heads_[n] = math::pow(static_cast<double>(n), -omega);
    }
    for (std::size_t shift = 0; shift < shifts_.size(); ++shift) {
        shifts_[shift] = math::pow(2, -omega * static_cast<double>(shift));
    }
    double coefficient = 1;
    for (std::size_t k = 0; k < series_.size(); ++k) {
        const auto order = static_cast<double>(k);
        coefficient *= (-omega - order) / (order + 1);
        series_[k] = coefficient;
    }
}

void StepSizes::of_each(std::span<const std::uint32_t> visits,
                        std::span<double> sizes) const noexcept {
    if (rule_.rule == StepSize::Rule::power) {
        return powers(visits, sizes);
    }
    // The rule is asked for once, so that a loop has one kind of arithmetic.
    const bool is_constant = rule_.rule == StepSize::Rule::constant;
    for (std::size_t i = 0; i < visits.size(); ++i) {
        sizes[i] = is_constant ? rule_.value : rule_.over / (rule_.base + rule_.slope * visits[i]);
    }
}

// power() of each, the polynomial of four at a time: the head is n without the lower bits of its
// fraction.
void StepSizes::powers(std::span<const std::uint32_t> visits,
                       std::span<double> sizes) const noexcept {
    constexpr std::uint64_t head_bits = ~std::uint64_t{0} << (53U - bits);
    constexpr std::uint64_t two_to_52 = 0x4330000000000000;  // with n below: 2^52 + n
    for (std::size_t i = 0; i < visits.size(); ++i) {
        const double n = std::bit_cast<double>(two_to_52 | visits[i]) - 0x1p52;
        const double head = std::bit_cast<double>(std::bit_cast<std::uint64_t>(n) & head_bits);
        const double d = (n - head) / head;
        sizes[i] = series(d);
    }
    for (std::size_t i = 0; i < visits.size(); ++i) {
        const unsigned shift = shift_of(visits[i]);
        sizes[i] *= heads_[visits[i] >> shift] * shifts_[shift];
    }
}

}  // namespace lockstep::rl
