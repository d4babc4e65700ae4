#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/rl/train.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/yaml.hpp"

#include "app/rl/configuration.hpp"
#include "app/rl/train/train_settings.hpp"

namespace lockstep::app {
namespace {

using io::Json;

std::string place(const std::string& file, const Json& value, std::string_view key) {
    return fmt::format("{}:{}: {}", file, value.line(), key);
}

// As it would be written on a command line.
std::string text_of(const std::string& file, std::string_view key, const Json& value) {
    if (const auto* text = value.if_string()) {
        return *text;
    }
    if (value.if_array() != nullptr || value.if_object() != nullptr || value.is_null()) {
        throw InputError(fmt::format("{} must be a text, a number or a boolean, found {}",
                                     place(file, value, key),
                                     value.type_name()));
    }
    return io::to_text(value);
}

// A schedule of environments may be a list: "1,0,0".
std::string parameter_text(const std::string& file, std::string_view key, const Json& value) {
    if (const auto* array = value.if_array()) {
        std::string joined;
        for (const auto& element : *array) {
            joined.append(joined.empty() ? "" : ",").append(text_of(file, key, element));
        }
        return joined;
    }
    return text_of(file, key, value);
}

bool flag(const std::string& file, std::string_view key, const Json& value) {
    if (value.if_bool() == nullptr) {
        throw InputError(fmt::format("{} must be true or false", place(file, value, key)));
    }
    return *value.if_bool();
}

int threads(const std::string& file, std::string_view key, const Json& value) {
    const auto* number = value.if_integer();
    if (number == nullptr || *number < 1 || *number > 4096) {
        throw InputError(fmt::format("{} must be 1 to 4096 threads", place(file, value, key)));
    }
    return static_cast<int>(*number);
}

/// Puts what a file says in front of what a request says.
class Merger {
public:
    Merger(const TrainRequest& request, std::string file)
        : given_(request), file_(std::move(file)), merged_(request) {
        merged_.options.clear();
        merged_.run.settings.clear();
        merged_.run.input.clear();
    }

    void take(const std::string& key, const Json& value) {
        if (key == "environment" || key == "env") {
            merged_.run.input = text_of(file_, key, value);
        } else if (key == "parameters") {
            take_parameters(value);
        } else if (key == "output") {
            if (given_.run.output.empty()) {
                merged_.run.output = text_of(file_, key, value);
            }
        } else if (key == "threads") {
            if (given_.run.threads == 0) {
                merged_.run.threads = threads(file_, key, value);
            }
        } else if (key == "resume") {
            merged_.run.resume |= flag(file_, key, value);
        } else {
            merged_.options.emplace_back(key, text_of(file_, key, value));
            check(value);
        }
    }

    TrainRequest finish() {
        if (merged_.run.input.empty()) {
            throw InputError(fmt::format(
                "{}: environment is missing, for example \"environment\": \"FrozenLake-v1\"",
                file_));
        }
        append(merged_.options, given_.options);
        append(merged_.run.settings, given_.run.settings);
        return std::move(merged_);
    }

private:
    void take_parameters(const Json& value) {
        const auto* object = value.if_object();
        if (object == nullptr) {
            throw InputError(
                fmt::format("{} must be an object of the environment's parameters, found {}",
                            place(file_, value, "parameters"),
                            value.type_name()));
        }
        for (const auto& [name, parameter] : *object) {
            merged_.run.settings.emplace_back(name, parameter_text(file_, name, parameter));
        }
    }

    // Told here, where the line is known; combinations of options are checked when all are there.
    void check(const Json& value) {
        try {
            check_train_option(merged_.options.back());
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}:{}: {}", file_, value.line(), error.what()));
        }
    }

    static void append(std::vector<formats::Setting>& to,
                       const std::vector<formats::Setting>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    const TrainRequest& given_;
    std::string file_;
    TrainRequest merged_;
};

}  // namespace

TrainRequest with_configuration(TrainRequest request) {
    if (is_configuration(request.run.input)) {
        const auto file = request.run.input;
        const auto json = file.extension() == ".json" ? io::read_json(file) : io::read_yaml(file);
        if (json.if_object() == nullptr) {
            throw InputError(fmt::format(
                "{}: must be an object of options, found {}", file.string(), json.type_name()));
        }
        Merger merger(request, file.string());
        for (const auto& [key, value] : *json.if_object()) {
            merger.take(key, value);
        }
        request = merger.finish();
    }
    const auto backend = train_settings(request.options).backend;
    if (request.run.backend.empty()) {
        request.run.backend = backend;
    }
    return request;
}

}  // namespace lockstep::app
