#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/sddp/calendar.hpp"

#include "formats/records/about.hpp"
#include "formats/records/range.hpp"
#include "formats/records/units.hpp"

namespace lockstep::formats::records {

// A struct that mirrors a row of a Parquet file says so once, as a static member template:
//
//     struct LoadStatistics {
//         int bus_id = 0;
//         double mean_mw = 0;
//         template <typename Columns>
//         static void columns(Columns& c) {
//             c.required("bus_id", &LoadStatistics::bus_id, {"Bus", "1"});
//             c.required("mean_mw", &LoadStatistics::mean_mw, {"Mean load", "1200"});
//         }
//     };
//
// Columns that no struct names are ignored, as the format says. Numbers may be of any type in which
// their values are exactly those of the member's type: other programs write 64-bit or real ids.

/// A Parquet file that was read whole.
struct ParquetFile {
    std::string name;  ///< path in the case
    io::Table table;
    std::vector<io::SkippedColumn> skipped;
};

/// Type of a column with values of type T: "INT32".
template <typename T>
std::string_view column_type() {
    return io::type_name(io::Column{"", std::vector<T>{}, false, {}});
}

/// "row 3": rows are counted from 1, in the order of the file.
std::string row_name(std::size_t row);

/// Finds columns of the wanted type and reports what is wrong with them.
class ColumnFinder {
public:
    ColumnFinder(const ParquetFile& file, Problems& problems) : file_(file), problems_(problems) {}

protected:
    /// A column with values of type T, nullptr when it is absent or after a report. Valid until the
    /// next call.
    template <typename T>
    [[nodiscard]] const io::Column* find(std::string_view name, bool is_required);
    void wrong(std::size_t row, std::string_view name, std::string_view message) const;

private:
    void wrong_type(std::string_view name, std::string_view expected, std::string_view found) const;

    const ParquetFile& file_;
    Problems& problems_;
    io::Column converted_;
};

/// Fills the rows of a table column by column.
template <typename Row>
class ColumnReader : public ColumnFinder {
public:
    ColumnReader(const ParquetFile& file, Problems& problems)
        : ColumnFinder(file, problems), rows_(file.table.rows()) {}

    template <typename T, typename Part>
    void required(std::string_view name, T Part::*member, const About&, Range range = {}) {
        read<T>(name, true, range, [member](Row& row, const T& value) { row.*member = value; });
    }
    template <typename T, typename Part>
    void optional(std::string_view name,
                  std::optional<T> Part::*member,
                  const About&,
                  Range range = {}) {
        read<T>(name, false, range, [member](Row& row, const T& value) { row.*member = value; });
    }

    std::vector<Row> take() { return std::move(rows_); }

private:
    template <typename T, typename Assign>
    void read(std::string_view name, bool is_required, Range range, Assign assign) {
        const io::Column* column = find<T>(name, is_required);
        for (std::size_t i = 0; column != nullptr && i < rows_.size(); ++i) {
            if (column->is_present(i)) {
                const T& value = std::get<std::vector<T>>(column->values)[i];
                check(i, name, value, range);
                assign(rows_[i], value);
            } else if (is_required) {
                wrong(i, name, "null where a value is required");
            }
        }
    }
    template <typename T>
    void check(std::size_t row, std::string_view name, const T& value, Range range) const {
        if constexpr (std::is_arithmetic_v<T>) {
            range = std::is_floating_point_v<T> ? with_unit(range, name) : range;
            if (!range.holds(static_cast<double>(value))) {
                wrong(row, name, out_of_range(static_cast<double>(value), range));
            }
        }
    }

    std::vector<Row> rows_;
};

template <typename Row>
std::vector<Row> read_rows(const ParquetFile& file, Problems& problems) {
    ColumnReader<Row> reader(file, problems);
    Row::columns(reader);
    return reader.take();
}

}  // namespace lockstep::formats::records
