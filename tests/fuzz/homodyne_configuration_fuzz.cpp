#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/homodyne/configuration.hpp"

/// Configurations of homodyne: one that can be used, or faults that name the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    for (const char* const name : {"fuzz.yaml", "fuzz.json"}) {
        try {
            const auto configuration = formats::homodyne::parse_configuration(
                {reinterpret_cast<const char*>(data), size}, name);
            if (!(configuration.analyzer.dt > 0)) {
                std::abort();
            }
        } catch (const InputError& error) {
            if (!std::string_view(error.what()).starts_with(name)) {
                std::abort();
            }
        }
    }
    return 0;
}
