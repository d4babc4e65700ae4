#include "progress_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr std::string_view separator = "  ";

std::string joined(const std::vector<Field>& fields) {
    std::string line;
    for (const auto& field : fields)
        line.append(line.empty() ? "" : separator).append(field.text);
    return line;
}

std::string cut_off(std::string_view text, int width) {
    std::string kept;
    auto columns = 0;
    for (const auto c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++columns > width)
            break;
        kept.push_back(c);
    }
    return kept;
}

std::string clock(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
    if (whole < 3600)
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share, const Terminal& terminal) {
    constexpr auto cells = 20;
    const auto full = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells);
    std::string text;
    for (auto cell = 0; cell < cells; ++cell)
        text += terminal.has_unicode ? (cell < full ? "━" : "╌") : (cell < full ? "#" : "-");
    return text;
}

std::string remaining_text(const std::optional<Forecast>& forecast) {
    if (!forecast)
        return {};
    return fmt::format("{}{} left", forecast->is_limit ? "at most " : "", clock(forecast->seconds));
}

std::string amount(double dollars, const app::MoneyUnit& unit) {
    return app::digits(dollars / unit.dollars, 5);
}

std::string upper_text(const sddp::IterationReport& report,
                       const app::MoneyUnit& unit,
                       const Terminal& terminal) {
    const auto mean = "upper " + amount(report.upper_bound, unit);
    if (report.half_width_95 == 0)  // one trajectory has no spread
        return fmt::format("{} {}", mean, unit.name);
    return fmt::format("{} {} {} {}",
                       mean,
                       terminal.has_unicode ? "±" : "+-",
                       app::digits(report.half_width_95 / unit.dollars, 3),
                       unit.name);
}

}  // namespace

std::string fit(std::vector<Field> fields, int width) {
    std::erase_if(fields, [](const Field& field) { return field.text.empty(); });
    auto line = joined(fields);
    while (columns_of(line) > width) {
        const auto least =
            std::max_element(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
                return a.rank < b.rank;
            });
        if (least == fields.end() || least->rank == 0)
            return cut_off(line, width);
        fields.erase(least);
        line = joined(fields);
    }
    return line;
}

std::string training_line(const sddp::IterationReport& report,
                          const TimeLeft& time_left,
                          const Terminal& terminal) {
    const auto unit = app::unit_for(report.upper_bound);
    const auto limit = time_left.iteration_limit();
    return fit({{fmt::format("training {}/{}", report.iteration, limit), 0},
                {bar(static_cast<double>(report.iteration) / std::max(1, limit), terminal), 6},
                {"lower " + amount(report.lower_bound, unit), 1},
                {upper_text(report, unit, terminal), 2},
                {"gap " + app::percent(report.gap), 3},
                {app::count(report.cuts_active) + " cuts", 5},
                {remaining_text(time_left.forecast()), 4}},
               terminal.width - 1);
}

std::string simulation_line(int done, int total, double seconds, const Terminal& terminal) {
    const auto share = static_cast<double>(done) / std::max(1, total);
    return fit({{fmt::format("simulation {}/{}", app::count(done), app::count(total)), 0},
                {bar(share, terminal), 3},
                {fmt::format("{:.0f} %", 100 * share), 2},
                {done > 0 ? clock(seconds / share - seconds) + " left" : std::string(), 1}},
               terminal.width - 1);
}

std::string table_head(const app::MoneyUnit& unit) {
    const auto with_unit = [&](const char* name) {
        return fmt::format("{} [{}]", name, unit.name);
    };
    return fmt::format("{:>9} {:>14} {:>14} {:>12} {:>9} {:>9} {:>8}\n",
                       "iteration",
                       with_unit("lower"),
                       with_unit("upper"),
                       "+-95% CI",
                       "gap",
                       "cuts",
                       "seconds");
}

std::string table_row(const sddp::IterationReport& report, const app::MoneyUnit& unit) {
    return fmt::format(
        "{:>9} {:>14} {:>14} {:>12} {:>9} {:>9} {:>8.1f}\n",
        report.iteration,
        app::digits(report.lower_bound / unit.dollars, 7),
        app::digits(report.upper_bound / unit.dollars, 7),
        report.half_width_95 == 0 ? "-" : app::digits(report.half_width_95 / unit.dollars, 4),
        app::percent(report.gap),
        app::count(report.cuts_active),
        report.elapsed_seconds);
}

}  // namespace lockstep::cli
