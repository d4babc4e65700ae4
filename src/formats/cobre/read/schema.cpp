#include "lockstep/formats/cobre/schema.hpp"

#include "formats/cobre/read/input/input_file.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr int indent = 2;

/// Schema of a whole file, with its dialect and title in front.
io::Json file_schema(const InputFile& file) {
    io::Json schema = io::Json::object();
    schema.set("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.set("title", file.path);
    schema.set("description", file.holds);
    const io::Json body = file.schema();
    for (const auto& [key, value] : *body.if_object()) {
        if (key != "default") {
            schema.set(key, value);
        }
    }
    return schema;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> schemas() {
    std::vector<std::pair<std::string, std::string>> out;
    for (const InputFile& file : input_files()) {
        if (file.schema) {
            out.emplace_back(file.path, io::to_text(file_schema(file), indent) + "\n");
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre
