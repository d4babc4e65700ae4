#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lockstep/base/error.hpp"

#include "formats/cobre/read/expression.hpp"

/// Expressions of generic constraints: any text is an expression or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        lockstep::formats::cobre::parse_expression(
            std::string_view(reinterpret_cast<const char*>(data), size));
    } catch (const lockstep::InputError&) {
        return 0;
    }
    return 0;
}
