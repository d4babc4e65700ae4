#pragma once

#include <string_view>

namespace lockstep::io {

/// The style sheet of a page: light, dark, print and phone.
extern const std::string_view page_style;

/// The script of a page: draws its plots at the width at hand, shows values under the pointer,
/// serves the lists of plots, and sets the document's title last.
extern const std::string_view page_script;

}  // namespace lockstep::io
