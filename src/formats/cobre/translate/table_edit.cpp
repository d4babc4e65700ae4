#include "formats/cobre/translate/table_edit.hpp"

#include <algorithm>
#include <type_traits>

namespace lockstep::formats::cobre::translate {

namespace {

io::Column* find_column(io::Table& table, std::string_view name) {
    const auto found = std::find_if(table.columns.begin(),
                                    table.columns.end(),
                                    [name](const io::Column& each) { return each.name == name; });
    return found == table.columns.end() ? nullptr : &*found;
}

template <typename T>
void keep_rows(std::vector<T>& values, const std::vector<std::size_t>& rows) {
    std::vector<T> kept;
    for (const std::size_t row : rows) {
        kept.push_back(values[row]);
    }
    values = std::move(kept);
}

}  // namespace

void rename_column(io::Table& table, std::string_view from, std::string to) {
    if (io::Column* column = find_column(table, from)) {
        column->name = std::move(to);
    }
}

void drop_column(io::Table& table, std::string_view name) {
    std::erase_if(table.columns, [name](const io::Column& each) { return each.name == name; });
}

void filter_rows(io::Table& table, const std::function<bool(std::size_t row)>& keep) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (keep(row)) {
            rows.push_back(row);
        }
    }
    for (io::Column& column : table.columns) {
        std::visit([&](auto& values) { keep_rows(values, rows); }, column.values);
        if (!column.present.empty()) {
            keep_rows(column.present, rows);
        }
    }
}

std::optional<double> number_at(const io::Table& table, std::string_view column, std::size_t row) {
    const io::Column* found = table.find(column);
    if (found == nullptr || !found->is_present(row)) {
        return std::nullopt;
    }
    return std::visit(
        [row](const auto& values) -> std::optional<double> {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_arithmetic_v<Value>) {
                return static_cast<double>(values[row]);
            } else {
                return std::nullopt;
            }
        },
        found->values);
}

io::Column* real_column(io::Table& table, const std::string& name) {
    if (io::Column* column = find_column(table, name)) {
        return std::holds_alternative<std::vector<double>>(column->values) ? column : nullptr;
    }
    const std::size_t rows = table.rows();
    return &table.columns.emplace_back(
        io::Column{name, std::vector<double>(rows, 0.0), true, std::vector<std::uint8_t>(rows, 0)});
}

void set_real(io::Column& column, std::size_t row, std::optional<double> value) {
    auto& values = std::get<std::vector<double>>(column.values);
    column.nullable = true;
    if (column.present.empty()) {
        column.present.assign(values.size(), 1);
    }
    values[row] = value.value_or(0);
    column.present[row] = value ? 1 : 0;
}

}  // namespace lockstep::formats::cobre::translate
