#include "formats/cobre/write/output_files.hpp"

#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

namespace lockstep::formats::cobre::out {

void write_json(const std::filesystem::path& path, const io::Json& value) {
    io::write_file(path, io::to_text(value, 2) + "\n");
}

void remove_marks(const std::filesystem::path& part) {
    for (const auto name : {success_name, partial_name, std::string_view("metadata.json")}) {
        remove_file(part / name);
    }
}

void write_marks(const std::filesystem::path& part, const io::Json& metadata) {
    write_json(part / "metadata.json", metadata);
    const bool is_whole = *metadata.find("status")->if_string() == "complete";
    io::write_file(part / (is_whole ? success_name : partial_name), "");
}

void remove_file(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) {
        throw IoError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()),
                      IoError::Direction::write);
    }
}

std::string partition(int scenario) {
    return fmt::format("scenario_id={:04d}", scenario);
}

std::string to_iso(Date date) {
    const std::chrono::year_month_day day(date);
    return fmt::format("{:04d}-{:02d}-{:02d}",
                       static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted.append(c == '"' ? 2 : 1, c);
    }
    return quoted + '"';
}

}  // namespace lockstep::formats::cobre::out
