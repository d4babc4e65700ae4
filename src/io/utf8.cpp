#include "io/utf8.hpp"

#include <cstdint>

namespace lockstep::io {

namespace {

struct Lead {
    std::size_t length;
    std::uint32_t bits;      ///< of the code point that the lead byte carries
    std::uint32_t smallest;  ///< code point that needs this many bytes
};

constexpr Lead lead_of(std::uint32_t byte) noexcept {
    if (byte < 0x80) {
        return {1, byte, 0};
    }
    if (byte >= 0xc0 && byte < 0xe0) {
        return {2, byte & 0x1f, 0x80};
    }
    if (byte >= 0xe0 && byte < 0xf0) {
        return {3, byte & 0x0f, 0x800};
    }
    if (byte >= 0xf0 && byte < 0xf8) {
        return {4, byte & 0x07, 0x10000};
    }
    return {0, 0, 0};
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const Lead lead = lead_of(byte(0));
    if (lead.length > text.size()) {
        return 0;
    }
    std::uint32_t code = lead.bits;
    for (std::size_t i = 1; i < lead.length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return 0;
        }
        code = (code << 6U) | (byte(i) & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < lead.smallest || surrogate || code > 0x10ffff ? 0 : lead.length;
}

}  // namespace lockstep::io
