#include "app/sddp/report/parts.hpp"

#include <algorithm>

namespace lockstep::app {
namespace {

using formats::cobre::StageLabel;

bool begins_a_month(const StageLabel& stage) {
    return stage.start.size() == 10 && stage.start.ends_with("-01");
}

}  // namespace

std::vector<std::string> stage_names(const std::vector<StageLabel>& stages) {
    const auto is_monthly = std::all_of(stages.begin(), stages.end(), begins_a_month);
    std::vector<std::string> names;
    for (const auto& stage : stages) {
        names.push_back(is_monthly ? stage.start.substr(0, 7) : stage.start);
    }
    return names;
}

std::vector<Group> groups_of(std::size_t count, std::size_t most) {
    const auto size = (count + most - 1) / std::max<std::size_t>(1, most);
    std::vector<Group> groups;
    for (std::size_t begin = 0; begin < count; begin += size) {
        groups.push_back({begin, std::min(count, begin + size)});
    }
    return groups;
}

}  // namespace lockstep::app
