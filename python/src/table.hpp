#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/io/table.hpp"

#include "arrow.hpp"

namespace lockstep::python {

/// A column as Arrow wants it: numbers stay where they are, the rest is laid out once.
class ArrowColumn {
public:
    /// @throws InputError  of more text than Arrow's 32-bit offsets reach
    explicit ArrowColumn(io::Column column);

    [[nodiscard]] const io::Column& column() const noexcept { return column_; }
    [[nodiscard]] std::int64_t null_count() const noexcept { return nulls_; }
    /// Of Arrow's C data interface: "g" of float64 …
    [[nodiscard]] const char* format() const noexcept;
    /// Validity, then what the format has.
    [[nodiscard]] std::vector<const void*> buffers() const;
    /// Of a list the items, else nullptr.
    [[nodiscard]] const ArrowColumn* items() const noexcept { return items_.get(); }

private:
    void mark_absent();
    void pack();

    io::Column column_;
    std::int64_t nulls_ = 0;
    std::vector<std::uint8_t> validity_;  ///< bits; empty: all present
    std::vector<std::uint8_t> bits_;      ///< booleans
    std::vector<std::int32_t> days_;
    std::vector<std::int32_t> offsets_;
    std::vector<char> text_;
    std::unique_ptr<ArrowColumn> items_;
};

/// A table that never changes; whoever it is exported to shares it.
struct ArrowTable {
    explicit ArrowTable(io::Table table);
    std::vector<ArrowColumn> columns;
    std::int64_t rows = 0;
};

void export_schema(const ArrowTable& table, ArrowSchema* out);
/// One batch, without a copy.
void export_stream(std::shared_ptr<const ArrowTable> table, ArrowArrayStream* out);

}  // namespace lockstep::python
