#pragma once

#include <optional>
#include <string_view>

#include "formats/records/columns.hpp"
#include "formats/records/schema_writer.hpp"

namespace lockstep::formats::records {

// Schema of a Parquet table: JSON Schema of the list of its rows, each an object with a member a
// column, so that a table that was turned into such a list can be checked with it. "x-parquet-type"
// names the type of a column; others with the same values are read too. Other columns are allowed.

/// Describes the columns of a row; a second visitor of the columns() that ColumnReader knows.
class ColumnSchemaWriter {
public:
    template <typename T, typename Part>
    void required(std::string_view name, T Part::*, const About& about, Range range = {}) {
        add(name, T{}, about, range, Presence::required);
    }
    template <typename T, typename Part>
    void optional(std::string_view name,
                  std::optional<T> Part::*,
                  const About& about,
                  Range range = {}) {
        add(name, T{}, about, range, Presence::optional);
    }
    [[nodiscard]] io::Json schema() const;

private:
    template <typename T>
    void add(std::string_view name, T value, const About& about, Range range, Presence presence) {
        io::Json schema = schema_of(value, with_unit(range, name));
        schema.set("x-parquet-type", column_type<T>());
        keep(name, std::move(schema), about, presence);
    }
    void keep(std::string_view name, io::Json schema, const About& about, Presence presence);

    PropertyList list_;
};

template <typename Row>
io::Json table_schema() {
    ColumnSchemaWriter writer;
    Row::columns(writer);
    return writer.schema();
}

}  // namespace lockstep::formats::records
