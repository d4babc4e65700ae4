#include "lockstep/io/table.hpp"

#include <algorithm>
#include <array>

namespace lockstep::io {

std::size_t Column::size() const noexcept {
    return std::visit([](const auto& list) { return list.size(); }, values);
}

std::string_view type_name(const Column& column) {
    constexpr std::array<std::string_view, std::variant_size_v<Column::Values>> names{
        "DOUBLE",
        "INT32",
        "INT64",
        "UINT32",
        "UINT64",
        "INT8",
        "BOOLEAN",
        "STRING",
        "DATE",
        "LIST<DOUBLE>"};
    return names[column.values.index()];
}

const Column* Table::find(std::string_view name) const noexcept {
    const auto place = std::ranges::find(columns, name, &Column::name);
    return place == columns.end() ? nullptr : &*place;
}

}  // namespace lockstep::io
