#pragma once

#include <string_view>

namespace lockstep::formats::records {

/// What a user needs to know of a field or column beyond its name and type. Schemas and the field
/// reference are made from it, so a field cannot be declared without.
struct About {
    std::string_view text;  ///< a sentence or two, without a full stop at the end
    /// A usual value: JSON, or else a text. Empty: the default, the first of several choices, or
    /// what the examples of its parts make.
    std::string_view example = {};
    std::string_view unit = {};  ///< empty: as the end of the name tells, "_mw"
};

/// The unit of a share, a factor, a coefficient.
inline constexpr std::string_view dimensionless = "dimensionless";

}  // namespace lockstep::formats::records
