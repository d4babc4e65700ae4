#include "shorthand.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/app/engines.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::cli {
namespace {

using Names = Shorthand::Names;

// The only engine so far that has templates, schemas and a summary; what a command line without a
// readable input is about.
constexpr auto default_engine = "sddp";

const Shorthand* shorthand_of(const std::string& word) {
    const auto& all = shorthands();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Shorthand& entry) { return entry.name == word; });
    return found == all.end() ? nullptr : &*found;
}

bool is_there(const std::string& word) {
    std::error_code code;
    return !word.empty() && !word.starts_with('-') && std::filesystem::exists(word, code);
}

// The first word that is something on disk: options' values seldom are, and then the engine is
// asked.
std::string engine_of_words(const std::vector<std::string>& words, Names names) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!is_there(words[i])) {
            continue;
        }
        if (names == Names::output) {
            return app::engine_of_output(words[i]);
        }
        if (auto engine = app::engine_of_input(words[i]); !engine.empty()) {
            return engine;
        }
    }
    return {};
}

// Words that are neither options nor what follows one.
std::string first_argument(const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!words[i].starts_with('-') && !words[i - 1].starts_with('-')) {
            return words[i];
        }
    }
    return {};
}

std::string engine_for(const std::vector<std::string>& words, Names names) {
    if (names == Names::nothing) {
        return default_engine;
    }
    if (auto engine = engine_of_words(words, names); !engine.empty()) {
        return engine;
    }
    const auto input = first_argument(words);
    if (names == Names::input && is_there(input)) {
        throw InputError(
            fmt::format("no engine knows what {} is: a Cobre case is a directory with config.json, "
                        "stages.json and system/.\nSee 'lockstep {} --help'.",
                        input,
                        words.front()));
    }
    return default_engine;  // which says what is missing
}

}  // namespace

const std::vector<Shorthand>& shorthands() {
    static const std::vector<Shorthand> all = {
        {"run", "Do what an input asks for: train and simulate a case", Names::input},
        {"validate", "Tell everything that is wrong with an input", Names::input},
        {"simulate", "Simulate a case under a policy on disk", Names::input},
        {"summary", "What came out of a finished run", Names::output},
        {"init", "Start a new case from a template", Names::nothing},
        {"schema", "Describe the input files: JSON Schemas or a page of fields", Names::nothing},
    };
    return all;
}

std::vector<std::string> expand(std::vector<std::string> words) {
    if (words.empty()) {
        return {"--help"};
    }
    if (words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
        return expand(std::move(words));
    }
    if (const auto* entry = shorthand_of(words.front())) {
        const bool asks = std::find(words.begin(), words.end(), "--help") != words.end() ||
                          std::find(words.begin(), words.end(), "-h") != words.end();
        words.insert(words.begin(), asks ? default_engine : engine_for(words, entry->names));
    }
    return words;
}

}  // namespace lockstep::cli
