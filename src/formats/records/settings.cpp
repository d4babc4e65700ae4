#include "formats/records/settings.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"

#include "formats/records/schema_writer.hpp"

namespace lockstep::formats::records {

namespace {

/// First part of a dotted path and the rest.
std::pair<std::string_view, std::string_view> split(std::string_view path) {
    const std::size_t dot = path.find('.');
    return dot == std::string_view::npos ? std::pair{path, std::string_view{}}
                                         : std::pair{path.substr(0, dot), path.substr(dot + 1)};
}

/// Whether a file may have a value at `path`.
bool is_known(const io::Json& schema, std::string_view path) {
    if (path.empty()) {
        return true;
    }
    const auto [head, rest] = split(path);
    if (const io::Json* items = schema.find("items");
        items != nullptr && parse_number<std::size_t>(head)) {
        return is_known(*items, rest);
    }
    const io::Json* properties = schema.find("properties");
    const io::Json* next = properties != nullptr ? properties->find(head) : nullptr;
    return next != nullptr && is_known(*next, rest);
}

void collect_paths(const io::Json& schema,
                   const std::string& prefix,
                   std::vector<std::string>& out) {
    const io::Json* properties = schema.find("properties");
    if (properties == nullptr) {
        return;
    }
    for (const auto& [key, value] : *properties->if_object()) {
        out.push_back(prefix + key);
        collect_paths(value, prefix + key + ".", out);
    }
}

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('.') + 1);
}

/// A path in the same object whose name has the given one as a word: "training.tree_seed" for
/// "training.seed".
std::string longer_name(std::string_view path, const std::vector<std::string>& paths) {
    const std::string_view word = last_part(path);
    const std::string_view parent = path.substr(0, path.size() - word.size());
    const std::string last = fmt::format("_{}", word);
    const std::string first = fmt::format("{}_", word);
    for (const std::string_view known : paths) {
        const std::string_view name = last_part(known);
        if (known.substr(0, known.size() - name.size()) == parent && !word.empty() &&
            (name.ends_with(last) || name.starts_with(first))) {
            return std::string(known);
        }
    }
    return {};
}

/// The path that was meant: the nearest one, else one that ends in the same or a similar word.
std::string suggestion(const io::Json& schema, std::string_view path) {
    std::vector<std::string> paths;
    collect_paths(schema, "", paths);
    if (const auto kin = longer_name(path, paths); !kin.empty()) {
        return fmt::format("; did you mean \"{}\"?", kin);
    }
    if (const auto near = nearest(path, {paths.begin(), paths.end()}); !near.empty()) {
        return fmt::format("; did you mean \"{}\"?", near);
    }
    std::vector<std::string_view> words;
    for (const std::string& known : paths) {
        words.push_back(last_part(known));
    }
    const std::string_view word = nearest(last_part(path), words);
    for (const std::string& known : paths) {
        if (!word.empty() && last_part(known) == word) {
            return fmt::format("; did you mean \"{}\"?", known);
        }
    }
    return {};
}

io::Json* member(io::Json& object, std::string_view key) {
    for (auto& [name, value] : *object.if_object()) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

/// The value at one step below `parent`; an absent object member is made.
io::Json* step(io::Json& parent, std::string_view key) {
    if (io::Json::Array* elements = parent.if_array()) {
        const auto index = parse_number<std::size_t>(key);
        return index && *index < elements->size() ? &(*elements)[*index] : nullptr;
    }
    if (parent.is_null()) {
        parent = io::Json::object();
    }
    if (parent.if_object() == nullptr) {
        return nullptr;
    }
    if (io::Json* found = member(parent, key)) {
        return found;
    }
    parent.set(std::string(key), {});
    return member(parent, key);
}

io::Json parse_setting(const std::string& text) {
    try {
        return io::parse_json(text, "setting");
    } catch (const InputError&) {
        return io::Json(text);
    }
}

/// @return false when a part of the path is no object or has no such element
bool assign(io::Json& root, std::string_view path, io::Json value) {
    io::Json* place = &root;
    while (!path.empty() && place != nullptr) {
        const auto [head, rest] = split(path);
        place = step(*place, head);
        path = rest;
    }
    if (place == nullptr) {
        return false;
    }
    value.set_line(0);
    *place = std::move(value);
    return true;
}

}  // namespace

void apply_settings(io::Json& config,
                    const std::string& file,
                    const io::Json& schema,
                    const std::vector<Setting>& settings,
                    Problems& problems) {
    for (const auto& [path, text] : settings) {
        const auto refuse = [&, &where = path](std::string message) {
            problems.add(
                ProblemKind::schema_violation, file, "setting " + where, std::move(message));
        };
        if (path.empty() || !is_known(schema, path)) {
            refuse(file + " has no such key" + suggestion(schema, path));
        } else if (!assign(config, path, parse_setting(text))) {
            refuse(file + " has no value at this place");
        }
    }
}

}  // namespace lockstep::formats::records
