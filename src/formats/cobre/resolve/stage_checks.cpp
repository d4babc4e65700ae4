#include "formats/cobre/resolve/stage_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "stages.json";

/// Months are often counted as 730 hours, also February's 672.
constexpr double hours_tolerance = 0.1;

/// Longest allowed difference between stages that share statistics.
constexpr int season_length_tolerance_days = 7;

class StageChecks {
public:
    StageChecks(const raw::Stages& stages, Problems& problems)
        : stages_(stages), problems_(problems) {}

    void run() const {
        if (stages_.stages.empty()) {
            problems_.add(
                ProblemKind::invalid_value, file, "stages", "at least one stage is required");
        }
        check_ids();
        check_order();
        for (const raw::Stage& stage : stages_.stages) {
            check_stage(stage);
        }
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            check_past(stage);
        }
        check_seasons();
    }

private:
    void add(ProblemKind kind, int line, int id, std::string message) const {
        const Origin origin = line_of(file, line, "stage", id);
        problems_.add(kind, origin.file, origin.entity, std::move(message));
    }

    void check_ids() const {
        std::set<int> seen;
        const auto check = [&](int line, int id) {
            if (!seen.insert(id).second) {
                add(ProblemKind::duplicate_id, line, id, "stage id is used twice");
            }
        };
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            check(stage.line, stage.id);
        }
        for (const raw::Stage& stage : stages_.stages) {
            check(stage.line, stage.id);
        }
    }

    void check_order() const {
        for (std::size_t i = 1; i < stages_.stages.size(); ++i) {
            const raw::Stage& before = stages_.stages[i - 1];
            const raw::Stage& stage = stages_.stages[i];
            if (stage.start_date < before.end_date && before.start_date < stage.end_date) {
                add(ProblemKind::model_quality,
                    stage.line,
                    stage.id,
                    fmt::format("starts before stage {} ends: the days of both count twice",
                                before.id));
            } else if (stage.start_date <= before.start_date) {
                add(ProblemKind::invalid_value,
                    stage.line,
                    stage.id,
                    fmt::format("does not start after stage {}", before.id));
            } else if (stage.start_date > before.end_date) {
                add(ProblemKind::model_quality,
                    stage.line,
                    stage.id,
                    fmt::format("does not start where stage {} ends", before.id));
            }
        }
    }

    void check_dates(int line, int id, Date start, Date end) const {
        if (start >= end) {
            add(ProblemKind::invalid_value, line, id, "start_date must be before end_date");
        }
    }

    void check_stage(const raw::Stage& stage) const {
        check_dates(stage.line, stage.id, stage.start_date, stage.end_date);
        check_blocks(stage);
        check_season(stage.line, stage.id, stage.season_id);
        if (!stage.num_openings && !stages_.policy_graph.nodes) {
            add(ProblemKind::schema_violation,
                stage.line,
                stage.id,
                "missing key \"num_openings\"");
        }
        const auto openings = static_cast<unsigned>(stage.num_openings.value_or(1));
        if (stage.sampling_method == raw::SamplingMethod::qmc_sobol &&
            (openings & (openings - 1)) != 0) {
            add(ProblemKind::model_quality,
                stage.line,
                stage.id,
                fmt::format("{} Sobol points: a power of two is more even", openings));
        }
    }

    void check_blocks(const raw::Stage& stage) const {
        if (stage.blocks.empty()) {
            add(ProblemKind::invalid_value, stage.line, stage.id, "at least one block is required");
        }
        for (std::size_t i = 0; i < stage.blocks.size(); ++i) {
            if (static_cast<std::size_t>(stage.blocks[i].id) != i) {
                add(ProblemKind::invalid_value,
                    stage.line,
                    stage.id,
                    fmt::format("block ids must be 0, 1, 2 … in order: found {} at place {}",
                                stage.blocks[i].id,
                                i));
                return;
            }
        }
        check_hours(stage);
    }

    void check_hours(const raw::Stage& stage) const {
        constexpr double hours_per_day = 24;
        const double lasts =
            hours_per_day * static_cast<double>((stage.end_date - stage.start_date).count());
        double hours = 0;
        for (const raw::Block& block : stage.blocks) {
            hours += block.hours;
        }
        if (lasts > 0 && std::abs(hours - lasts) > hours_tolerance * lasts) {
            add(ProblemKind::model_quality,
                stage.line,
                stage.id,
                fmt::format("its blocks have {} hours, its dates {}: energies and volumes follow "
                            "the blocks",
                            hours,
                            lasts));
        }
    }

    void check_past(const raw::PreStudyStage& stage) const {
        check_dates(stage.line, stage.id, stage.start_date, stage.end_date);
        check_season(stage.line, stage.id, stage.season_id);
        if (stage.id >= 0) {
            add(ProblemKind::invalid_value,
                stage.line,
                stage.id,
                "ids of pre_study_stages must be negative");
        }
        if (!stages_.stages.empty() && stage.end_date > stages_.stages.front().start_date) {
            add(ProblemKind::invalid_value, stage.line, stage.id, "ends after the study starts");
        }
    }

    void check_season(int line, int id, std::optional<int> season_id) const {
        if (!season_id || !stages_.season_definitions) {
            return;
        }
        const auto& seasons = stages_.season_definitions->seasons;
        const bool exists =
            std::any_of(seasons.begin(), seasons.end(), [&](const raw::Season& season) {
                return season.id == *season_id;
            });
        if (!exists) {
            add(ProblemKind::invalid_reference,
                line,
                id,
                fmt::format("season {} does not exist", *season_id));
        }
    }

    void check_seasons() const {
        if (!stages_.season_definitions) {
            return;
        }
        std::set<int> ids;
        for (const raw::Season& season : stages_.season_definitions->seasons) {
            const Origin origin = line_of(file, season.line, "season", season.id);
            if (!ids.insert(season.id).second) {
                problems_.add(ProblemKind::duplicate_id,
                              origin.file,
                              origin.entity,
                              "season id is used twice");
            }
        }
        check_season_lengths();
        warn_of_unused_seasons();
    }

    void check_season_lengths() const {
        std::map<int, std::pair<int, int>> first;  // season -> (stage id, days)
        for (const raw::Stage& stage : stages_.stages) {
            const int days = static_cast<int>((stage.end_date - stage.start_date).count());
            if (!stage.season_id) {
                continue;
            }
            const auto [seen, is_new] = first.emplace(*stage.season_id, std::pair{stage.id, days});
            if (!is_new && std::abs(seen->second.second - days) > season_length_tolerance_days) {
                add(ProblemKind::business_rule_violation,
                    stage.line,
                    stage.id,
                    fmt::format(
                        "lasts {} days, but stage {} of the same season {} lasts {}: they may "
                        "differ by {} days",
                        days,
                        seen->second.first,
                        *stage.season_id,
                        seen->second.second,
                        season_length_tolerance_days));
            }
        }
    }

    /// Months and weeks come as a whole calendar; parts of it that a short study does not reach are
    /// normal.
    void warn_of_unused_seasons() const {
        if (stages_.season_definitions->cycle_type != raw::Cycle::custom) {
            return;
        }
        std::set<int> used;
        for (const raw::Stage& stage : stages_.stages) {
            used.insert(stage.season_id.value_or(-1));
        }
        for (const raw::PreStudyStage& stage : stages_.pre_study_stages) {
            used.insert(stage.season_id.value_or(-1));
        }
        for (const raw::Season& season : stages_.season_definitions->seasons) {
            if (!used.contains(season.id)) {
                const Origin origin = line_of(file, season.line, "season", season.id);
                problems_.add(ProblemKind::unused_entity,
                              origin.file,
                              origin.entity,
                              "no stage refers to this season");
            }
        }
    }

    const raw::Stages& stages_;
    Problems& problems_;
};

}  // namespace

void check_stages(const raw::Stages& stages, Problems& problems) {
    StageChecks(stages, problems).run();
}

}  // namespace lockstep::formats::cobre
