#include "formats/records/columns.hpp"

#include <fmt/format.h>

namespace lockstep::formats::records {

namespace {

template <typename T>
std::string_view expected_type() {
    return io::type_name(io::Column{"", std::vector<T>{}, false, {}});
}

/// Type of a column that the table leaves out, empty when there is none.
std::string_view skipped_type(const ParquetFile& file, std::string_view name) {
    for (const std::string& entry : file.skipped) {
        const std::size_t colon = entry.rfind(": ");
        if (colon != std::string::npos && std::string_view(entry).substr(0, colon) == name) {
            return std::string_view(entry).substr(colon + 2);
        }
    }
    return {};
}

}  // namespace

std::string row_name(std::size_t row) {
    return fmt::format("row {}", row + 1);
}

template <typename T>
const io::Column* ColumnFinder::find(std::string_view name, bool is_required) const {
    const io::Column* found = file_.table.find(name);
    const auto complain = [&](std::string message) {
        problems_.add(ProblemKind::schema_violation,
                      file_.name,
                      fmt::format("column {}", name),
                      std::move(message));
    };
    if (found != nullptr) {
        if (std::holds_alternative<std::vector<T>>(found->values)) {
            return found;
        }
        complain(fmt::format("expected {}, found {}", expected_type<T>(), io::type_name(*found)));
        return nullptr;
    }
    if (const std::string_view other = skipped_type(file_, name); !other.empty()) {
        complain(fmt::format("expected {}, found {}", expected_type<T>(), other));
    } else if (is_required) {
        complain(fmt::format("missing column of type {}", expected_type<T>()));
    }
    return nullptr;
}

template const io::Column* ColumnFinder::find<int>(std::string_view, bool) const;
template const io::Column* ColumnFinder::find<std::uint32_t>(std::string_view, bool) const;
template const io::Column* ColumnFinder::find<double>(std::string_view, bool) const;
template const io::Column* ColumnFinder::find<Date>(std::string_view, bool) const;

void ColumnFinder::wrong(std::size_t row, std::string_view name, std::string_view message) const {
    problems_.add(ProblemKind::schema_violation,
                  file_.name,
                  fmt::format("{}, column {}", row_name(row), name),
                  std::string(message));
}

}  // namespace lockstep::formats::records
