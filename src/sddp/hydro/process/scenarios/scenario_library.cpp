#include "sddp/hydro/process/scenarios/scenario_library.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/inflow/inflow_range.hpp"
#include "sddp/hydro/process/inflow/inflow_step.hpp"
#include "sddp/hydro/process/realisation.hpp"
#include "sddp/hydro/process/seasons/season_walk.hpp"

namespace lockstep::sddp {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

NoiseLibrary empty_library(int scenarios, const Calendar& calendar, int width) {
    NoiseLibrary library{scenarios, calendar.stage_count(), width, {}};
    library.values.assign(at(scenarios) * calendar.stages.size() * static_cast<std::size_t>(width),
                          missing);
    return library;
}

/// Mistakes of a class of scenarios: the first of each kind is told, with the number of others.
class Mistakes {
public:
    Mistakes(const char* subject, ProblemKind kind) : subject_(subject), kind_(kind) {}

    void add(const std::string& entity, const std::string& message) {
        if (count_++ == 0) {
            entity_ = entity;
            message_ = message;
        }
    }
    void report(Problems& problems) const {
        if (count_ > 0) {
            problems.add(
                kind_,
                subject_,
                entity_,
                count_ > 1 ? fmt::format("{} (and {} more)", message_, count_ - 1) : message_);
        }
    }

private:
    const char* subject_;
    ProblemKind kind_;
    int count_ = 0;
    std::string entity_;
    std::string message_;
};

int place_in(const std::vector<int>& list, int entity) {
    const auto found = std::ranges::find(list, entity);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// Rows in place.
NoiseLibrary place_rows(const Calendar& calendar,
                        const std::vector<ExternalValue>& rows,
                        const std::vector<int>& entities) {
    const std::vector<int> counts = external_counts(calendar, rows);
    const int most = counts.empty() ? 0 : *std::ranges::max_element(counts);
    NoiseLibrary library = empty_library(most, calendar, static_cast<int>(entities.size()));
    for (const ExternalValue& row : rows) {
        const int place = place_in(entities, row.entity);
        for (int s = row.scenario; place >= 0 && s < most; s += counts[at(row.stage)]) {
            library.noise(s, row.stage)[at(place)] = row.value;
        }
    }
    return library;
}

void check_stages(const Calendar& calendar,
                  const std::vector<ExternalValue>& rows,
                  const char* subject,
                  Problems& problems) {
    Mistakes mistakes(subject, ProblemKind::dimension_mismatch);
    const std::vector<int> counts = external_counts(calendar, rows);
    for (std::size_t t = 0; t < counts.size(); ++t) {
        if (counts[t] == 0) {
            mistakes.add(fmt::format("stage {}", calendar.stages[t].id),
                         "the scheme external needs a scenario of every stage");
        }
    }
    mistakes.report(problems);
}

std::string entity_name(const char* noun, int id) {
    return fmt::format("{} {}", noun, id);
}

/// Cells without a value of an entity that has others.
void check_complete(const Calendar& calendar,
                    const NoiseLibrary& library,
                    const std::vector<char>& is_named,
                    const std::vector<int>& ids,
                    const char* noun,
                    const char* subject,
                    Problems& problems) {
    Mistakes mistakes(subject, ProblemKind::dimension_mismatch);
    for (int s = 0; s < library.scenarios; ++s) {
        for (int t = 0; t < library.stages; ++t) {
            for (int i = 0; i < library.width; ++i) {
                if (is_named[at(i)] != 0 && std::isnan(library.noise(s, t)[at(i)])) {
                    mistakes.add(
                        entity_name(noun, ids[at(i)]),
                        fmt::format(
                            "no value of scenario {} at stage {}", s, calendar.stages[at(t)].id));
                }
            }
        }
    }
    mistakes.report(problems);
}

/// Noise that moves the mean to the value; 0 where there is none to be had.
class Inverter {
public:
    explicit Inverter(const char* subject) : mistakes_(subject, ProblemKind::invalid_value) {}

    double noise(double value, double mean, double std, const std::string& entity) {
        if (std > 0) {
            return (value - mean) / std;
        }
        constexpr double rounding = 1e-9;
        if (!(std::abs(value - mean) <= rounding * std::max(1.0, std::abs(value)))) {
            mistakes_.add(entity,
                          fmt::format("the scenarios have {:.6g}, the model {:.6g} without any "
                                      "deviation",
                                      value,
                                      mean));
        }
        return 0;
    }
    void report(Problems& problems) const { mistakes_.report(problems); }

private:
    Mistakes mistakes_;
};

/// Inflows of each scenario, in place, become their noise.
void invert_inflows(const Calendar& calendar,
                    const System& system,
                    const Process& process,
                    const char* subject,
                    NoiseLibrary& library,
                    Problems& problems) {
    Inverter inverter(subject);
    const std::size_t hydros = system.hydros.size();
    std::vector<double> mean(hydros);
    std::vector<double> buffer;
    for (int s = 0; s < library.scenarios; ++s) {
        std::vector<double> lags = process.inflow.initial_lags;
        std::vector<double> next = lags;
        for (int t = 0; t < library.stages; ++t) {
            const std::span<double> values = library.noise(s, t);
            const auto recalled = recall_lags(process.inflow, t, lags, buffer);
            expected_inflow(process.inflow, t, recalled, mean);
            const std::vector<double> given(values.begin(), values.end());
            std::vector<double> inflow = given;
            const auto& scale = process.inflow.stages[at(t)].scale;
            for (std::size_t h = 0; h < hydros; ++h) {
                values[h] = inverter.noise(
                    given[h],
                    mean[h],
                    scale[h],
                    fmt::format(
                        "hydro {}, stage {}", system.hydros[h].id, calendar.stages[at(t)].id));
                if (truncates(process.non_negativity) && scale[h] > 0) {
                    inflow[h] = std::max(0.0, inflow[h]);
                }
            }
            shift_lags(recalled, inflow, next);
            lags.swap(next);
        }
    }
    inverter.report(problems);
}

/// Values of buses or sources become noise, of those without any 0. `moments(place, stage)` is
/// (mean, deviation).
template <typename Moments>
void standardise(const Calendar& calendar,
                 const std::vector<int>& ids,
                 const char* noun,
                 const char* subject,
                 Moments moments,
                 NoiseLibrary& library,
                 Problems& problems) {
    Inverter inverter(subject);
    for (int s = 0; s < library.scenarios; ++s) {
        for (int t = 0; t < library.stages; ++t) {
            for (int i = 0; i < library.width; ++i) {
                double& value = library.noise(s, t)[at(i)];
                const auto [mean, std] = moments(i, t);
                const std::string name = fmt::format(
                    "{}, stage {}", entity_name(noun, ids[at(i)]), calendar.stages[at(t)].id);
                value = std::isnan(value) ? 0 : inverter.noise(value, mean, std, name);
            }
        }
    }
    inverter.report(problems);
}

template <typename Entities>
std::vector<int> ids_of(const Entities& entities, const std::vector<int>& chosen) {
    std::vector<int> ids;
    for (const int entity : chosen) {
        ids.push_back(entities[at(entity)].id);
    }
    return ids;
}

std::vector<int> all_of(int count) {
    std::vector<int> all(at(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Every plant needs values.
void check_plants(const System& system, const NoiseLibrary& library, Problems& problems) {
    for (std::size_t h = 0; h < system.hydros.size() && library.scenarios > 0; ++h) {
        if (std::isnan(library.noise(0, 0)[h])) {
            problems.add(ProblemKind::dimension_mismatch,
                         subject::external_inflow,
                         entity_name("hydro", system.hydros[h].id),
                         "no values; the scenarios must have the inflow of every plant");
        }
    }
}

int year_of(Date date) {
    return static_cast<int>(std::chrono::year_month_day(date).year());
}

/// What the seasons of a study that had begun in another year would have brought.
class Record {
public:
    Record(const Calendar& calendar,
           const System& system,
           const std::vector<InflowObservation>& record)
        : walk_(calendar) {
        Problems told_before;
        windows_ = windows_by_hydro(system, record, subject::inflow_history, told_before);
        for (const Stage& stage : calendar.stages) {
            seasons_.push_back(walk_.of(stage).value_or(Occurrence{-1, stage.start, stage.end}));
        }
        for (const InflowObservation& each : record) {
            first_ = std::min(first_, year_of(each.start));
            last_ = std::max(last_, year_of(each.end));
        }
    }

    [[nodiscard]] int first_year() const { return first_; }
    [[nodiscard]] int last_year() const { return last_; }
    /// Inflows of all stages [stages × hydros]; empty where the record has a gap.
    [[nodiscard]] std::vector<double> from(int year) const {
        const int years = year - year_of(seasons_.front().start);
        std::vector<double> inflows;
        for (const Occurrence& season : seasons_) {
            const Occurrence then = walk_.years_later(season, years);
            for (const ObservationWindows& windows : windows_) {
                const CoveredMean found = covered_mean(then.start, then.end, {}, windows);
                if (found.days < then.days()) {
                    return {};
                }
                inflows.push_back(found.mean);
            }
        }
        return inflows;
    }

private:
    SeasonWalk walk_;
    std::vector<ObservationWindows> windows_;
    std::vector<Occurrence> seasons_;
    int first_ = std::numeric_limits<int>::max();
    int last_ = std::numeric_limits<int>::min();
};

/// By position among `entities`; NaN for one without values.
NoiseLibrary placed_values(const Calendar& calendar,
                           const std::vector<int>& entities,
                           const std::vector<int>& ids,
                           const char* noun,
                           const char* subject,
                           const std::vector<ExternalValue>& rows,
                           Problems& problems) {
    const std::size_t before = problems.error_count();
    check_stages(calendar, rows, subject, problems);
    if (problems.error_count() > before) {
        return {};
    }
    NoiseLibrary library = place_rows(calendar, rows, entities);
    std::vector<char> is_named(entities.size(), 0);
    for (const ExternalValue& row : rows) {
        if (const int place = place_in(entities, row.entity); place >= 0) {
            is_named[at(place)] = 1;
        }
    }
    check_complete(calendar, library, is_named, ids, noun, subject, problems);
    return problems.error_count() > before ? NoiseLibrary{} : library;
}

}  // namespace

std::vector<int> external_counts(const Calendar& calendar, const std::vector<ExternalValue>& rows) {
    std::vector<int> counts(calendar.stages.size(), 0);
    for (const ExternalValue& row : rows) {
        counts[at(row.stage)] = std::max(counts[at(row.stage)], row.scenario + 1);
    }
    return counts;
}

NoiseLibrary placed_inflows(const Calendar& calendar,
                            const System& system,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems) {
    const std::vector<int> hydros = all_of(static_cast<int>(system.hydros.size()));
    NoiseLibrary library = placed_values(calendar,
                                         hydros,
                                         ids_of(system.hydros, hydros),
                                         "hydro",
                                         subject::external_inflow,
                                         rows,
                                         problems);
    check_plants(system, library, problems);
    return library;
}

NoiseLibrary placed_loads(const Calendar& calendar,
                          const System& system,
                          const std::vector<int>& buses,
                          const std::vector<ExternalValue>& rows,
                          Problems& problems) {
    return placed_values(calendar,
                         buses,
                         ids_of(system.buses, buses),
                         "bus",
                         subject::external_load,
                         rows,
                         problems);
}

NoiseLibrary placed_sources(const Calendar& calendar,
                            const System& system,
                            const std::vector<int>& sources,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems) {
    return placed_values(calendar,
                         sources,
                         ids_of(system.sources, sources),
                         "ncs",
                         subject::external_source,
                         rows,
                         problems);
}

NoiseLibrary external_inflows(const Calendar& calendar,
                              const System& system,
                              const Process& process,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems) {
    const std::size_t before = problems.error_count();
    NoiseLibrary library = placed_inflows(calendar, system, rows, problems);
    if (problems.error_count() == before) {
        invert_inflows(calendar, system, process, subject::external_inflow, library, problems);
    }
    return library;
}

NoiseLibrary external_loads(const Calendar& calendar,
                            const System& system,
                            const NoiseLayout& layout,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems) {
    NoiseLibrary library = placed_loads(calendar, system, layout.buses, rows, problems);
    standardise(
        calendar,
        ids_of(system.buses, layout.buses),
        "bus",
        subject::external_load,
        [&](int i, int t) {
            const Bus& bus = system.buses[at(layout.buses[at(i)])];
            return std::pair(bus.mean_load_mw[at(t)], bus.load_std_mw[at(t)]);
        },
        library,
        problems);
    return library;
}

NoiseLibrary external_sources(const Calendar& calendar,
                              const System& system,
                              const NoiseLayout& layout,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems) {
    NoiseLibrary library = placed_sources(calendar, system, layout.sources, rows, problems);
    standardise(
        calendar,
        ids_of(system.sources, layout.sources),
        "ncs",
        subject::external_source,
        [&](int i, int t) {
            const NonControllable& source = system.sources[at(layout.sources[at(i)])];
            return std::pair(source.mean[at(t)], source.std[at(t)]);
        },
        library,
        problems);
    return library;
}

NoiseLibrary recorded_inflows(const Calendar& calendar,
                              const System& system,
                              const std::vector<InflowObservation>& record,
                              const std::vector<int>& years) {
    const Record past(calendar, system, record);
    std::vector<double> all;
    int scenarios = 0;
    for (int year = past.first_year(); year <= past.last_year(); ++year) {
        const bool is_wanted = years.empty() || std::ranges::count(years, year) > 0;
        const auto inflows = is_wanted ? past.from(year) : std::vector<double>();
        all.insert(all.end(), inflows.begin(), inflows.end());
        scenarios += inflows.empty() ? 0 : 1;
    }
    return {
        scenarios, calendar.stage_count(), static_cast<int>(system.hydros.size()), std::move(all)};
}

NoiseLibrary historical_inflows(const Calendar& calendar,
                                const System& system,
                                const Process& process,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years,
                                Problems& problems) {
    NoiseLibrary library = recorded_inflows(calendar, system, record, years);
    if (library.scenarios == 0) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::inflow_history,
                     "",
                     "no year of the record covers the seasons of the study for every plant, as "
                     "historical scenarios need");
        return library;
    }
    invert_inflows(calendar, system, process, subject::inflow_history, library, problems);
    return library;
}

}  // namespace lockstep::sddp
