#pragma once

#include <string>
#include <string_view>

namespace lockstep::cli {

/// A line of a summary: what, how much, and what there is to say of it.
std::string summary_line(std::string_view name,
                         std::string_view value,
                         std::string_view remark = {});

}  // namespace lockstep::cli
