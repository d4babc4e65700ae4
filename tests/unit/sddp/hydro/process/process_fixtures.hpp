#pragma once

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

#include "support/places.hpp"

namespace lockstep::sddp {

inline Date day(int year, unsigned month, unsigned day_of_month = 1) {
    return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) /
                                 std::chrono::day(day_of_month));
}

/// The first of the month `months` after the given one.
inline Date month_later(int year, unsigned month, int months) {
    const auto start = std::chrono::year(year) / std::chrono::month(month);
    return std::chrono::sys_days((start + std::chrono::months(months)) / 1);
}

inline std::vector<Season> monthly_seasons() {
    std::vector<Season> seasons;
    for (unsigned month = 1; month <= 12; ++month) {
        seasons.push_back({static_cast<int>(month) - 1, "", month, 1, month, 31});
    }
    return seasons;
}

/// Calendar months in a row, seasons 0 (January) to 11, one block of 730 h.
inline Calendar monthly_calendar(int year, unsigned month, int stages, int openings = 1) {
    Calendar calendar;
    calendar.cycle = SeasonCycle::monthly;
    calendar.seasons = monthly_seasons();
    for (int t = 0; t < stages; ++t) {
        Stage stage;
        stage.id = t;
        stage.start = month_later(year, month, t);
        stage.end = month_later(year, month, t + 1);
        stage.season = (static_cast<int>(month) - 1 + t) % 12;
        stage.blocks = {{"all", 730}};
        stage.openings = openings;
        calendar.stages.push_back(stage);
    }
    return calendar;
}

/// Plants with the ids 0, 1, …
inline System hydro_system(int hydros) {
    System system;
    for (int h = 0; h < hydros; ++h) {
        Hydro hydro;
        hydro.id = h;
        hydro.name = "plant " + std::to_string(h);
        system.hydros.push_back(hydro);
    }
    return system;
}

/// The numbers of each line of a file in tests/unit/sddp/hydro/process/data.
inline std::vector<std::vector<double>> read_numbers(const std::string& name) {
    std::ifstream file(test::source_dir() / "tests/unit/sddp/hydro/process/data" / name);
    if (!file) {
        throw std::runtime_error("cannot open " + name);
    }
    std::vector<std::vector<double>> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        rows.emplace_back();
        for (double value = 0; words >> value;) {
            rows.back().push_back(value);
        }
    }
    return rows;
}

/// Monthly observations from lines of hydro, year, month, value.
inline std::vector<InflowObservation> read_history(const std::string& name) {
    std::vector<InflowObservation> result;
    for (const std::vector<double>& row : read_numbers(name)) {
        const auto year = static_cast<int>(row[1]);
        const auto month = static_cast<unsigned>(row[2]);
        result.push_back(
            {static_cast<int>(row[0]), day(year, month), month_later(year, month, 1), row[3]});
    }
    return result;
}

/// An observation of a whole month.
inline InflowObservation observed(int hydro, int year, unsigned month, double value) {
    return {hydro, day(year, month), month_later(year, month, 1), value};
}

/// All problems, one a line: what a failed expectation should show.
inline std::string listing(const Problems& problems) {
    std::string text;
    for (const auto& problem : problems.all()) {
        text += to_string(problem) + "\n";
    }
    return text;
}

inline Process build(const Calendar& calendar, const System& system, const ProcessData& data) {
    Problems problems;
    Process process = build_process(calendar, system, data, problems);
    if (problems.has_errors()) {
        throw std::runtime_error(listing(problems));
    }
    return process;
}

}  // namespace lockstep::sddp
