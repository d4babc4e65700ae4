#include "io/page/image.hpp"

#include <cstddef>

#include <zlib.h>

#include "lockstep/base/error.hpp"

namespace lockstep::io {

namespace {

void put_number(std::string& bytes, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xffU);
    }
}

const Bytef* raw(std::string_view bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): zlib takes unsigned bytes
    return reinterpret_cast<const Bytef*>(bytes.data());
}

/// Length, kind, content, checksum.
void put_chunk(std::string& png, std::string_view kind, std::string_view content) {
    put_number(png, static_cast<std::uint32_t>(content.size()));
    const std::string checked = std::string(kind) + std::string(content);
    png += checked;
    put_number(
        png, static_cast<std::uint32_t>(crc32(0, raw(checked), static_cast<uInt>(checked.size()))));
}

std::string header(const Image& image) {
    std::string bytes;
    put_number(bytes, static_cast<std::uint32_t>(image.width));
    put_number(bytes, static_cast<std::uint32_t>(image.height));
    // 8 bits a pixel that name a colour; the only compression and filters; not interlaced.
    return bytes + std::string("\x08\x03\x00\x00\x00", 5);
}

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string out(size, '\0');
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): zlib takes unsigned bytes
    auto* to = reinterpret_cast<Bytef*>(out.data());
    if (compress2(to, &size, raw(bytes), static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION) !=
        Z_OK) {
        throw AssertionError("an image was not compressed");
    }
    out.resize(size);
    return out;
}

/// Each row behind the number of its filter: none.
std::string rows(const Image& image) {
    std::string bytes;
    const auto width = static_cast<std::size_t>(image.width);
    for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
        bytes += '\0';
        for (std::size_t column = 0; column < width; ++column) {
            bytes += static_cast<char>(image.pixels[row * width + column]);
        }
    }
    return bytes;
}

}  // namespace

std::string to_png(const Image& image) {
    std::string palette;
    for (const Image::Color& color : image.colors) {
        for (const std::uint8_t part : {color.red, color.green, color.blue}) {
            palette += static_cast<char>(part);
        }
    }
    std::string png = "\x89PNG\r\n\x1a\n";
    put_chunk(png, "IHDR", header(image));
    put_chunk(png, "PLTE", palette);
    put_chunk(png, "tRNS", std::string(1, '\0'));
    put_chunk(png, "IDAT", deflated(rows(image)));
    put_chunk(png, "IEND", "");
    return png;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const bool is_there = i + k < bytes.size();
            three = three << 8U | (is_there ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const bool is_there = i + k <= bytes.size();
            text += is_there ? digits[(three >> (18U - 6U * k)) & 63U] : '=';
        }
    }
    return text;
}

std::string data_uri(const Image& image) {
    return "data:image/png;base64," + base64(to_png(image));
}

}  // namespace lockstep::io
