#include "lockstep/app/rl/catalogue.hpp"

#include "app/rl/methods.hpp"

namespace lockstep::app {
namespace {

using io::Json;

Chapter environments_chapter() {
    Chapter chapter{"environments", "Environments", {}};
    for (const auto& entry : rl::environments()) {
        chapter.entries.push_back({std::string(entry.name), std::string(entry.about)});
    }
    return chapter;
}

Chapter methods_chapter() {
    Chapter chapter{"methods", "Methods of 'solve' (--method)", {}};
    for (const auto& method : solve_methods()) {
        chapter.entries.push_back({std::string(method.name), std::string(method.about)});
    }
    return chapter;
}

Json texts(const std::vector<std::string_view>& values) {
    Json array = Json::array();
    for (const auto value : values) {
        array.push(value);
    }
    return array;
}

Json parameters_json(const std::vector<rl::EnvironmentParameter>& parameters) {
    Json array = Json::array();
    for (const auto& parameter : parameters) {
        array.push(Json::Object{{"name", parameter.name},
                                {"about", parameter.about},
                                {"default", parameter.fallback},
                                {"range", parameter.range}});
    }
    return array;
}

}  // namespace

std::vector<Chapter> catalogue() {
    return {environments_chapter(), methods_chapter()};
}

Json to_json(const std::vector<Chapter>& chapters) {
    Json object = Json::object();
    for (const auto& chapter : chapters) {
        Json entries = Json::array();
        for (const auto& entry : chapter.entries) {
            entries.push(Json::Object{{"name", entry.name}, {"about", entry.about}});
        }
        object.set(chapter.name, std::move(entries));
    }
    return object;
}

EnvironmentFacts environment_facts(const std::string& name) {
    const auto& entry = rl::environment_entry(name);
    return rl::with_environment(rl::make_environment(name), [&](const auto& rules) {
        return EnvironmentFacts{
            entry, rules.describe(), rules.states(), rules.actions(), rules.model().has_value()};
    });
}

Json to_json(const EnvironmentFacts& facts) {
    return Json::Object{{"name", facts.entry.name},
                        {"aliases", texts(facts.entry.aliases)},
                        {"about", facts.entry.about},
                        {"rules", facts.rules},
                        {"states", facts.states},
                        {"actions", facts.actions},
                        {"known", facts.is_known},
                        {"parameters", parameters_json(facts.entry.parameters)}};
}

}  // namespace lockstep::app
