#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/policy_checks.hpp"
#include "formats/cobre/policy/pool_file.hpp"
#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/raw/stages.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

/// The pool that prices the state of a day.
Pool pool_of_day(const std::filesystem::path& directory,
                 const Manifest& manifest,
                 Date date,
                 const std::string& file) {
    std::optional<Pool> found;
    for (int number = 0; number < manifest.pools; ++number) {
        Pool pool = read_pool(pool_path(directory, at(number)));
        if (pool.date != date || pool.cuts.size() == 0) {
            continue;
        }
        if (found) {
            throw InputError(
                fmt::format("{}: nodes {} and {} of the policy both price {}, where "
                            "the study ends: it does not tell which of them does",
                            file,
                            found->node_id,
                            pool.node_id,
                            to_iso(date)));
        }
        found = std::move(pool);
    }
    if (!found) {
        throw InputError(
            fmt::format("{}: no stage with cuts ends on {}, where the study ends: it "
                        "cannot price that state",
                        file,
                        to_iso(date)));
    }
    return std::move(*found);
}

bool has_interval(SlotKind kind) {
    return kind == SlotKind::commitment || kind == SlotKind::transit;
}

bool is_of(const Slot& slot, const Slot& other) {
    return slot.kind == other.kind && slot.entity_id == other.entity_id;
}

double days(Date from, Date to) {
    return static_cast<double>((to - from).count());
}

double common_days(const Slot& left, const Slot& right) {
    if (!left.start || !left.end || !right.start || !right.end) {
        return 0;
    }
    return std::max(0.0,
                    days(std::max(*left.start, *right.start), std::min(*left.end, *right.end)));
}

/// The states of a study in terms of those of another policy: each of these is a weighted sum of
/// those.
class Reconciliation {
public:
    Reconciliation(std::vector<Slot> study, const Pool& source, const std::string& file)
        : study_(std::move(study)), source_(source), file_(file) {
        for (std::size_t i = 0; i < study_.size(); ++i) {
            if (has_interval(study_[i].kind)) {
                overlap(i);
            } else {
                equal(i);
            }
        }
    }

    /// Slopes by the study's states of a cut with slopes by the source's.
    [[nodiscard]] std::vector<double> translated(const std::vector<double>& slopes) const {
        std::vector<double> out(study_.size());
        for (const auto& share : shares_) {
            out[share.study] += share.weight * slopes[share.source];
        }
        return out;
    }

    /// A state of the source that no state of the study stands for and that some cut prices.
    [[nodiscard]] std::optional<std::size_t> find_unmodelled() const {
        std::set<std::size_t> known;
        for (const auto& share : shares_) {
            known.insert(share.source);
        }
        const auto& slopes = source_.cuts.slopes;
        for (std::size_t i = 0; i < source_.slots.size(); ++i) {
            for (int cut = 0; !known.contains(i) && cut < slopes.size(); ++cut) {
                if (slopes.decided(cut)[static_cast<int>(i)] != 0) {
                    return i;
                }
            }
        }
        return std::nullopt;
    }

private:
    struct Share {
        std::size_t study = 0, source = 0;
        double weight = 0;
    };

    void equal(std::size_t i) {
        const Slot& wanted = study_[i];
        const auto same_number = [&](const Slot& slot) {
            return slot.identity() == wanted.identity();
        };
        const auto same_date = [&](const Slot& slot) {
            return is_of(slot, wanted) && slot.reference == wanted.reference;
        };
        const auto& slots = source_.slots;
        const auto found = wanted.reference ? std::ranges::find_if(slots, same_date)
                                            : std::ranges::find_if(slots, same_number);
        if (found == slots.end()) {
            const auto near = std::ranges::find_if(slots, same_number);
            throw InputError(
                near == slots.end()
                    ? fmt::format("{}: {} is a state of the study that the policy does not price",
                                  file_,
                                  to_string(wanted))
                    : fmt::format("{}: {} is of {} in the study, of {} in the policy",
                                  file_,
                                  to_string(wanted),
                                  to_iso(*wanted.reference),
                                  near->reference ? to_iso(*near->reference) : "an unknown day"));
        }
        shares_.push_back({i, at(found - slots.begin()), 1});
    }

    // A commitment is a power, so that a longer one is their mean over the days that are known;
    // water is an amount, of which a part of the time has a part.
    void overlap(std::size_t i) {
        const Slot& own = study_[i];
        for (std::size_t j = 0; j < source_.slots.size(); ++j) {
            const Slot& other = source_.slots[j];
            const double common = is_of(own, other) ? common_days(own, other) : 0;
            if (common > 0) {
                const double whole = own.kind == SlotKind::transit ? days(*own.start, *own.end)
                                                                   : covered_days(other);
                shares_.push_back({i, j, common / whole});
            }
        }
    }

    [[nodiscard]] double covered_days(const Slot& other) const {
        double covered = 0;
        for (const Slot& own : study_) {
            covered += is_of(own, other) ? common_days(own, other) : 0;
        }
        return covered;
    }

    std::vector<Slot> study_;
    const Pool& source_;
    const std::string& file_;
    std::vector<Share> shares_;
};

/// Of post_study_stages.json; what is wrong with it was told when the case was read.
std::vector<Period> stages_after(const std::filesystem::path& case_directory) {
    constexpr const char* name = "post_study_stages.json";
    constexpr double hours_per_day = 24;
    std::vector<Period> out;
    if (case_directory.empty() || !io::is_there(case_directory / name)) {
        return out;
    }
    Problems told;
    raw::PostStudy after;
    Files(case_directory, told).read(name, Presence::optional, after);
    for (const raw::PostStudyStage& stage : after.stages) {
        const std::chrono::days length(std::lround(stage.duration_hours / hours_per_day));
        out.push_back({stage.start_date, stage.start_date + length});
    }
    return out;
}

}  // namespace

sddp::StageCuts read_boundary(const std::filesystem::path& directory,
                              bool is_strict,
                              const std::filesystem::path& case_directory,
                              const sddp::Problem& problem,
                              Problems& problems) {
    const auto after = stages_after(case_directory);
    const std::string file = (directory / manifest_name).string();
    const Manifest manifest = read_manifest(directory);
    const Pool pool = pool_of_day(directory, manifest, problem.calendar.stages.back().end, file);
    check_seasons(manifest, problem, file);
    if (!pool.cuts.outcome.empty()) {
        throw InputError(
            fmt::format("{}: its cuts are of single outcomes (training.multi_cut): a boundary "
                        "needs cuts of all "
                        "together",
                        file));
    }
    const Reconciliation states(slots_after(problem, problem.stage_count() - 1, after), pool, file);
    if (const auto i = states.find_unmodelled()) {
        const auto message = fmt::format("the policy prices {}, which is no state of the study",
                                         to_string(pool.slots[*i]));
        if (is_strict) {
            throw InputError(fmt::format("{}: {}", file, message));
        }
        problems.add(ProblemKind::model_quality,
                     "config.json",
                     "policy.boundary",
                     message + ": its price is left out");
    }
    sddp::StageCuts out;
    out.slopes = sddp::CutSlopes(problem.states());
    for (int cut = 0; cut < pool.cuts.size(); ++cut) {
        if (pool.cuts.active[at(cut)] != 0) {
            out.slopes.add(states.translated(pool.cuts.slopes.row(cut)));
            out.intercept.push_back(pool.cuts.intercept[at(cut)]);
        }
    }
    out.iteration.assign(out.intercept.size(), 0);
    out.trajectory.assign(out.intercept.size(), 0);
    out.active.assign(out.intercept.size(), 1);
    return out;
}

}  // namespace lockstep::formats::cobre
