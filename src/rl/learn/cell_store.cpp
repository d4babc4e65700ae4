#include "rl/learn/cell_store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {

CellStore::CellStore(Precision precision, std::size_t cells, std::size_t plane)
    : visits_(cells), plane_(plane) {
    if (precision == Precision::f32) {
        values_.emplace<std::vector<float>>(cells);
    } else {
        values_.emplace<std::vector<double>>(cells);
    }
}

Cells CellStore::cells(std::uint64_t* touched) noexcept {
    const auto of = [&]<typename V>(std::vector<V>& values) -> Cells {
        return CellsOf<V>{
            values.data(), visits_.data(), touched, static_cast<std::ptrdiff_t>(plane_)};
    };
    return std::visit(of, values_);
}

double CellStore::value(std::size_t cell) const {
    return std::visit([&](const auto& values) { return double{values[cell]}; }, values_);
}

void CellStore::set_value(std::size_t cell, double value) {
    std::visit([&]<typename V>(std::vector<V>& values) { values[cell] = static_cast<V>(value); },
               values_);
}

void CellStore::save(ByteWriter& bytes, std::size_t begin, std::size_t count) const {
    with_values([&]<typename V>(std::span<V> values) {
        bytes.add(static_cast<std::uint8_t>(sizeof(V)));
        bytes.add_array(values.subspan(begin, count));
    });
    bytes.add_array(visits().subspan(begin, count));
}

void CellStore::load(ByteReader& bytes, std::size_t begin, std::size_t count) {
    const auto place = static_cast<std::ptrdiff_t>(begin);
    const auto width = std::size_t{bytes.read<std::uint8_t>()};
    std::visit(
        [&]<typename V>(std::vector<V>& own) {
            if (width != sizeof(V)) {
                throw InputError(fmt::format(
                    "the checkpoint holds values of {} bytes, this table has {}: resume with the "
                    "table_precision that it was begun with",
                    width,
                    sizeof(V)));
            }
            const auto values = bytes.read_array<V>();
            const auto visits = bytes.read_array<std::uint32_t>();
            if (values.size() != count || visits.size() != count) {
                throw InputError(fmt::format(
                    "the checkpoint is of another table: a part holds {} values, {} belong there",
                    values.size(),
                    count));
            }
            std::ranges::copy(values, own.begin() + place);
            std::ranges::copy(visits, visits_.begin() + place);
        },
        values_);
}

}  // namespace lockstep::rl
