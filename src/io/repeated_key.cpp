#include "io/repeated_key.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace lockstep::io {

RepeatedKey find_repeated_key(const Json::Object& object) {
    std::vector<const Json::Member*> members;
    members.reserve(object.size());
    for (const Json::Member& member : object) {
        members.push_back(&member);
    }
    std::ranges::stable_sort(
        members, {}, [](const Json::Member* m) -> const std::string& { return m->first; });
    const auto repeated = std::ranges::adjacent_find(
        members, [](const Json::Member* a, const Json::Member* b) { return a->first == b->first; });
    if (repeated == members.end()) {
        return {};
    }
    const Json::Member& first = **repeated;
    return {
        (*std::next(repeated))->second.line(),
        fmt::format(
            "member \"{}\" is given twice, first in line {}", first.first, first.second.line())};
}

}  // namespace lockstep::io
