#include "support/rl/exact_values.hpp"

#include "lockstep/base/index.hpp"
#include "lockstep/io/json.hpp"

#include "support/places.hpp"

namespace lockstep::test {
namespace {

const io::Json& member(const io::Json& json, const char* key) {
    return *json.find(key);
}

const io::Json::Array& list(const io::Json& json, const char* key) {
    return *member(json, key).if_array();
}

void add_pair(int s, int a, const io::Json::Array& numbers, rl::ModelBuilder& builder) {
    for (std::size_t i = 0; i < numbers.size(); i += 4) {
        builder.add(s,
                    a,
                    {*numbers[i].if_number(),
                     static_cast<std::int32_t>(*numbers[i + 1].if_integer()),
                     *numbers[i + 2].if_number(),
                     *numbers[i + 3].if_integer() != 0});
    }
}

rl::Model model_of(const io::Json& json) {
    const auto& states = list(json, "model");
    const auto actions = static_cast<int>(states.front().if_array()->size());
    rl::ModelBuilder builder(static_cast<int>(states.size()), actions);
    for (std::size_t s = 0; s < states.size(); ++s) {
        for (int a = 0; a < actions; ++a) {
            const auto& pair = *(*states[s].if_array())[at(a)].if_array();
            add_pair(static_cast<int>(s), a, pair, builder);
        }
    }
    const auto& starts = list(json, "starts");
    for (const io::Json& start : starts) {
        builder.add_start({static_cast<std::int32_t>(*start.if_integer()),
                           1.0 / static_cast<double>(starts.size())});
    }
    return builder.build();
}

ExactValues values_of(const io::Json& json) {
    ExactValues values;
    values.gamma = *member(json, "gamma").if_number();
    for (const io::Json& value : list(json, "V")) {
        values.value.push_back(*value.if_number());
    }
    for (const io::Json& bits : list(json, "optimal")) {
        values.optimal.push_back(*bits.if_integer());
    }
    return values;
}

}  // namespace

std::vector<ExactModel> exact_models() {
    const io::Json file = io::read_json(source_dir() / "tests/data/rl/exact_values.json");
    std::vector<ExactModel> models;
    for (const io::Json& json : *file.if_array()) {
        models.push_back({*member(json, "name").if_string(), model_of(json), {}});
        for (const io::Json& values : list(json, "gammas")) {
            models.back().values.push_back(values_of(values));
        }
    }
    return models;
}

}  // namespace lockstep::test
