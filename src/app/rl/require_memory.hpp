#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::app {

/// "2.5 GiB".
std::string memory_text(std::int64_t bytes);

/// Refuses what cannot fit before it is begun.
/// @param task  "learning garnet"
/// @param there  memory that there is; 0: not known [bytes]
/// @param remedy  what to take instead
/// @throws InputError  more than there is, and the remedy
void require_memory(std::string_view task,
                    std::int64_t bytes,
                    std::int64_t there,
                    std::string_view remedy);

}  // namespace lockstep::app
