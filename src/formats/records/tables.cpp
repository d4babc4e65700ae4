#include "formats/records/tables.hpp"

#include <variant>

namespace lockstep::formats::records {

void clear_rows(io::Table& table) {
    for (io::Column& column : table.columns) {
        std::visit([](auto& values) { values.clear(); }, column.values);
        column.present.clear();
    }
}

}  // namespace lockstep::formats::records
