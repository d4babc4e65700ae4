#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "lockstep/io/table.hpp"

#include "fuzzed_case.hpp"

namespace {

using lockstep::io::Column;
using lockstep::io::Table;

template <typename T>
T odd_value(std::uint8_t choice) {
    if constexpr (std::is_same_v<T, double>) {
        constexpr std::array values{std::numeric_limits<double>::quiet_NaN(),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::max(),
                                    std::numeric_limits<double>::denorm_min(),
                                    -1.0,
                                    0.0,
                                    1e12};
        return choice < 128 ? values[choice % values.size()] : choice - 128.0;
    } else if constexpr (std::is_integral_v<T>) {
        return choice == 0   ? std::numeric_limits<T>::max()
               : choice == 1 ? std::numeric_limits<T>::min()
                             : static_cast<T>(choice - 3);
    } else {
        return T{};
    }
}

/// Changes a value, its presence, or the column, as four bytes say.
void change(Table& table, const std::uint8_t* bytes) {
    if (table.columns.empty() || table.rows() == 0) {
        return;
    }
    const std::size_t place = bytes[0] % table.columns.size();
    auto& column = table.columns[place];
    const std::size_t row = bytes[1] % table.rows();
    switch (bytes[2] % 8) {
        case 0:
            table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(place));
            break;
        case 1:
            column.name += 'x';
            break;
        case 2:
            column.nullable = true;
            column.present.resize(table.rows(), 1);
            column.present[row] = 0;
            break;
        default:
            std::visit(
                [&](auto& values) {
                    using T = typename std::remove_reference_t<decltype(values)>::value_type;
                    values[row] = odd_value<T>(bytes[3]);
                },
                column.values);
    }
}

struct ATable {
    std::shared_ptr<const lockstep::fuzz::FuzzedCase> fuzzed;
    std::string name;
};

std::vector<ATable> all_tables() {
    std::vector<ATable> tables;
    for (const char* name : {"all-files",
                             "block-bounds",
                             "d06-fpha-variable-head",
                             "d07-fpha-computed",
                             "d15-non-controllable-source",
                             "d16-par1-lag-shift",
                             "d26-estimated-par2",
                             "d29-weekly-par-noise-sharing",
                             "generic-parameters",
                             "node-tree"}) {
        const auto fuzzed = std::make_shared<const lockstep::fuzz::FuzzedCase>(
            std::filesystem::path("cases/sddp") / name);
        for (const auto& file : fuzzed->files(".parquet")) {
            tables.push_back({fuzzed, file});
        }
    }
    return tables;
}

}  // namespace

// The first byte chooses a table of some cases, each four bytes that follow change it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<ATable> tables = all_tables();
    if (size == 0) {
        return 0;
    }
    const auto& [fuzzed, name] = tables[data[0] % tables.size()];
    auto table = lockstep::io::read_parquet(fuzzed->original(name));
    for (std::size_t i = 1; i + 4 <= size && i < 64; i += 4) {
        change(table, data + i);
    }
    lockstep::io::write_parquet(fuzzed->file(name), table, {}, lockstep::io::Durability::later);
    fuzzed->read();
    fuzzed->restore(name);
    return 0;
}
