#include "summary_lines.hpp"

#include <fmt/format.h>

namespace lockstep::cli {

std::string summary_line(std::string_view name, std::string_view value, std::string_view remark) {
    if (remark.empty()) {
        return fmt::format("{:<16}{}\n", name, value);
    }
    return fmt::format("{:<15} {:<23} {}\n", name, value, remark);
}

}  // namespace lockstep::cli
