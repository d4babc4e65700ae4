#include "lockstep/formats/records/output_metadata.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats {
namespace {

using io::Json;

constexpr int indent = 2;

Json texts(const std::vector<std::string>& values) {
    Json out = Json::array();
    for (const std::string& value : values) {
        out.push(value);
    }
    return out;
}

Json part_json(const OutputPart& part) {
    return Json::Object{{"name", part.name},
                        {"digest", part.digest},
                        {"status", part.is_whole ? "complete" : "partial"},
                        {"paths", texts(part.paths)}};
}

Json run_json(const RunRecord& run) {
    Json settings = Json::object();
    for (const auto& [key, value] : run.settings) {
        settings.set(key, value);
    }
    return Json::Object{{"started_at", run.started_at},
                        {"completed_at", run.completed_at},
                        {"hosts", texts(run.hosts)},
                        {"backend", run.backend},
                        {"mpi_library", run.mpi_library.empty() ? Json() : Json(run.mpi_library)},
                        {"ranks", run.ranks},
                        {"threads_per_rank", run.threads_per_rank},
                        {"bytes_saved", run.borrowed_bytes},
                        {"settings", settings},
                        {"warnings", texts(run.warnings)}};
}

/// Looks members up in one file and names them in complaints.
class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    const Json& member(const Json& object, const char* key) const {
        const Json* value = object.find(key);
        return value != nullptr ? *value : refuse(key, "is missing");
    }
    [[nodiscard]] std::string text(const Json& object, const char* key) const {
        const std::string* value = member(object, key).if_string();
        return value != nullptr ? *value : refuse_text(key);
    }
    [[nodiscard]] std::int64_t integer(const Json& object, const char* key) const {
        const std::int64_t* value = member(object, key).if_integer();
        return value != nullptr ? *value : (refuse(key, "must be a whole number"), 0);
    }
    [[nodiscard]] const Json::Array& list(const Json& object, const char* key) const {
        const Json::Array* value = member(object, key).if_array();
        return value != nullptr ? *value : *refuse(key, "must be a list").if_array();
    }
    [[nodiscard]] std::vector<std::string> texts(const Json& object, const char* key) const {
        std::vector<std::string> out;
        for (const Json& value : list(object, key)) {
            const std::string* text = value.if_string();
            out.push_back(text != nullptr ? *text : refuse_text(key));
        }
        return out;
    }
    [[noreturn]] const Json& refuse(const char* key, const char* why) const {
        throw InputError(fmt::format("{}: {} {}", file_, key, why));
    }

private:
    [[noreturn]] std::string refuse_text(const char* key) const {
        throw InputError(fmt::format("{}: {} must be text", file_, key));
    }
    std::string file_;
};

OutputPart part_of(const Json& object, const Reader& reader) {
    return {reader.text(object, "name"),
            reader.text(object, "digest"),
            reader.text(object, "status") == "complete",
            reader.texts(object, "paths")};
}

RunRecord run_of(const Json& object, const Reader& reader) {
    RunRecord run;
    run.started_at = reader.text(object, "started_at");
    run.completed_at = reader.text(object, "completed_at");
    run.hosts = reader.texts(object, "hosts");
    run.backend = reader.text(object, "backend");
    run.ranks = static_cast<int>(reader.integer(object, "ranks"));
    run.threads_per_rank = static_cast<int>(reader.integer(object, "threads_per_rank"));
    if (const std::string* library = reader.member(object, "mpi_library").if_string()) {
        run.mpi_library = *library;
    }
    run.borrowed_bytes = reader.integer(object, "bytes_saved");
    if (const Json::Object* settings = reader.member(object, "settings").if_object()) {
        for (const auto& [key, value] : *settings) {
            const std::string* text = value.if_string();
            run.settings.emplace_back(key, text != nullptr ? *text : "");
        }
    }
    run.warnings = reader.texts(object, "warnings");
    return run;
}

}  // namespace

const OutputPart* OutputMetadata::part(const std::string& name) const {
    const auto found = std::find_if(
        parts.begin(), parts.end(), [&](const OutputPart& part) { return part.name == name; });
    return found == parts.end() ? nullptr : &*found;
}

void OutputMetadata::put(OutputPart part) {
    const auto same = std::find_if(
        parts.begin(), parts.end(), [&](const auto& other) { return other.name == part.name; });
    if (same == parts.end()) {
        parts.push_back(std::move(part));
    } else {
        *same = std::move(part);
    }
}

void write_output_metadata(const std::filesystem::path& output, const OutputMetadata& metadata) {
    Json parts = Json::array();
    for (const OutputPart& part : metadata.parts) {
        parts.push(part_json(part));
    }
    const Json root = Json::Object{{"format_version", OutputMetadata::format_version},
                                   {"engine", metadata.engine},
                                   {"software", "lockstep"},
                                   {"software_version", build_info().version},
                                   {"commit", build_info().commit},
                                   {"input", metadata.input},
                                   {"input_digest", metadata.input_digest},
                                   {"parts", parts},
                                   {"run", run_json(metadata.run)}};
    io::write_file(output / OutputMetadata::file_name, io::to_text(root, indent) + "\n");
}

std::optional<OutputMetadata> read_output_metadata(const std::filesystem::path& output) {
    const auto file = output / OutputMetadata::file_name;
    if (!io::is_there(file)) {
        return std::nullopt;
    }
    const Json root = io::read_json(file);
    const Reader reader(file.string());
    if (reader.integer(root, "format_version") > OutputMetadata::format_version) {
        reader.refuse("format_version", "is newer than this program");
    }
    OutputMetadata metadata;
    metadata.engine = reader.text(root, "engine");
    metadata.input = reader.text(root, "input");
    metadata.input_digest = reader.text(root, "input_digest");
    for (const Json& part : reader.list(root, "parts")) {
        metadata.parts.push_back(part_of(part, reader));
    }
    metadata.run = run_of(reader.member(root, "run"), reader);
    return metadata;
}

}  // namespace lockstep::formats
