#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::rl {

/// A number that changes as more is learned: an exploration rate, a temperature.
///
/// As text: "0.1"; "linear(1, 0.05, 1e6)", from 1 to 0.05 in 10^6 transitions; "exponential(1,
/// 0.01, 0.995)", times 0.995 with every transition, never below 0.01; "visits(1)", 1 over the
/// square root of the visits of the state.
struct Schedule {
    enum class Rule { constant, linear, exponential, visits };
    Rule rule = Rule::constant;
    double start = 0.1;  ///< visits: what is divided by the root
    double end = 0.1;    ///< linear: after `pace` transitions and later; exponential: at least
    double pace = 1;     ///< linear: transitions, > 0; exponential: factor of one, in (0, 1]

    /// Its value once so many transitions were learned from. Not for `visits`.
    [[nodiscard]] double at(std::int64_t transitions) const noexcept;
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// @throws InputError  what the text is, and which schedules there are
Schedule parse_schedule(std::string_view text);
/// What parse_schedule() reads back.
std::string to_string(const Schedule& schedule);

/// How far an update moves a value to its target, by the visits n of the pair, this one included.
///
/// As text: "0.1"; "n^-0.65"; "101/(100+n)"; "1/(1+0.01n)", that of gamma 0.99; "1/n".
/// @par Source  [EvenDar2003]: as gamma nears 1, the steps that 1/n needs grow exponentially, those
/// of n^-omega do not
struct StepSize {
    enum class Rule { constant, power, fraction };
    Rule rule = Rule::power;
    double value = 0.65;  ///< constant: in (0, 1]; power: omega, in (0, 1]
    double over = 1;      ///< fraction: over / (base + slope n), in (0, 1] for every n >= 1
    double base = 0;
    double slope = 1;
    friend bool operator==(const StepSize&, const StepSize&) = default;
};

/// @throws InputError  what the text is, and which step sizes there are
StepSize parse_step_size(std::string_view text);
/// What parse_step_size() reads back.
std::string to_string(const StepSize& step_size);

/// Step sizes by visits, for hot loops.
class StepSizes {
public:
    explicit StepSizes(const StepSize& rule);

    /// @param visits  >= 1
    [[gnu::always_inline]] double operator()(std::uint32_t visits) const noexcept {
        switch (rule_.rule) {
            case StepSize::Rule::constant:
                return rule_.value;
            case StepSize::Rule::fraction:
                return rule_.over / (rule_.base + rule_.slope * visits);
            case StepSize::Rule::power:
                break;
        }
        return power(visits);
    }
    /// As operator() of each, for less: nothing waits for the one before.
    /// @param sizes  [visits], written
    void of_each(std::span<const std::uint32_t> visits, std::span<double> sizes) const noexcept;

private:
    static constexpr unsigned bits = 10;

    // n^-omega, n = m 2^e (1 + d): a table for m, one for e, the binomial series for d < 2^-9.
    [[nodiscard]] double power(std::uint32_t n) const noexcept {
        const unsigned shift = shift_of(n);
        const std::uint32_t head = n >> shift;
        const double d =
            static_cast<double>(n - (head << shift)) / static_cast<double>(head << shift);
        return heads_[head] * shifts_[shift] * series(d);
    }
    [[nodiscard]] static unsigned shift_of(std::uint32_t n) noexcept {
        const auto width = static_cast<unsigned>(std::bit_width(n));
        return width > bits ? width - bits : 0;
    }
    [[nodiscard]] double series(double d) const noexcept {
        return 1 + d * (series_[0] +
                        d * (series_[1] + d * (series_[2] + d * (series_[3] + d * series_[4]))));
    }
    void powers(std::span<const std::uint32_t> visits, std::span<double> sizes) const noexcept;

    StepSize rule_;
    std::array<double, std::size_t{1} << bits> heads_{};
    std::array<double, 33 - bits> shifts_{};
    std::array<double, 5> series_{};
};

}  // namespace lockstep::rl
