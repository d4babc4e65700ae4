#include "app/rl/train/server_task.hpp"

#include <filesystem>
#include <string>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"

#include "app/rl/train/train_settings.hpp"

namespace lockstep::app {
namespace {

constexpr auto name_of_task = "the server's task";

std::string absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).string();
}

// Paths as a worker finds them that was started in another folder.
std::vector<formats::Setting> located(std::vector<formats::Setting> parameters) {
    for (auto& [name, value] : parameters) {
        if (name == "opponent" && value != "random") {
            value = absolute(value);
        }
    }
    return parameters;
}

io::Json as_json(const std::vector<formats::Setting>& settings) {
    auto object = io::Json::object();
    for (const auto& [name, value] : settings) {
        object.append(name, value);
    }
    return object;
}

std::string text_of(const io::Json& task, std::string_view key) {
    const auto* member = task.find(key);
    const auto* text = member == nullptr ? nullptr : member->if_string();
    if (text == nullptr) {
        throw InputError("the server sends what is no task: is it another program?");
    }
    return *text;
}

std::vector<formats::Setting> settings_of(const io::Json& task, std::string_view key) {
    std::vector<formats::Setting> settings;
    const auto* member = task.find(key);
    const auto* object = member == nullptr ? nullptr : member->if_object();
    for (const auto& [name, value] : object == nullptr ? io::Json::Object{} : *object) {
        settings.emplace_back(name, text_of(*member, name));
    }
    return settings;
}

}  // namespace

std::vector<std::byte> pack(const ServerTask& task) {
    const io::Json json =
        io::Json::Object{{"environment", task.environment.name},
                         {"file", absolute(task.environment.file)},
                         {"parameters", as_json(located(task.environment.options))},
                         {"options", as_json(as_settings(task.learn))},
                         {"content", task.content}};
    const auto text = io::to_text(json);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

ServerTask unpack_task(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text.push_back(static_cast<char>(byte));
    }
    const auto json = io::parse_json(text, name_of_task);
    ServerTask task;
    task.environment.name = text_of(json, "environment");
    task.environment.file = text_of(json, "file");
    task.environment.options = settings_of(json, "parameters");
    task.content = text_of(json, "content");
    task.learn = train_settings(settings_of(json, "options")).learn;
    return task;
}

}  // namespace lockstep::app
