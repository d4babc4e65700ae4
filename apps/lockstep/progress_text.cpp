#include "progress_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr std::string_view separator = "  ";

std::string joined(const std::vector<Field>& fields) {
    std::string line;
    for (const auto& field : fields) {
        line.append(line.empty() ? "" : separator).append(field.text);
    }
    return line;
}

std::string cut_off(std::string_view text, int width) {
    std::string kept;
    auto columns = 0;
    for (const auto c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++columns > width) {
            break;
        }
        kept.push_back(c);
    }
    return kept;
}

std::string clock(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
    if (whole < 3600) {
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    }
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share, const Terminal& terminal) {
    constexpr auto cells = 20;
    const auto full = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells);
    std::string text;
    for (auto cell = 0; cell < cells; ++cell) {
        text += terminal.has_unicode ? (cell < full ? "━" : "╌") : (cell < full ? "#" : "-");
    }
    return text;
}

std::string remaining_text(const app::Progress& progress) {
    if (!progress.left) {
        return {};
    }
    return fmt::format(
        "{}{} left", progress.left->is_limit ? "at most " : "", clock(progress.left->seconds));
}

std::string amount(const app::Figure& figure, double value, const app::MoneyUnit& unit, int n) {
    if (figure.unit == "$") {
        return app::digits(value / unit.dollars, n);
    }
    if (figure.unit == "1") {
        return app::percent(value);
    }
    return figure.unit.empty() ? app::count(static_cast<std::int64_t>(value))
                               : app::digits(value, n);
}

std::string unit_name(const app::Figure& figure, const app::MoneyUnit& unit) {
    if (figure.unit == "$") {
        return unit.name;
    }
    return figure.unit == "1" || figure.unit == "#" ? "" : figure.unit;
}

// "upper 10,802 ± 1,525 M$"
std::string figure_text(const app::Figure& figure,
                        const app::MoneyUnit& unit,
                        const Terminal& terminal) {
    auto text = figure.label + " " + amount(figure, figure.value, unit, 5);
    if (figure.half_width.value_or(0) > 0) {  // one sample has no spread
        text += fmt::format(" {} {}",
                            terminal.has_unicode ? "±" : "+-",
                            amount(figure, *figure.half_width, unit, 3));
    }
    const auto name = unit_name(figure, unit);
    return name.empty() ? text : text + " " + name;
}

app::MoneyUnit money_unit(const app::Progress& progress) {
    double largest = 0;
    for (const auto& figure : progress.figures) {
        if (figure.unit == "$" && !figure.label.empty()) {
            largest = std::max(largest, std::abs(figure.value));
        }
    }
    return app::unit_for(largest);
}

double share_done(const app::Progress& progress) {
    return static_cast<double>(progress.done) /
           static_cast<double>(std::max<std::int64_t>(1, progress.total));
}

std::string how_far(const app::Progress& progress) {
    if (progress.total <= 0) {
        return fmt::format("{} {}", progress.phase, app::count(progress.done));
    }
    return fmt::format(
        "{} {}/{}", progress.phase, app::count(progress.done), app::count(progress.total));
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
        if (least == fields.end() || least->rank == 0) {
            return cut_off(line, width);
        }
        fields.erase(least);
        line = joined(fields);
    }
    return line;
}

std::string progress_line(const app::Progress& progress, const Terminal& terminal) {
    // The three first figures are worth more than the time left, the others less.
    constexpr int rank_of_time = 4;
    const auto unit = money_unit(progress);
    std::vector<Field> figures;
    for (const auto& figure : progress.figures) {
        if (!figure.label.empty()) {
            const auto place = static_cast<int>(figures.size()) + 1;
            figures.push_back(
                {figure_text(figure, unit, terminal), place < rank_of_time ? place : place + 1});
        }
    }
    std::vector<Field> fields = {{how_far(progress), 0}};
    if (progress.total > 0) {
        fields.push_back({bar(share_done(progress), terminal), 100});
    }
    if (progress.total > 0 && figures.empty()) {
        fields.push_back({fmt::format("{:.0f} %", 100 * share_done(progress)), 5});
    }
    fields.insert(fields.end(), figures.begin(), figures.end());
    fields.push_back({remaining_text(progress), rank_of_time});
    return fit(std::move(fields), terminal.width - 1);
}

TableColumns columns_of_table(const app::Progress& first) {
    TableColumns table{first.step, {}, money_unit(first)};
    for (const auto& figure : first.figures) {
        if (figure.label.empty()) {
            continue;
        }
        const auto unit = unit_name(figure, table.unit);
        table.columns.push_back(
            {unit.empty() ? figure.label : fmt::format("{} [{}]", figure.label, unit),
             figure.unit == "$" ? 14 : 9});
        if (figure.half_width) {
            table.columns.push_back({"+-95% CI", 12});
        }
    }
    return table;
}

std::string table_head(const TableColumns& table) {
    auto line = fmt::format("{:>9}", table.step);
    for (const auto& column : table.columns) {
        line += fmt::format(" {:>{}}", column.head, column.width);
    }
    return line + fmt::format(" {:>8}\n", "seconds");
}

std::string table_row(const app::Progress& progress, const TableColumns& table) {
    auto line = fmt::format("{:>9}", progress.done);
    std::size_t column = 0;
    const auto add = [&](const std::string& text) {
        line += fmt::format(" {:>{}}", text, table.columns[column++].width);
    };
    for (const auto& figure : progress.figures) {
        if (figure.label.empty()) {
            continue;
        }
        add(amount(figure, figure.value, table.unit, 7));
        if (figure.half_width) {
            add(*figure.half_width == 0 ? "-" : amount(figure, *figure.half_width, table.unit, 4));
        }
    }
    return line + fmt::format(" {:>8.1f}\n", progress.seconds);
}

}  // namespace lockstep::cli
