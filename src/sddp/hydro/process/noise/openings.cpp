#include "sddp/hydro/process/noise/openings.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "sddp/hydro/process/noise/halton.hpp"
#include "sddp/hydro/process/noise/sobol.hpp"

namespace lockstep::sddp {
namespace {

using Openings = MatrixView<double>;  ///< [openings × dimension]

void draw_saa(Openings openings, std::uint64_t seed, std::uint32_t stage_id) {
    for (std::ptrdiff_t i = 0; i < openings.rows(); ++i) {
        cobre::Generator stream(cobre::opening_seed(seed, static_cast<std::uint32_t>(i), stage_id));
        std::ranges::generate(openings.row(i), [&stream] { return stream.normal(); });
    }
}

/// One value in each of n equal strata, in random order, for each entity.
void draw_lhs(Openings openings, std::uint64_t seed, std::uint32_t stage_id) {
    cobre::Generator stream(cobre::stage_seed(seed, stage_id));
    const auto count = static_cast<std::size_t>(openings.rows());
    std::vector<double> value(count);
    std::vector<std::uint32_t> order(count);
    for (std::ptrdiff_t entity = 0; entity < openings.cols(); ++entity) {
        for (std::size_t k = 0; k < count; ++k) {
            value[k] = (static_cast<double>(k) + stream.uniform()) / static_cast<double>(count);
        }
        stream.permute(order);
        for (std::size_t k = 0; k < count; ++k) {
            openings(order[k], entity) = cobre::inverse_normal(value[k]);
        }
    }
}

void draw_sobol(Openings openings, std::uint64_t seed, std::uint32_t stage_id) {
    cobre::Generator stream(cobre::stage_seed(seed, stage_id));
    for (std::ptrdiff_t entity = 0; entity < openings.cols(); ++entity) {
        const SobolScramble scramble(stream);
        for (std::ptrdiff_t i = 0; i < openings.rows(); ++i) {
            const std::uint32_t index = gray_code(static_cast<std::uint32_t>(i));
            const std::uint32_t bits = sobol_bits(static_cast<std::size_t>(entity), index);
            openings(i, entity) = cobre::inverse_normal(scramble(bits));
        }
    }
}

void draw_halton(Openings openings, std::uint64_t seed, std::uint32_t stage_id) {
    cobre::Generator stream(cobre::stage_seed(seed, stage_id));
    const auto count = static_cast<std::uint32_t>(openings.rows());
    const auto primes = first_primes(static_cast<std::size_t>(openings.cols()));
    HaltonCoordinate coordinate;
    for (std::size_t entity = 0; entity < primes.size(); ++entity) {
        coordinate.draw(stream, primes[entity], count);
        for (std::uint32_t i = 0; i < count; ++i) {
            openings(i, entity) = cobre::inverse_normal(coordinate(i + 1));
        }
    }
}

void draw(Openings openings, std::uint64_t seed, const Stage& stage) {
    const auto stage_id = static_cast<std::uint32_t>(stage.id);
    switch (stage.sampling) {
        case Sampling::historical_residuals:  // taken, not drawn
        case Sampling::saa:
            return draw_saa(openings, seed, stage_id);
        case Sampling::lhs:
            return draw_lhs(openings, seed, stage_id);
        case Sampling::sobol:
            return draw_sobol(openings, seed, stage_id);
        case Sampling::halton:
            return draw_halton(openings, seed, stage_id);
    }
}

void take_history(Openings openings,
                  std::uint64_t seed,
                  int stage,
                  std::uint32_t stage_id,
                  const NoiseLibrary& history) {
    for (std::ptrdiff_t i = 0; i < openings.rows() && history.scenarios > 0; ++i) {
        const auto hash = cobre::opening_seed(seed, static_cast<std::uint32_t>(i), stage_id);
        const auto scenario = static_cast<int>(hash % static_cast<unsigned>(history.scenarios));
        std::ranges::copy(history.noise(scenario, stage), openings.row(i).begin());
    }
}

OpeningTree empty_tree(const Calendar& calendar, int dimension) {
    OpeningTree tree;
    tree.dimension = dimension;
    for (const Stage& stage : calendar.stages) {
        const int count = std::max(stage.openings, 0);
        tree.count.push_back(count);
        tree.values.emplace_back(static_cast<std::size_t>(count) *
                                 static_cast<std::size_t>(dimension));
    }
    return tree;
}

Openings openings_of(OpeningTree& tree, std::size_t stage) {
    return Openings(tree.values[stage].begin(), tree.count[stage], tree.dimension);
}

/// The surplus of a stage with more openings than its predecessor has no noise, as in Cobre.
void repeat_previous(OpeningTree& tree,
                     std::size_t stage,
                     const Calendar& calendar,
                     Problems& problems) {
    const auto& source = tree.values[stage - 1];
    auto& values = tree.values[stage];
    std::copy_n(source.begin(), std::min(source.size(), values.size()), values.begin());
    if (tree.count[stage] > tree.count[stage - 1]) {
        problems.add(
            ProblemKind::model_quality,
            subject::stages,
            fmt::format("stage {}", calendar.stages[stage].id),
            fmt::format("{} openings, but the stage shares season, year and so the noise of "
                        "stage {}, which has only {}: the others have noise 0",
                        tree.count[stage],
                        calendar.stages[stage - 1].id,
                        tree.count[stage - 1]));
    }
}

bool can_draw(const Calendar& calendar, int dimension, Problems& problems) {
    for (const Stage& stage : calendar.stages) {
        if (stage.sampling == Sampling::sobol && dimension > static_cast<int>(sobol_dimensions)) {
            problems.add(
                ProblemKind::not_supported,
                subject::stages,
                fmt::format("stage {}", stage.id),
                fmt::format("not supported yet: Sobol points in {} dimensions; the table of "
                            "direction numbers ends at {}",
                            dimension,
                            sobol_dimensions));
            return false;
        }
    }
    return true;
}

// --- explicit trees ------------------------------------------------------------------------------

bool is_inside(const OpeningTree& tree, const OpeningValue& row) {
    return 0 <= row.stage && row.stage < std::ssize(tree.count) && 0 <= row.opening &&
           row.opening < tree.count[at(row.stage)] && 0 <= row.entity &&
           row.entity < tree.dimension;
}

std::string stage_entity(const Calendar& calendar, std::size_t stage) {
    return fmt::format("stage {}", calendar.stages[stage].id);
}

/// The first cell of a stage without a value, told to `problems`.
void report_gaps(const Calendar& calendar,
                 const OpeningTree& tree,
                 std::size_t stage,
                 Problems& problems) {
    const auto& values = tree.values[stage];
    const auto is_missing = [](double value) { return std::isnan(value); };
    const auto missing = std::ranges::count_if(values, is_missing);
    if (missing == 0) {
        return;
    }
    const auto first = std::ranges::find_if(values, is_missing) - values.begin();
    problems.add(
        ProblemKind::dimension_mismatch,
        subject::openings,
        stage_entity(calendar, stage),
        fmt::format("{} of {} openings × {} entities have no finite value; the first is opening "
                    "{}, entity {}",
                    missing,
                    tree.count[stage],
                    tree.dimension,
                    first / tree.dimension,
                    first % tree.dimension));
}

std::string outside_message(const OpeningTree& tree, const OpeningValue& row) {
    if (row.stage < 0 || row.stage >= std::ssize(tree.count)) {
        return fmt::format(
            "stage index {} is not one of the {} stages", row.stage, tree.count.size());
    }
    return fmt::format(
        "opening {}, entity {} is outside the {} openings × {} entities of the stage",
        row.opening,
        row.entity,
        tree.count[at(row.stage)],
        tree.dimension);
}

}  // namespace

std::vector<int> noise_groups(const Calendar& calendar) {
    using Key = std::pair<int, int>;  // season, year
    std::vector<std::pair<Key, int>> known;
    std::vector<int> groups;
    int next = 0;
    for (const Stage& stage : calendar.stages) {
        const std::chrono::year_month_day start(stage.start);
        const Key key(stage.season, static_cast<int>(start.year()));
        const auto found = std::ranges::find(known, key, &std::pair<Key, int>::first);
        if (stage.season >= 0 && found != known.end()) {
            groups.push_back(found->second);
            continue;
        }
        known.emplace_back(key, next);
        groups.push_back(next++);
    }
    return groups;
}

OpeningTree draw_openings(const Calendar& calendar,
                          int dimension,
                          std::uint64_t seed,
                          const NoiseCorrelation& correlation,
                          const NoiseLibrary& history,
                          Problems& problems) {
    OpeningTree tree = empty_tree(calendar, dimension);
    if (!can_draw(calendar, dimension, problems)) {
        return tree;
    }
    const std::vector<int> group = noise_groups(calendar);
    for (std::size_t t = 0; t < group.size(); ++t) {
        if (t > 0 && group[t] == group[t - 1]) {
            repeat_previous(tree, t, calendar, problems);
            continue;
        }
        const Openings openings = openings_of(tree, t);
        if (calendar.stages[t].sampling == Sampling::historical_residuals) {
            take_history(openings,
                         seed,
                         static_cast<int>(t),
                         static_cast<std::uint32_t>(calendar.stages[t].id),
                         history);
            continue;
        }
        draw(openings, seed, calendar.stages[t]);
        for (std::ptrdiff_t i = 0; i < openings.rows(); ++i) {
            correlation.apply(static_cast<int>(t), openings.row(i));
        }
    }
    return tree;
}

OpeningTree read_openings(const Calendar& calendar,
                          int dimension,
                          const std::vector<OpeningValue>& rows,
                          Problems& problems) {
    OpeningTree tree = empty_tree(calendar, dimension);
    for (auto& values : tree.values) {
        std::ranges::fill(values, std::nan(""));
    }
    for (const OpeningValue& row : rows) {
        if (!is_inside(tree, row)) {
            problems.add(ProblemKind::dimension_mismatch,
                         subject::openings,
                         row.stage >= 0 && row.stage < calendar.stage_count()
                             ? stage_entity(calendar, static_cast<std::size_t>(row.stage))
                             : "",
                         outside_message(tree, row));
            continue;
        }
        double& cell =
            openings_of(tree, static_cast<std::size_t>(row.stage))(row.opening, row.entity);
        if (!std::isnan(cell)) {
            problems.add(
                ProblemKind::duplicate_id,
                subject::openings,
                stage_entity(calendar, static_cast<std::size_t>(row.stage)),
                fmt::format("opening {}, entity {} is given twice", row.opening, row.entity));
        }
        cell = row.value;
    }
    for (std::size_t t = 0; t < tree.values.size(); ++t) {
        report_gaps(calendar, tree, t, problems);
    }
    return tree;
}

}  // namespace lockstep::sddp
