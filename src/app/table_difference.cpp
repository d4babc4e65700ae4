#include "app/table_difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace lockstep::app {
namespace {

using io::Column;

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same_bits(x, y); });
}
template <typename T>
bool same_bits(const T& a, const T& b) {
    return a == b;
}

bool same_cell(const Column& left, const Column& right, std::size_t row) {
    if (!left.is_present(row) || !right.is_present(row)) {
        return left.is_present(row) == right.is_present(row);
    }
    return std::visit(
        [&](const auto& values) {
            using Values = std::remove_cvref_t<decltype(values)>;
            return same_bits(values[row], std::get<Values>(right.values)[row]);
        },
        left.values);
}

std::size_t first_row(const Column& left, const Column& right, std::size_t rows) {
    std::size_t row = 0;
    while (row < rows && same_cell(left, right, row)) {
        ++row;
    }
    return row;
}

std::string text_of(double value) {
    return fmt::format("{}", value);
}
std::string text_of(const std::string& value) {
    return value;
}
std::string text_of(const io::Day& day) {
    return fmt::format("day {}", day.time_since_epoch().count());
}
std::string text_of(const std::vector<double>& values) {
    return fmt::format("{} numbers", values.size());
}
template <typename T>
std::string text_of(T value) {
    return fmt::format("{}", +value);
}

struct Cell {
    std::string text;
    double number = std::numeric_limits<double>::quiet_NaN();
};

Cell cell_of(const Column& column, std::size_t row, std::optional<std::size_t> element) {
    if (!column.is_present(row)) {
        return {"absent"};
    }
    return std::visit(
        [&](const auto& values) -> Cell {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            const auto& value = values[row];
            if constexpr (std::is_arithmetic_v<T>) {
                return {text_of(value), static_cast<double>(value)};
            } else if constexpr (std::is_same_v<T, std::vector<double>>) {
                return element ? Cell{text_of(value[*element]), value[*element]}
                               : Cell{text_of(value)};
            } else {
                return {text_of(value)};
            }
        },
        column.values);
}

// Position in two lists of equal length; none for other cells.
std::optional<std::size_t> first_element(const Column& left, const Column& right, std::size_t row) {
    using Lists = std::vector<std::vector<double>>;
    const auto* a = std::get_if<Lists>(&left.values);
    const auto* b = std::get_if<Lists>(&right.values);
    if (a == nullptr || !left.is_present(row) || !right.is_present(row) ||
        (*a)[row].size() != (*b)[row].size()) {
        return std::nullopt;
    }
    const auto& x = (*a)[row];
    const auto& y = (*b)[row];
    std::size_t element = 0;
    while (element < x.size() && same_bits(x[element], y[element])) {
        ++element;
    }
    return element;
}

TableDifference describe(const Column& left, const Column& right, std::size_t row) {
    TableDifference difference;
    difference.row = row;
    difference.column = left.name;
    difference.element = first_element(left, right, row);
    const auto a = cell_of(left, row, difference.element);
    const auto b = cell_of(right, row, difference.element);
    difference.left = a.text;
    difference.right = b.text;
    difference.absolute = std::abs(a.number - b.number);
    const auto scale = std::max(std::abs(a.number), std::abs(b.number));
    difference.relative = scale > 0 ? difference.absolute / scale : difference.absolute;
    return difference;
}

TableDifference missing(std::string column,
                        std::optional<std::size_t> row,
                        std::string left,
                        std::string right) {
    const auto none = std::numeric_limits<double>::quiet_NaN();
    return {row, std::move(column), std::nullopt, std::move(left), std::move(right), none, none};
}

// Columns that are there on one side only, or of another type.
std::optional<TableDifference> other_columns(const io::Table& left, const io::Table& right) {
    for (const auto& column : left.columns) {
        const auto* twin = right.find(column.name);
        if (twin == nullptr) {
            return missing(column.name, std::nullopt, std::string(type_name(column)), "no column");
        }
        if (column.values.index() != twin->values.index()) {
            return missing(column.name,
                           std::nullopt,
                           std::string(type_name(column)),
                           std::string(type_name(*twin)));
        }
    }
    for (const auto& column : right.columns) {
        if (left.find(column.name) == nullptr) {
            return missing(column.name, std::nullopt, "no column", std::string(type_name(column)));
        }
    }
    return std::nullopt;
}

// A table is of one scenario, and its nodes are its stages.
bool is_key(const Column& column) {
    return column.name.ends_with("_id") && column.name != "scenario_id" && column.name != "node_id";
}

std::string number_text(const Column& column, std::size_t row) {
    return cell_of(column, row, std::nullopt).text;
}

}  // namespace

std::optional<TableDifference> first_difference(const io::Table& left,
                                                const io::Table& right,
                                                std::span<const std::string_view> ignored) {
    if (auto difference = other_columns(left, right)) {
        return difference;
    }
    const auto rows = std::min(left.rows(), right.rows());
    auto first = rows;
    const Column* where = nullptr;
    for (const auto& column : left.columns) {
        if (std::find(ignored.begin(), ignored.end(), column.name) != ignored.end()) {
            continue;
        }
        const auto row = first_row(column, *right.find(column.name), first);
        if (row < first) {
            first = row;
            where = &column;
        }
    }
    if (where != nullptr) {
        return describe(*where, *right.find(where->name), first);
    }
    if (left.rows() == right.rows()) {
        return std::nullopt;
    }
    return missing(
        "rows", rows, fmt::format("{} rows", left.rows()), fmt::format("{} rows", right.rows()));
}

std::string row_key(const io::Table& table, std::size_t row) {
    std::string key;
    for (const auto& column : table.columns) {
        if (!is_key(column) || row >= column.size() || !column.is_present(row)) {
            continue;
        }
        auto name = column.name.substr(0, column.name.size() - 3);
        std::replace(name.begin(), name.end(), '_', ' ');
        key += fmt::format("{}{} {}", key.empty() ? "" : ", ", name, number_text(column, row));
    }
    return key;
}

}  // namespace lockstep::app
