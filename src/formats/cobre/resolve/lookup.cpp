#include "formats/cobre/resolve/lookup.hpp"

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

int IdMap::find(int id) const noexcept {
    const auto found = std::lower_bound(position_.begin(), position_.end(), std::pair{id, 0});
    return found != position_.end() && found->first == id ? found->second : -1;
}

Origin line_of(std::string_view file, int line, std::string_view noun, int id) {
    return {fmt::format("{}:{}", file, line), fmt::format("{} {}", noun, id)};
}

Origin row_of(std::string_view file, std::size_t row) {
    return {std::string(file), row_name(row)};
}

int Resolver::find(const IdMap& map, int id, const Origin& origin) const {
    const int position = map.find(id);
    if (position < 0) {
        error(ProblemKind::invalid_reference,
              origin,
              fmt::format("{} {} does not exist", map.noun(), id));
    }
    return position;
}

int Resolver::block(int stage, int block_id, const Origin& origin) const {
    if (block_id >= 0 && block_id < block_count(stage)) {
        return block_id;
    }
    error(ProblemKind::invalid_reference,
          origin,
          fmt::format("block {} does not exist: stage {} has {} blocks, numbered from 0",
                      block_id,
                      calendar.stages[at(stage)].id,
                      block_count(stage)));
    return -1;
}

bool Resolver::is_any_stage(int stage_id) const {
    return stages.find(stage_id) >= 0 ||
           (!calendar.stages.empty() && stage_id < calendar.stages.front().id);
}

void OutsideRows::report(std::string_view file, Problems& problems) const {
    if (count_ > 0) {
        problems.add(ProblemKind::unused_entity,
                     std::string(file),
                     fmt::format("stage {}", first_),
                     fmt::format("{} about stages outside the study left out; this is the first",
                                 count_ == 1 ? "1 row" : fmt::format("{} rows", count_)));
    }
}

}  // namespace lockstep::formats::cobre
