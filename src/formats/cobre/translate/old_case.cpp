#include "formats/cobre/translate/old_case.hpp"

#include <fmt/format.h>

namespace lockstep::formats::cobre::translate {

io::Json* OldCase::find(const std::string& path) {
    const auto found = json.find(path);
    return found == json.end() ? nullptr : &found->second;
}

io::Table* OldCase::table(const std::string& path) {
    const auto found = tables.find(path);
    return found == tables.end() ? nullptr : &found->second;
}

io::Json& OldCase::object(const std::string& path) {
    return json.try_emplace(path, io::Json::object()).first->second;
}

void OldCase::refuse(const std::string& path,
                     const std::string& entity,
                     std::string_view why) const {
    problems.add(ProblemKind::not_supported,
                 path,
                 entity,
                 fmt::format("a case of Cobre 0.5 cannot be translated: {}", why));
}

void OldCase::refuse_new_key(const std::string& path,
                             const io::Json& object,
                             std::string_view key) const {
    if (object.find(key) != nullptr) {
        problems.add(ProblemKind::business_rule_violation,
                     object.line() > 0 ? fmt::format("{}:{}", path, object.line()) : path,
                     "",
                     fmt::format("the case has keys of two formats: \"{}\" is of Cobre 0.18, "
                                 "training.forward_passes of 0.5",
                                 key));
    }
}

}  // namespace lockstep::formats::cobre::translate
