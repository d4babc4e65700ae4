#include "sddp/hydro/process/scenario_library.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/inflow_range.hpp"
#include "sddp/hydro/process/inflow_step.hpp"
#include "sddp/hydro/process/realisation.hpp"
#include "sddp/hydro/process/season_walk.hpp"

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

/// Rows in place; `slot(entity)` is -1 for one that has no noise.
template <typename Slot>
NoiseLibrary place_rows(const Calendar& calendar,
                        const std::vector<ExternalValue>& rows,
                        int width,
                        Slot slot) {
    const std::vector<int> counts = external_counts(calendar, rows);
    const int most = counts.empty() ? 0 : *std::ranges::max_element(counts);
    NoiseLibrary library = empty_library(most, calendar, width);
    for (const ExternalValue& row : rows) {
        const int place = slot(row.entity);
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

/// Cells of the library without a value. `name(place)` says of whom.
template <typename Name>
void check_complete(const Calendar& calendar,
                    const NoiseLibrary& library,
                    const char* subject,
                    Name name,
                    Problems& problems) {
    Mistakes mistakes(subject, ProblemKind::dimension_mismatch);
    for (int s = 0; s < library.scenarios; ++s) {
        for (int t = 0; t < library.stages; ++t) {
            for (int i = 0; i < library.width; ++i) {
                if (std::isnan(library.noise(s, t)[at(i)])) {
                    mistakes.add(
                        name(i),
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

/// Values of buses or sources become noise. `moments(place, stage)` is (mean, deviation).
template <typename Moments, typename Name>
void standardise(const Calendar& calendar,
                 const char* subject,
                 Moments moments,
                 Name name,
                 NoiseLibrary& library,
                 Problems& problems) {
    Inverter inverter(subject);
    for (int s = 0; s < library.scenarios; ++s) {
        for (int t = 0; t < library.stages; ++t) {
            for (int i = 0; i < library.width; ++i) {
                double& value = library.noise(s, t)[at(i)];
                const auto [mean, std] = moments(i, t);
                value =
                    inverter.noise(value,
                                   mean,
                                   std,
                                   fmt::format("{}, stage {}", name(i), calendar.stages[at(t)].id));
            }
        }
    }
    inverter.report(problems);
}

int place_in(const std::vector<int>& list, int entity) {
    const auto found = std::ranges::find(list, entity);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// Entities that the scenarios do not speak of stay at their mean.
template <typename Moments>
void fill_unnamed(const std::vector<int>& entities,
                  const std::vector<ExternalValue>& rows,
                  Moments moments,
                  NoiseLibrary& library) {
    std::set<int> named;
    for (const ExternalValue& row : rows) {
        named.insert(row.entity);
    }
    for (int i = 0; i < library.width; ++i) {
        for (int s = 0; !named.contains(entities[at(i)]) && s < library.scenarios; ++s) {
            for (int t = 0; t < library.stages; ++t) {
                library.noise(s, t)[at(i)] = moments(i, t).first;
            }
        }
    }
}

template <typename Moments, typename Name>
NoiseLibrary external_class(const Calendar& calendar,
                            const std::vector<int>& entities,
                            const std::vector<ExternalValue>& rows,
                            const char* subject,
                            Moments moments,
                            Name name,
                            Problems& problems) {
    const std::size_t before = problems.error_count();
    check_stages(calendar, rows, subject, problems);
    if (problems.error_count() > before) {
        return {};
    }
    NoiseLibrary library =
        place_rows(calendar, rows, static_cast<int>(entities.size()), [&](int entity) {
            return place_in(entities, entity);
        });
    fill_unnamed(entities, rows, moments, library);
    check_complete(calendar, library, subject, name, problems);
    if (problems.error_count() == before) {
        standardise(calendar, subject, moments, name, library, problems);
    }
    return library;
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

}  // namespace

std::vector<int> external_counts(const Calendar& calendar, const std::vector<ExternalValue>& rows) {
    std::vector<int> counts(calendar.stages.size(), 0);
    for (const ExternalValue& row : rows) {
        counts[at(row.stage)] = std::max(counts[at(row.stage)], row.scenario + 1);
    }
    return counts;
}

NoiseLibrary external_inflows(const Calendar& calendar,
                              const System& system,
                              const Process& process,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems) {
    const std::size_t before = problems.error_count();
    check_stages(calendar, rows, subject::external_inflow, problems);
    if (problems.error_count() > before) {
        return {};
    }
    NoiseLibrary library =
        place_rows(calendar, rows, process.layout.hydros, [](int hydro) { return hydro; });
    check_complete(
        calendar,
        library,
        subject::external_inflow,
        [&](int h) { return fmt::format("hydro {}", system.hydros[at(h)].id); },
        problems);
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
    const auto bus = [&](int i) -> const Bus& { return system.buses[at(layout.buses[at(i)])]; };
    return external_class(
        calendar,
        layout.buses,
        rows,
        subject::external_load,
        [&](int i, int t) {
            return std::pair(bus(i).mean_load_mw[at(t)], bus(i).load_std_mw[at(t)]);
        },
        [&](int i) { return fmt::format("bus {}", bus(i).id); },
        problems);
}

NoiseLibrary external_sources(const Calendar& calendar,
                              const System& system,
                              const NoiseLayout& layout,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems) {
    const auto source = [&](int i) -> const NonControllable& {
        return system.sources[at(layout.sources[at(i)])];
    };
    return external_class(
        calendar,
        layout.sources,
        rows,
        subject::external_source,
        [&](int i, int t) { return std::pair(source(i).mean[at(t)], source(i).std[at(t)]); },
        [&](int i) { return fmt::format("ncs {}", source(i).id); },
        problems);
}

NoiseLibrary historical_inflows(const Calendar& calendar,
                                const System& system,
                                const Process& process,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years,
                                Problems& problems) {
    const Record past(calendar, system, record);
    std::vector<double> all;
    int scenarios = 0;
    for (int year = past.first_year(); year <= past.last_year(); ++year) {
        const bool is_wanted = years.empty() || std::ranges::count(years, year) > 0;
        const auto inflows = is_wanted ? past.from(year) : std::vector<double>();
        all.insert(all.end(), inflows.begin(), inflows.end());
        scenarios += inflows.empty() ? 0 : 1;
    }
    NoiseLibrary library{scenarios, calendar.stage_count(), process.layout.hydros, std::move(all)};
    if (scenarios == 0) {
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
