#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lockstep/base/error.hpp"
#include "lockstep/io/yaml.hpp"

/// What is no document is refused with a line; what is one can be written as JSON and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto value = lockstep::io::parse_yaml(text, "fuzz");
        const auto written = lockstep::io::to_text(value);
        if (lockstep::io::to_text(lockstep::io::parse_json(written, "again")) != written) {
            std::abort();
        }
    } catch (const lockstep::InputError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz:")) {
            std::abort();
        }
    }
    return 0;
}
