#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "lockstep/base/error.hpp"
#include "lockstep/io/npy.hpp"

/// Arrays of NumPy: as many values as the shape says, or an InputError that names the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto array =
            lockstep::io::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz");
        std::int64_t count = 1;
        for (const std::int64_t length : array.shape) {
            count *= length;
        }
        const auto values = std::visit([](const auto& all) { return all.size(); }, array.values);
        if (static_cast<std::size_t>(count) != values) {
            std::abort();
        }
    } catch (const lockstep::InputError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz: ")) {
            std::abort();
        }
    }
    return 0;
}
