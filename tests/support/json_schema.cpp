#include "support/json_schema.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

namespace lockstep::test {
namespace {

using io::Json;

constexpr std::array<std::string_view, 12> known_words = {"type",
                                                          "enum",
                                                          "properties",
                                                          "required",
                                                          "additionalProperties",
                                                          "items",
                                                          "minItems",
                                                          "maxItems",
                                                          "minimum",
                                                          "exclusiveMinimum",
                                                          "maximum",
                                                          "anyOf"};
constexpr std::array<std::string_view, 6> words_that_tell = {
    "$schema", "title", "description", "default", "examples", "format"};

class Checker {
public:
    void check(const Json& schema, const Json& value, const std::string& place) {
        check_words(schema, place);
        check_type(schema, value, place);
        check_choice(schema, value, place);
        check_number(schema, value, place);
        check_list(schema, value, place);
        check_object(schema, value, place);
    }

    std::vector<std::string> found;

private:
    void add(const std::string& place, const std::string& message) {
        found.push_back(place + ": " + message);
    }

    void check_words(const Json& schema, const std::string& place) {
        for (const auto& [word, meaning] : *schema.if_object()) {
            const bool is_known =
                std::find(known_words.begin(), known_words.end(), word) != known_words.end() ||
                std::find(words_that_tell.begin(), words_that_tell.end(), word) !=
                    words_that_tell.end() ||
                word.starts_with("x-");
            if (!is_known) {
                add(place, "the schema has the unknown word " + word);
            }
        }
    }

    static bool has_type(const std::string& type, const Json& value) {
        return type == value.type_name() || (type == "number" && value.if_integer() != nullptr);
    }

    void check_type(const Json& schema, const Json& value, const std::string& place) {
        const Json* type = schema.find("type");
        if (type == nullptr) {
            return;
        }
        const Json::Array one{*type};
        const Json::Array& all = type->if_array() != nullptr ? *type->if_array() : one;
        if (std::none_of(all.begin(), all.end(), [&](const Json& name) {
                return has_type(*name.if_string(), value);
            })) {
            add(place, fmt::format("is {}, not {}", value.type_name(), io::to_text(*type)));
        }
    }

    void check_choice(const Json& schema, const Json& value, const std::string& place) {
        const std::string text = io::to_text(value);
        if (const Json* names = schema.find("enum")) {
            const Json::Array& all = *names->if_array();
            if (std::none_of(all.begin(), all.end(), [&](const Json& name) {
                    return io::to_text(name) == text;
                })) {
                add(place, text + " is none of " + io::to_text(*names));
            }
        }
        if (const Json* variants = schema.find("anyOf")) {
            const Json::Array& all = *variants->if_array();
            if (std::none_of(all.begin(), all.end(), [&](const Json& variant) {
                    return violations(variant, value).empty();
                })) {
                add(place, text + " fits no variant");
            }
        }
    }

    void check_number(const Json& schema, const Json& value, const std::string& place) {
        const auto number = value.if_number();
        const auto limit = [&](const char* word) {
            const Json* found_limit = schema.find(word);
            return found_limit != nullptr ? found_limit->if_number() : std::nullopt;
        };
        if (!number) {
            return;
        }
        const auto low = limit("minimum");
        const auto above = limit("exclusiveMinimum");
        const auto high = limit("maximum");
        if ((low && *number < *low) || (above && *number <= *above) || (high && *number > *high)) {
            add(place, fmt::format("{} is out of range", *number));
        }
    }

    void check_list(const Json& schema, const Json& value, const std::string& place) {
        const Json::Array* elements = value.if_array();
        if (elements == nullptr) {
            return;
        }
        const auto size = static_cast<std::int64_t>(elements->size());
        const Json* least = schema.find("minItems");
        const Json* most = schema.find("maxItems");
        if ((least != nullptr && size < *least->if_integer()) ||
            (most != nullptr && size > *most->if_integer())) {
            add(place, fmt::format("has {} elements", size));
        }
        if (const Json* items = schema.find("items")) {
            for (std::size_t i = 0; i < elements->size(); ++i) {
                check(*items, (*elements)[i], fmt::format("{}[{}]", place, i));
            }
        }
    }

    void check_object(const Json& schema, const Json& value, const std::string& place) {
        const Json::Object* members = value.if_object();
        if (members == nullptr) {
            return;
        }
        if (const Json* required = schema.find("required")) {
            for (const Json& key : *required->if_array()) {
                if (value.find(*key.if_string()) == nullptr) {
                    add(place, "lacks " + *key.if_string());
                }
            }
        }
        for (const auto& [key, member] : *members) {
            check_member(schema, key, member, place + "." + key);
        }
    }

    void check_member(const Json& schema,
                      const std::string& key,
                      const Json& value,
                      const std::string& place) {
        const Json* properties = schema.find("properties");
        const Json* property = properties != nullptr ? properties->find(key) : nullptr;
        const Json* others = schema.find("additionalProperties");
        if (property != nullptr) {
            check(*property, value, place);
        } else if (others != nullptr && others->if_object() != nullptr) {
            check(*others, value, place);
        } else if (others != nullptr && !*others->if_bool()) {
            add(place, "is unknown");
        }
    }
};

Json to_json(double value) {
    return value;
}
Json to_json(const std::string& value) {
    return value;
}
Json to_json(const io::Day& day) {
    const std::chrono::year_month_day date(day);
    return fmt::format("{:04}-{:02}-{:02}",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()));
}
Json to_json(const std::vector<double>& values) {
    return Json::Array(values.begin(), values.end());
}
template <typename T>
requires std::is_integral_v<T> Json to_json(T value) {
    return static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<std::string> violations(const Json& schema, const Json& value) {
    Checker checker;
    checker.check(schema, value, "");
    return checker.found;
}

Json rows_of(const io::Table& table) {
    Json::Array rows(table.rows(), Json::object());
    for (const io::Column& column : table.columns) {
        std::visit(
            [&](const auto& values) {
                for (std::size_t row = 0; row < rows.size(); ++row) {
                    rows[row].append(column.name,
                                     column.is_present(row) ? to_json(values[row]) : Json());
                }
            },
            column.values);
    }
    return rows;
}

}  // namespace lockstep::test
