#include "rl/learn/cell_store.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

template <typename V>
Cells cells_at(std::byte* start, std::size_t cells, std::size_t plane) noexcept {
    void* values = start;
    void* visits = start + cells * sizeof(V);
    return CellsOf<V>{static_cast<V*>(values),
                      static_cast<std::uint32_t*>(visits),
                      nullptr,
                      static_cast<std::ptrdiff_t>(plane)};
}

Precision precision_of(const Cells& cells) noexcept {
    return std::holds_alternative<CellsOf<float>>(cells) ? Precision::f32 : Precision::f64;
}

std::size_t plane_of(const Cells& cells) noexcept {
    return std::visit([](const auto& of) { return static_cast<std::size_t>(of.plane); }, cells);
}

}  // namespace

void CellList::add(std::uint32_t cell, double value, std::uint32_t visited) {
    cells.push_back(cell);
    values.push_back(value);
    visits.push_back(visited);
}

void CellList::clear() noexcept {
    cells.clear();
    values.clear();
    visits.clear();
}

CellStore::CellStore(Precision precision,
                     std::size_t cells,
                     std::size_t plane,
                     std::shared_ptr<runtime::NodeMemory> shared)
    : size_(cells), shared_(std::move(shared)), own_(shared_ ? 0 : bytes_of(precision, cells)) {
    auto* start = shared_ ? shared_->region().partition_span(0, shared_->region().size()).data()
                          : own_.data();
    cells_ = precision == Precision::f32 ? cells_at<float>(start, cells, plane)
                                         : cells_at<double>(start, cells, plane);
}

std::size_t CellStore::bytes_of(Precision precision, std::size_t cells) noexcept {
    const auto value = precision == Precision::f32 ? sizeof(float) : sizeof(double);
    return cells * (value + sizeof(std::uint32_t));
}

CellStore::CellStore(const CellStore& other)
    : CellStore(precision_of(other.cells_), other.size_, plane_of(other.cells_)) {
    fill(other);
}

CellStore& CellStore::operator=(const CellStore& other) {
    if (this != &other) {
        *this = CellStore(other);
    }
    return *this;
}

Cells CellStore::cells(std::uint64_t* touched) noexcept {
    Cells cells = cells_;
    std::visit([&](auto& of) { of.touched = touched; }, cells);
    return cells;
}

double CellStore::value(std::size_t cell) const {
    return std::visit([&](const auto& of) { return static_cast<double>(of.values[cell]); }, cells_);
}

void CellStore::set_value(std::size_t cell, double value) {
    std::visit([&]<typename V>(const CellsOf<V>& of) { of.values[cell] = static_cast<V>(value); },
               cells_);
}

void CellStore::write(const CellList& list) noexcept {
    std::visit(
        [&]<typename V>(const CellsOf<V>& of) {
            for (std::size_t i = 0; i < list.cells.size(); ++i) {
                of.values[list.cells[i]] = static_cast<V>(list.values[i]);
                of.visits[list.cells[i]] = list.visits[i];
            }
        },
        cells_);
}

void CellStore::fill(const CellStore& other) noexcept {
    std::visit(
        [&]<typename V>(const CellsOf<V>& own) {
            const auto& from = std::get<CellsOf<V>>(other.cells_);
            std::copy_n(from.values, size_, own.values);
            std::copy_n(from.visits, size_, own.visits);
        },
        cells_);
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
        [&]<typename V>(const CellsOf<V>& own) {
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
            std::ranges::copy(values, own.values + place);
            std::ranges::copy(visits, own.visits + place);
        },
        cells_);
}

}  // namespace lockstep::rl
