#include "app/json_path.hpp"

#include <limits>

namespace lockstep::app {

const io::Json* value_at(const io::Json& root, std::string_view path) {
    const auto* value = &root;
    while (value != nullptr && !path.empty()) {
        const auto dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    }
    return value;
}

double number_at(const io::Json& root, std::string_view path) {
    const auto* value = value_at(root, path);
    const auto number = value == nullptr ? std::nullopt : value->if_number();
    return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::int64_t integer_at(const io::Json& root, std::string_view path) {
    const auto* value = value_at(root, path);
    const auto* integer = value == nullptr ? nullptr : value->if_integer();
    return integer == nullptr ? 0 : *integer;
}

std::string text_at(const io::Json& root, std::string_view path) {
    const auto* value = value_at(root, path);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : *text;
}

}  // namespace lockstep::app
