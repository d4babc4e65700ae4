#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"

namespace {

using lockstep::io::Json;

/// What was read once is written and read again without change, compact and indented.
void check_round_trip(const Json& value) {
    const std::string compact = lockstep::io::to_text(value);
    const Json again = lockstep::io::parse_json(lockstep::io::to_text(value, 2), "again");
    if (lockstep::io::to_text(again) != compact) {
        std::abort();
    }
}

/// Messages begin with the name and a line that the text has.
void check_message(std::string_view message, std::string_view text) {
    constexpr std::string_view start = "fuzz:";
    const int line = std::atoi(message.substr(start.size()).data());
    std::size_t lines = 1;
    for (const char c : text) {
        lines += c == '\n' ? 1U : 0U;
    }
    if (message.substr(0, start.size()) != start || line < 1 ||
        static_cast<std::size_t>(line) > lines) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        check_round_trip(lockstep::io::parse_json(text, "fuzz"));
    } catch (const lockstep::InputError& error) {
        check_message(error.what(), text);
    }
    return 0;
}
