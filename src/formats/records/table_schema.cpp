#include "formats/records/table_schema.hpp"

#include <utility>

namespace lockstep::formats::records {

void ColumnSchemaWriter::keep(std::string_view name,
                              io::Json schema,
                              const About& about,
                              Presence presence) {
    list_.add(
        name,
        presence == Presence::optional ? nullable_schema(std::move(schema)) : std::move(schema),
        about,
        presence);
}

io::Json ColumnSchemaWriter::schema() const {
    return array_schema(list_.object_schema(true));
}

}  // namespace lockstep::formats::records
