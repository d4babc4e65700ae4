#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lockstep/base/error.hpp"
#include "lockstep/io/npz.hpp"

/// Archives of arrays of NumPy: each array is read or refused by name, in bounded memory.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uintmax_t largest = std::uintmax_t{1} << 24;
    try {
        const lockstep::io::NpzFile file({reinterpret_cast<const char*>(data), size}, "fuzz");
        for (const std::string& name : file.names()) {
            static_cast<void>(file.read(name, largest));
        }
    } catch (const lockstep::InputError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz: ")) {
            std::abort();
        }
    }
    return 0;
}
