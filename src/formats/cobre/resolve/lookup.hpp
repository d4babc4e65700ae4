#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/calendar.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre {

/// Positions of ids in a list of entities.
class IdMap {
public:
    IdMap() = default;
    template <typename Entities>
    IdMap(std::string noun, const Entities& entities) : noun_(std::move(noun)) {
        for (const auto& entity : entities) {
            position_.emplace_back(entity.id, static_cast<int>(position_.size()));
        }
        std::sort(position_.begin(), position_.end());
    }

    /// -1 when there is no such id.
    [[nodiscard]] int find(int id) const noexcept;
    [[nodiscard]] const std::string& noun() const noexcept { return noun_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(position_.size()); }

private:
    std::string noun_;
    std::vector<std::pair<int, int>> position_;
};

/// Where something was said: a line of a JSON file or a row of a table, and about what.
struct Origin {
    std::string file;  ///< with ":line" where there is one
    std::string entity;
};

Origin line_of(std::string_view file, int line, std::string_view noun, int id);
Origin row_of(std::string_view file, std::size_t row);

/// Rows of a file about stages that the study does not have: they are left out, and told once, so
/// that who shortens a horizon keeps his files.
class OutsideRows {
public:
    void add(int stage_id) { first_ = count_++ == 0 ? stage_id : first_; }
    void report(std::string_view file, Problems& problems) const;

private:
    int count_ = 0;
    int first_ = 0;
};

/// What every part of resolving needs: the calendar, ids, and where to report.
struct Resolver {
    sddp::Calendar calendar;
    IdMap stages;
    IdMap buses;
    IdMap lines;
    IdMap thermals;
    IdMap sources;
    IdMap hydros;
    IdMap contracts;
    IdMap pumping_stations;
    IdMap batteries;
    Problems& problems;

    void error(ProblemKind kind, const Origin& origin, std::string message) const {
        problems.add(kind, origin.file, origin.entity, std::move(message));
    }
    /// Position of an id, -1 after a report that it does not exist.
    int find(const IdMap& map, int id, const Origin& origin) const;
    /// The same for a block of a stage.
    int block(int stage, int block_id, const Origin& origin) const;
    /// Whether the inflow model may have rows with this id: a study stage, or one before the study,
    /// whose ids count backwards from the first stage's whether they are declared or not.
    [[nodiscard]] bool is_any_stage(int stage_id) const;

    [[nodiscard]] int stage_count() const noexcept { return calendar.stage_count(); }
    [[nodiscard]] int block_count(int stage) const {
        return static_cast<int>(calendar.stages[at(stage)].blocks.size());
    }
    [[nodiscard]] sddp::ByStage by_stage(double value) const {
        return sddp::ByStage(calendar.stages.size(), value);
    }
    [[nodiscard]] sddp::ByBlock by_block(double value) const { return {calendar, value}; }
    /// visit(stage, block) for every block of the study.
    template <typename Visit>
    void for_each_block(Visit visit) const {
        for (int stage = 0; stage < stage_count(); ++stage) {
            for (int block = 0; block < block_count(stage); ++block) {
                visit(stage, block);
            }
        }
    }
};

}  // namespace lockstep::formats::cobre
