#include "table.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::python {

namespace {

template <typename... F>
struct Overloaded : F... {
    using F::operator()...;
};

template <typename IsSet>
std::vector<std::uint8_t> packed(std::size_t count, IsSet is_set) {
    std::vector<std::uint8_t> bits((count + 7) / 8);
    for (std::size_t i = 0; i < count; ++i) {
        bits[i / 8] |= static_cast<std::uint8_t>((is_set(i) ? 1U : 0U) << (i % 8));
    }
    return bits;
}

template <typename T>
std::vector<std::int32_t> ends_of(const std::vector<T>& parts, const std::string& name) {
    std::vector<std::int32_t> ends{0};
    std::size_t sum = 0;
    for (const auto& part : parts) {
        sum += part.size();
        if (sum > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
            throw InputError(fmt::format("column {}: more than 2^31 bytes or items", name));
        }
        ends.push_back(static_cast<std::int32_t>(sum));
    }
    return ends;
}

template <typename T>
auto joined(const T& parts) {
    std::vector<typename T::value_type::value_type> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

ArrowColumn::ArrowColumn(io::Column column) : column_(std::move(column)) {
    nulls_ = std::ranges::count(column_.present, 0);
    if (nulls_ > 0) {
        validity_ = packed(column_.size(), [&](std::size_t i) { return column_.is_present(i); });
        mark_absent();
    }
    pack();
}

// What stands where nothing is may be anything to Arrow; NumPy then shows NaN and NaT.
void ArrowColumn::mark_absent() {
    const auto fill = [&](auto& values, auto absent) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = column_.is_present(i) ? values[i] : absent;
        }
    };
    std::visit(Overloaded{[&](std::vector<double>& values) {
                              fill(values, std::numeric_limits<double>::quiet_NaN());
                          },
                          [&](std::vector<io::Day>& values) { fill(values, io::Day::min()); },
                          [](auto&) {}},
               column_.values);
}

void ArrowColumn::pack() {
    std::visit(Overloaded{[&](const std::vector<std::uint8_t>& values) {
                              bits_ = packed(values.size(),
                                             [&](std::size_t i) { return values[i] != 0; });
                          },
                          [&](const std::vector<std::string>& values) {
                              offsets_ = ends_of(values, column_.name);
                              text_ = joined(values);
                          },
                          [&](const std::vector<io::Day>& values) {
                              for (const auto day : values) {
                                  days_.push_back(static_cast<std::int32_t>(
                                      day == io::Day::min() ? 0 : day.time_since_epoch().count()));
                              }
                          },
                          [&](const std::vector<std::vector<double>>& values) {
                              offsets_ = ends_of(values, column_.name);
                              items_ = std::make_unique<ArrowColumn>(
                                  io::Column{"item", joined(values), true, {}});
                          },
                          [](const auto&) {}},
               column_.values);
}

const char* ArrowColumn::format() const noexcept {
    // In the order of io::Column::Values.
    static constexpr const char* formats[] = {"g", "i", "l", "I", "L", "c", "b", "u", "tdD", "+l"};
    return formats[column_.values.index()];
}

std::vector<const void*> ArrowColumn::buffers() const {
    const void* validity = validity_.empty() ? nullptr : validity_.data();
    return std::visit(
        Overloaded{[&](const std::vector<std::uint8_t>&) {
                       return std::vector<const void*>{validity, bits_.data()};
                   },
                   [&](const std::vector<std::string>&) {
                       return std::vector<const void*>{validity, offsets_.data(), text_.data()};
                   },
                   [&](const std::vector<io::Day>&) {
                       return std::vector<const void*>{validity, days_.data()};
                   },
                   [&](const std::vector<std::vector<double>>&) {
                       return std::vector<const void*>{validity, offsets_.data()};
                   },
                   [&](const auto& numbers) {
                       return std::vector<const void*>{validity, numbers.data()};
                   }},
        column_.values);
}

ArrowTable::ArrowTable(io::Table table) : rows(static_cast<std::int64_t>(table.rows())) {
    columns.reserve(table.columns.size());
    for (auto& column : table.columns) {
        columns.emplace_back(std::move(column));
    }
}

}  // namespace lockstep::python
