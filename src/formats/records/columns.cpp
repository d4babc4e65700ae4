#include "formats/records/columns.hpp"

#include <fmt/format.h>

#include "formats/records/column_conversion.hpp"

namespace lockstep::formats::records {

namespace {

/// Type of a column that the table leaves out, empty when there is none.
std::string_view skipped_type(const ParquetFile& file, std::string_view name) {
    for (const io::SkippedColumn& column : file.skipped) {
        if (column.name == name) {
            return column.type;
        }
    }
    return {};
}

}  // namespace

std::string row_name(std::size_t row) {
    return fmt::format("row {}", row + 1);
}

void ColumnFinder::wrong_type(std::string_view name,
                              std::string_view expected,
                              std::string_view found) const {
    problems_.add(ProblemKind::schema_violation,
                  file_.name,
                  fmt::format("column {}", name),
                  fmt::format("expected {}, found {}", expected, found));
}

template <typename T>
const io::Column* ColumnFinder::find(std::string_view name, bool is_required) {
    const io::Column* found = file_.table.find(name);
    if (found == nullptr) {
        const std::string_view other = skipped_type(file_, name);
        const bool has_no_value =
            other == "null";  // what some programs write for a column of nulls
        if (!other.empty() && (is_required || !has_no_value)) {
            wrong_type(name, column_type<T>(), other);
        } else if (is_required) {
            problems_.add(ProblemKind::schema_violation,
                          file_.name,
                          fmt::format("column {}", name),
                          fmt::format("missing column of type {}", column_type<T>()));
        }
        return nullptr;
    }
    if (std::holds_alternative<std::vector<T>>(found->values)) {
        return found;
    }
    converted_ = {found->name, std::vector<T>{}, found->nullable, found->present};
    if (!is_numeric(*found) || !is_numeric(converted_)) {
        wrong_type(name, column_type<T>(), io::type_name(*found));
        return nullptr;
    }
    if (const auto misfit = convert_numbers(*found, converted_)) {
        wrong(misfit->row,
              name,
              fmt::format("expected {}, found {} in a column of type {}",
                          column_type<T>(),
                          misfit->value,
                          io::type_name(*found)));
        return nullptr;
    }
    return &converted_;
}

template const io::Column* ColumnFinder::find<int>(std::string_view, bool);
template const io::Column* ColumnFinder::find<std::uint32_t>(std::string_view, bool);
template const io::Column* ColumnFinder::find<double>(std::string_view, bool);
template const io::Column* ColumnFinder::find<Date>(std::string_view, bool);

void ColumnFinder::wrong(std::size_t row, std::string_view name, std::string_view message) const {
    problems_.add(ProblemKind::schema_violation,
                  file_.name,
                  fmt::format("{}, column {}", row_name(row), name),
                  std::string(message));
}

}  // namespace lockstep::formats::records
