#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/formats/records/column_description.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::records {

// A table is a list of fields; a field knows its name, its unit, what it means, and how to get its
// value from a row. Files and the dictionary of columns both come from these lists.

/// How a C++ value is kept in a column.
template <typename T>
struct CellTraits {
    using Stored = T;
    static constexpr bool nullable = false;
};
template <>
struct CellTraits<bool> {
    using Stored = std::uint8_t;
    static constexpr bool nullable = false;
};
template <typename T>
struct CellTraits<std::optional<T>> {
    using Stored = typename CellTraits<T>::Stored;
    static constexpr bool nullable = true;
};

template <typename Row>
class Field {
public:
    /// @param get  a lambda without captures: const Row& -> double, std::int32_t, std::optional<…>
    /// …
    template <typename Get>
    Field(std::string name, std::string unit, std::string description, Get)
        : name_(std::move(name)),
          unit_(std::move(unit)),
          description_(std::move(description)),
          empty_(&make_empty<Get>),
          append_(&append_all<Get>) {}

    [[nodiscard]] io::Column empty() const {
        io::Column column = empty_();
        column.name = name_;
        return column;
    }
    void append(std::span<const Row> rows, io::Column& column) const { append_(rows, column); }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& unit() const noexcept { return unit_; }
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

private:
    template <typename Get>
    using Value = std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>;

    template <typename Get>
    static io::Column make_empty() {
        io::Column column;
        column.values = std::vector<typename CellTraits<Value<Get>>::Stored>{};
        column.nullable = CellTraits<Value<Get>>::nullable;
        return column;
    }

    template <typename Get>
    static void append_all(std::span<const Row> rows, io::Column& column) {
        using Traits = CellTraits<Value<Get>>;
        auto& values = std::get<std::vector<typename Traits::Stored>>(column.values);
        const Get get{};
        for (const Row& row : rows) {
            if constexpr (Traits::nullable) {
                const auto value = get(row);
                column.present.push_back(value.has_value() ? 1 : 0);
                values.push_back(value.value_or(typename Traits::Stored{}));
            } else {
                values.push_back(get(row));
            }
        }
    }

    std::string name_;
    std::string unit_;
    std::string description_;
    io::Column (*empty_)();
    void (*append_)(std::span<const Row>, io::Column&);
};

template <typename Row>
class TableDefinition {
public:
    /// @param file  relative to the output directory, without partition and extension
    TableDefinition(std::string file, std::vector<Field<Row>> fields)
        : file_(std::move(file)), fields_(std::move(fields)) {}

    [[nodiscard]] const std::string& file() const noexcept { return file_; }

    [[nodiscard]] io::Table schema() const {
        io::Table table;
        for (const Field<Row>& field : fields_) {
            table.columns.push_back(field.empty());
        }
        return table;
    }

    [[nodiscard]] io::Table table(std::span<const Row> rows) const {
        io::Table table = schema();
        append(rows, table);
        return table;
    }

    /// @pre table.columns as in schema()
    void append(std::span<const Row> rows, io::Table& table) const {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            fields_[i].append(rows, table.columns[i]);
        }
    }

    void describe(std::vector<ColumnDescription>& out) const {
        for (const Field<Row>& field : fields_) {
            const io::Column column = field.empty();
            out.push_back({file_,
                           field.name(),
                           std::string(io::type_name(column)),
                           field.unit(),
                           field.description(),
                           column.nullable});
        }
    }

private:
    std::string file_;
    std::vector<Field<Row>> fields_;
};

/// A column that the format has and that this engine has nothing to tell for.
template <typename Value, typename Row>
Field<Row> zero(std::string name, std::string unit) {
    return {std::move(name), std::move(unit), "Not measured; always 0", [](const Row&) {
                return Value{};
            }};
}

/// Removes the rows, keeps the memory.
void clear_rows(io::Table& table);

}  // namespace lockstep::formats::records
