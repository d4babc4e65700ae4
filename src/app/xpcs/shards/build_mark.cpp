#include "app/xpcs/shards/build_mark.hpp"

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"

namespace lockstep::app {

std::string build_mark() {
    const auto& info = build_info();
    return fmt::format("{} {} {} {}", info.version, info.commit, info.compiler, info.flags);
}

}  // namespace lockstep::app
