#pragma once

#include <string>

namespace lockstep::formats {

/// One column of an output table.
struct ColumnDescription {
    std::string file;  ///< relative to the output directory, without partition and extension:
                       ///< "simulation/costs"
    std::string column;
    std::string type;  ///< as io::type_name
    std::string unit;
    std::string description;
    bool nullable = false;
};

}  // namespace lockstep::formats
