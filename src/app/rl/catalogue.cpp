#include "lockstep/app/rl/catalogue.hpp"

#include <utility>

#include "lockstep/rl/learn/options.hpp"

#include "app/rl/solve/methods.hpp"

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

// Of an enumeration that knows its names and a line about each.
template <typename E>
Chapter named_chapter(std::string name, std::string title, const std::vector<E>& values) {
    Chapter chapter{std::move(name), std::move(title), {}};
    for (const auto value : values) {
        chapter.entries.push_back({std::string(to_string(value)), std::string(about(value))});
    }
    return chapter;
}

Chapter exploration_chapter() {
    return {"exploration",
            "Exploration (--exploration, --epsilon its level)",
            {{"epsilon_greedy", "with this probability any action, else a best one"},
             {"softmax", "in proportion to exp(Q / level)"},
             {"ucb", "largest Q + level sqrt(ln N(s) / N(s, a)); unvisited actions first"}}};
}

Chapter schedules_chapter() {
    return {"schedules",
            "Schedules (--epsilon)",
            {{"0.1", "the same all the time"},
             {"linear(1, 0.05, 1e6)", "from 1 to 0.05 in 1e6 transitions"},
             {"exponential(1, 0.01, 0.999)", "times 0.999 with every transition, at least 0.01"},
             {"visits(1)", "1 / sqrt(N) after N visits of the state"}}};
}

Chapter step_sizes_chapter() {
    return {"step_sizes",
            "Step sizes (--learning-rate), n being the visits of the pair",
            {{"0.1", "constant: ends near the values, not at them"},
             {"1/n", "the mean of all targets: slow where the discount is near 1"},
             {"n^-0.65", "converges, and forgets early targets"},
             {"101/(100+n)", "near 1 for a hundred visits, then as 1/n"},
             {"1/(1+0.01n)", "slower for a discount of 0.99"}}};
}

Chapter combining_chapter() {
    return {"combining_rules",
            "Combining rules (--combine) for what workers learned in a round",
            {{"average", "mean of all workers; all must visit everything"},
             {"touched", "mean of those that updated the entry"},
             {"importance", "mean by how much of the old value each has replaced"},
             {"composition", "as if workers had learned one after the other"},
             {"sum", "of changes: diverges, a negative control"}}};
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
    return {environments_chapter(),
            named_chapter("algorithms", "Algorithms of 'train' (--algorithm)", rl::algorithms()),
            named_chapter("modes", "Modes of 'train' (--mode)", rl::modes()),
            exploration_chapter(),
            schedules_chapter(),
            step_sizes_chapter(),
            combining_chapter(),
            methods_chapter()};
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
