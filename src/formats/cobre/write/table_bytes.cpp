#include "formats/cobre/write/table_bytes.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::formats::cobre::out {

namespace {

template <typename Action>
void visit_plain(auto& column, const Action& action) {
    std::visit(
        [&]<typename Values>(Values& values) {
            if constexpr (std::is_trivially_copyable_v<typename Values::value_type>) {
                action(values);
            } else {
                throw AssertionError(fmt::format(
                    "column {} of a simulation holds neither numbers nor dates", column.name));
            }
        },
        column.values);
}

}  // namespace

void pack_rows(const io::Table& table, ByteWriter& out) {
    for (const io::Column& column : table.columns) {
        visit_plain(column, [&](const auto& values) { out.add_array(values); });
        out.add_array(column.present);
    }
}

void unpack_rows(ByteReader& in, io::Table& table) {
    for (io::Column& column : table.columns) {
        visit_plain(column,
                    [&]<typename T>(std::vector<T>& values) { values = in.read_array<T>(); });
        column.present = in.read_array<std::uint8_t>();
    }
}

}  // namespace lockstep::formats::cobre::out
