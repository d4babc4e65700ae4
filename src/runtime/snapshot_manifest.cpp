#include "runtime/snapshot_manifest.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::runtime {
namespace {

using io::Json;

constexpr std::int64_t format_version = 5;  // of the manifest, and of what engines put into parts
constexpr std::string_view folder_prefix = "iteration-";
constexpr std::string_view seal_name = "manifest_digest";  // of all that stands before it

// Other flags or compilers give other bits.
std::string build_stamp() {
    const auto& info = build_info();
    return fmt::format("lockstep {}, {}, {}", info.version, info.compiler, info.flags);
}

[[noreturn]] void fail(std::string_view name, std::string_view key, std::string_view wanted) {
    throw InputError(fmt::format("{}: \"{}\" must be {}", name, key, wanted));
}

std::string text_at(const Json& json, std::string_view key, std::string_view name) {
    const auto* value = json.find(key);
    if (value == nullptr || value->if_string() == nullptr) {
        fail(name, key, "a string");
    }
    return *value->if_string();
}

std::int64_t number_at(const Json& json, std::string_view key, std::string_view name) {
    const auto* value = json.find(key);
    if (value == nullptr || value->if_integer() == nullptr || *value->if_integer() < 0) {
        fail(name, key, "an integer of 0 or more");
    }
    return *value->if_integer();
}

int ranks_at(const Json& json, std::string_view name) {
    const auto ranks = number_at(json, "ranks", name);
    if (!std::in_range<int>(ranks)) {
        fail(name, "ranks", "a number of processes");
    }
    return static_cast<int>(ranks);
}

Digest digest_at(const Json& json, std::string_view key, std::string_view name) {
    const auto digest = parse_digest(text_at(json, key, name));
    if (!digest) {
        fail(name, key, "32 hexadecimal digits");
    }
    return *digest;
}

std::string seal_of(const Json& json) {
    DigestBuilder builder;
    builder.add(io::to_text(json, 0));
    return to_string(builder.digest());
}

Json without_seal(Json json) {
    std::erase_if(*json.if_object(), [](const auto& member) { return member.first == seal_name; });
    return json;
}

Manifest::Part parse_part(const Json& json, std::string_view name) {
    return {text_at(json, "file", name),
            static_cast<std::uint64_t>(number_at(json, "size", name)),
            digest_at(json, "digest", name)};
}

}  // namespace

std::string folder_name(std::int64_t iteration) {
    return fmt::format("{}{:08}", folder_prefix, iteration);
}

std::optional<std::int64_t> iteration_of_folder(std::string_view name) {
    if (!name.starts_with(folder_prefix)) {
        return std::nullopt;
    }
    const auto digits = name.substr(folder_prefix.size());
    std::int64_t iteration = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), iteration);
    if (error != std::errc() || folder_name(iteration) != name) {
        return std::nullopt;
    }
    return iteration;
}

std::string to_text(const Manifest& manifest) {
    auto parts = Json::array();
    for (const auto& part : manifest.parts) {
        parts.push(Json::Object{{"file", part.file},
                                {"size", static_cast<std::int64_t>(part.size)},
                                {"digest", to_string(part.digest)}});
    }
    Json json = Json::Object{{"format_version", format_version},
                             {"build", build_stamp()},
                             {"engine", manifest.key.engine},
                             {"input_digest", to_string(manifest.key.input)},
                             {"options_digest", to_string(manifest.key.options)},
                             {"iteration", manifest.iteration},
                             {"ranks", manifest.ranks},
                             {"parts", std::move(parts)}};
    return sealed(std::move(json));
}

std::string sealed(Json json) {
    json = without_seal(std::move(json));
    const auto seal = seal_of(json);
    json.set(std::string(seal_name), seal);
    return io::to_text(json, 2) + "\n";
}

// Earlier versions had no seal.
void check_seal(std::string_view text, std::string_view name) {
    const auto json = io::parse_json(text, name);
    if (json.find(seal_name) == nullptr &&
        number_at(json, "format_version", name) != format_version) {
        return;
    }
    if (text_at(json, seal_name, name) != seal_of(without_seal(json))) {
        throw InputError(
            fmt::format("{}: its bytes are not those of its own \"{}\"", name, seal_name));
    }
}

Manifest parse_manifest(std::string_view text, std::string_view name) {
    const auto json = io::parse_json(text, name);
    if (const auto version = number_at(json, "format_version", name); version != format_version) {
        throw SnapshotMismatch(
            fmt::format("{}: format version {}, this program reads version {}; "
                        "go on with the program that wrote it",
                        name,
                        version,
                        format_version));
    }
    Manifest manifest;
    manifest.build = text_at(json, "build", name);
    manifest.key.engine = text_at(json, "engine", name);
    manifest.key.input = digest_at(json, "input_digest", name);
    manifest.key.options = digest_at(json, "options_digest", name);
    manifest.iteration = number_at(json, "iteration", name);
    manifest.ranks = ranks_at(json, name);
    const auto* parts = json.find("parts");
    if (parts == nullptr || parts->if_array() == nullptr) {
        fail(name, "parts", "an array");
    }
    for (const auto& part : *parts->if_array()) {
        manifest.parts.push_back(parse_part(part, name));
    }
    return manifest;
}

Manifest read_manifest(const std::filesystem::path& file) {
    const auto text = io::read_file(file);
    check_seal(text, file.string());
    return parse_manifest(text, file.string());
}

void check_key(const Manifest& manifest,
               const SnapshotKey& key,
               const std::filesystem::path& file) {
    const auto refuse = [&](std::string_view what, std::string_view remedy) {
        throw SnapshotMismatch(
            fmt::format("{}: the checkpoint is of {}; {}, or run without "
                        "--resume to start anew",
                        file.string(),
                        what,
                        remedy));
    };
    if (manifest.key.engine != key.engine) {
        refuse(fmt::format("engine {}", manifest.key.engine), "give the directory of this run");
    }
    if (manifest.build != build_stamp()) {
        refuse(fmt::format("another program ({}; this is {})", manifest.build, build_stamp()),
               "go on with that one");
    }
    if (manifest.key.input != key.input) {
        refuse("another input (the case's files have changed)", "restore the case");
    }
    if (manifest.key.options != key.options) {
        refuse("another set of options (solver, --set or speed options differ)",
               "repeat them as they were");
    }
}

}  // namespace lockstep::runtime
