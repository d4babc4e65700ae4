#include "formats/mdp/numbering.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::formats::mdp {

std::string to_string(const Label& label) {
    if (const auto* number = std::get_if<std::int64_t>(&label)) {
        return std::to_string(*number);
    }
    const auto* name = std::get_if<std::string_view>(&label);
    return name == nullptr ? "?" : std::string(*name);
}

void Numbering::declare(std::int32_t count) {
    is_declared_ = true;
    size_ = count;
}

void Numbering::declare(const std::vector<std::string>& names) {
    is_declared_ = true;
    for (const std::string& name : names) {
        static_cast<void>(added(name));
    }
}

std::int32_t Numbering::number(const Label& label, std::string& why) {
    if (const auto* number = std::get_if<std::int64_t>(&label)) {
        return counted(*number, why);
    }
    const auto* name = std::get_if<std::string_view>(&label);
    return name == nullptr ? -1 : named(*name, why);
}

std::string Numbering::text(std::int32_t number) const {
    return at(number) < names_.size() ? names_[at(number)] : std::to_string(number);
}

std::int32_t Numbering::counted(std::int64_t number, std::string& why) {
    if (!is_declared_ && !names_.empty()) {
        why = fmt::format(
            "{} {} is a number among names: list the names in \"{}s\"", what_, number, what_);
        return -1;
    }
    const std::int64_t end = is_declared_ ? size_ : std::numeric_limits<std::int32_t>::max();
    if (number < 0 || number >= end) {
        why = fmt::format("{} {} must be 0 to {}", what_, number, end - 1);
        return -1;
    }
    size_ = std::max(size_, static_cast<std::int32_t>(number) + 1);
    return static_cast<std::int32_t>(number);
}

std::int32_t Numbering::named(std::string_view name, std::string& why) {
    const auto place = numbers_.find(std::string(name));
    if (place != numbers_.end()) {
        return place->second;
    }
    if (names_.empty() && size_ > 0) {
        why = fmt::format(
            "{} \"{}\" is a name among numbers, which are written without quotes", what_, name);
        return -1;
    }
    if (is_declared_) {
        why = fmt::format(
            "no {} \"{}\"{}", what_, name, did_you_mean(name, {names_.begin(), names_.end()}));
        return -1;
    }
    return added(name);
}

std::int32_t Numbering::added(std::string_view name) {
    numbers_.emplace(name, size_);
    names_.emplace_back(name);
    return size_++;
}

}  // namespace lockstep::formats::mdp
