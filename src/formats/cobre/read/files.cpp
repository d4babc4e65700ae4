#include "formats/cobre/read/files.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre {

namespace fs = std::filesystem;

namespace {

void check_directory(const fs::path& directory) {
    std::error_code error;
    const fs::directory_iterator listing(directory, error);
    if (error) {
        throw IoError(
            fmt::format(
                "{}: cannot read the case directory: {}", directory.string(), error.message()),
            IoError::Direction::read);
    }
}

/// Readers put "name:line: " before what they found; a Problem keeps the two apart.
void add_parse_error(Problems& problems, const std::string& name, std::string message) {
    std::string place = name;
    if (message.starts_with(name)) {
        const std::size_t end = message.find(": ");
        if (end != std::string::npos) {
            place = message.substr(0, end);
            message.erase(0, end + 2);
        }
    }
    problems.add(ProblemKind::parse_error, place, "", message);
}

Digest digest_of(std::string_view bytes) {
    DigestBuilder builder;
    builder.add(bytes);
    return builder.digest();
}

}  // namespace

Files::Files(fs::path directory, Problems& problems)
    : directory_(std::move(directory)), problems_(problems) {
    check_directory(directory_);
}

bool Files::has(const std::string& name) const {
    if (const auto shown = shown_.find(name); shown != shown_.end()) {
        return !std::holds_alternative<std::monostate>(shown->second);
    }
    std::error_code ignored;
    return fs::symlink_status(directory_ / name, ignored).type() != fs::file_type::not_found;
}

std::optional<std::string> Files::bytes(const std::string& name, Presence presence) {
    if (!has(name)) {
        if (presence == Presence::required) {
            problems_.add(ProblemKind::file_not_found, name, "", "required file is missing");
        }
        return std::nullopt;
    }
    try {
        std::string content = io::read_file(directory_ / name);
        read_[name] = digest_of(content);
        return content;
    } catch (const IoError& error) {
        problems_.add(ProblemKind::file_unreadable, name, "", error.what());
        return std::nullopt;
    }
}

std::optional<io::Json> Files::peek(const std::string& name) const {
    try {
        return io::read_json(directory_ / name);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<io::Json> Files::json(const std::string& name, Presence presence) {
    if (const auto shown = shown_.find(name); shown != shown_.end()) {
        const auto* root = std::get_if<io::Json>(&shown->second);
        return root != nullptr ? std::optional(*root) : std::nullopt;
    }
    const auto content = bytes(name, presence);
    if (!content) {
        return std::nullopt;
    }
    try {
        return io::parse_json(*content, name);
    } catch (const InputError& error) {
        add_parse_error(problems_, name, error.what());
        return std::nullopt;
    }
}

std::optional<ParquetFile> Files::parquet(const std::string& name, Presence presence) {
    if (const auto shown = shown_.find(name); shown != shown_.end()) {
        const auto* table = std::get_if<io::Table>(&shown->second);
        return table != nullptr ? std::optional(ParquetFile{name, *table, {}}) : std::nullopt;
    }
    auto content = bytes(name, presence);
    if (!content) {
        return std::nullopt;
    }
    try {
        ParquetFile file{name, {}, {}};
        io::ParquetRest rest;
        file.table = io::parse_parquet(*std::move(content), name, &rest);
        file.skipped = std::move(rest.skipped);
        return file;
    } catch (const Error& error) {
        add_parse_error(problems_, name, error.what());
        return std::nullopt;
    }
}

void Files::warn_of_unknown(const std::vector<std::string_view>& known) const {
    std::vector<std::string> unknown;
    for (const char* folder : {"constraints", "scenarios", "system"}) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(directory_ / folder, error)) {
            std::string name = std::string(folder) + "/" + entry.path().filename().string();
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                unknown.push_back(std::move(name));
            }
        }
    }
    std::sort(unknown.begin(), unknown.end());
    for (const std::string& name : unknown) {
        const std::string_view near = nearest(name, known);
        problems_.add(ProblemKind::unused_entity,
                      name,
                      "",
                      near.empty() ? "no file of the format has this name; it is not read"
                                   : fmt::format("not read; did you mean \"{}\"?", near));
    }
}

Digest Files::digest(std::string_view except) const {
    DigestBuilder builder;
    for (const auto& [name, content] : read_) {
        if (name == except) {
            continue;
        }
        builder.add(name);
        builder.add(content[0]);
        builder.add(content[1]);
    }
    return builder.digest();
}

}  // namespace lockstep::formats::cobre
