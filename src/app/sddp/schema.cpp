#include "lockstep/app/sddp/schema.hpp"

#include <string>

#include "lockstep/formats/cobre/schema.hpp"
#include "lockstep/io/file.hpp"

namespace lockstep::app {
namespace {

// "system/hydros.json" → "hydros.schema.json"
std::string schema_name(const std::filesystem::path& file) {
    return file.stem().string() + ".schema.json";
}

}  // namespace

std::vector<std::filesystem::path> write_schemas(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    for (const auto& [file, text] : formats::cobre::schemas()) {
        files.push_back(directory / schema_name(file));
        io::write_file(files.back(), text);
    }
    return files;
}

std::string field_reference() {
    return formats::cobre::field_reference();
}

}  // namespace lockstep::app
