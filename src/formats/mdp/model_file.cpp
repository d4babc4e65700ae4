#include "lockstep/formats/mdp/model_file.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "formats/mdp/draft.hpp"
#include "formats/mdp/drn.hpp"
#include "formats/mdp/json_model.hpp"
#include "formats/mdp/parquet_model.hpp"

namespace lockstep::formats::mdp {
namespace {

enum class Format { json, parquet, drn };

std::optional<Format> format_in(const std::filesystem::path& path) {
    const std::string end = path.extension().string();
    if (end == ".json") {
        return Format::json;
    }
    if (end == ".parquet") {
        return Format::parquet;
    }
    return end == ".drn" ? std::optional(Format::drn) : std::nullopt;
}

Format format_of(const std::filesystem::path& path) {
    if (const auto format = format_in(path)) {
        return *format;
    }
    throw InputError(
        fmt::format("{}: the name of a model file ends in .json, .parquet or .drn", path.string()));
}

void read(const std::filesystem::path& path, Format format, Draft& draft, Faults& faults) {
    const std::string name = path.string();
    switch (format) {
        case Format::json:
            read_json_model(io::read_file(path, io::largest_text), name, draft, faults);
            break;
        case Format::parquet:
            read_parquet_model(path, draft, faults);
            break;
        case Format::drn:
            read_drn(io::read_file(path), draft, faults);
            break;
    }
}

}  // namespace

bool is_model_file(const std::filesystem::path& path) {
    return format_in(path).has_value();
}

std::optional<ModelFile> read_model(const std::filesystem::path& path, Problems& problems) {
    try {
        const Format format = format_of(path);
        const auto places =
            format == Format::parquet ? Faults::Places::rows : Faults::Places::lines;
        Faults faults(path.string(), places, problems);
        Draft draft(faults);
        read(path, format, draft, faults);
        std::optional<ModelFile> file = draft.finish();
        faults.finish();
        return file;
    } catch (const IoError& error) {
        problems.add(ProblemKind::file_unreadable, "", "", error.what());
    } catch (const InputError& error) {
        problems.add(ProblemKind::parse_error, "", "", error.what());
    }
    return std::nullopt;
}

void write_model(const std::filesystem::path& path, const ModelFile& file) {
    switch (format_of(path)) {
        case Format::json:
            io::write_file(path, json_text(file));
            break;
        case Format::parquet:
            write_parquet_model(path, file);
            break;
        case Format::drn:
            io::write_file(path, drn_text(file));
            break;
    }
}

}  // namespace lockstep::formats::mdp
