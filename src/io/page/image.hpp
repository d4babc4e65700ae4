#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::io {

/// An image of colours from a list; the first of them is transparent.
struct Image {
    int width = 0;
    int height = 0;
    struct Color {
        std::uint8_t red = 0;
        std::uint8_t green = 0;
        std::uint8_t blue = 0;
    };
    std::vector<Color> colors{};         ///< at most 256
    std::vector<std::uint8_t> pixels{};  ///< [height, width] places in `colors`, top row first
};

/// The bytes of a PNG file.
/// @par Source  [PNG2003]
std::string to_png(const Image& image);

/// "data:image/png;base64,…".
std::string data_uri(const Image& image);

/// Base 64 with padding.
std::string base64(std::string_view bytes);

}  // namespace lockstep::io
