#include "formats/homodyne/results/record_json.hpp"

#include <cmath>

#include "lockstep/io/file.hpp"

namespace lockstep::formats::homodyne {

io::Json number(double value) {
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    return std::isnan(value) ? io::Json() : io::Json(value);
}

io::Json texts(std::span<const std::string> values) {
    io::Json list = io::Json::array();
    for (const std::string& value : values) {
        list.push(value);
    }
    return list;
}

std::string_view name_of(lockstep::xpcs::Motion motion) noexcept {
    return motion == lockstep::xpcs::Motion::laminar_flow ? "laminar_flow" : "static";
}

void write_json(const std::filesystem::path& path, const io::Json& value) {
    io::write_file(path, io::to_text(value, 2) + "\n");
}

}  // namespace lockstep::formats::homodyne
