#include "io/utf8.hpp"

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

struct Code {
    std::uint32_t value = 0;
    std::size_t length = 0;  ///< 0: not well-formed
};

bool is_code_point(std::uint32_t code) noexcept {
    return (code < 0xd800 || code >= 0xe000) && code <= 0x10ffff;
}

Code first_code(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const Lead lead = lead_of(byte(0));
    if (lead.length > text.size()) {
        return {};
    }
    std::uint32_t code = lead.bits;
    for (std::size_t i = 1; i < lead.length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return {};
        }
        code = (code << 6U) | (byte(i) & 0x3fU);
    }
    return code < lead.smallest || !is_code_point(code) ? Code{} : Code{code, lead.length};
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    return first_code(text).length;
}

std::uint32_t utf8_code(std::string_view text) noexcept {
    return first_code(text).value;
}

bool append_utf8(std::uint32_t code, std::string& text) {
    if (!is_code_point(code)) {
        return false;
    }
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80U | ((code >> shift) & 0x3fU));
    };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0U | (code >> 6U));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0U | (code >> 12U));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xf0U | (code >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
    return true;
}

}  // namespace lockstep::io
