#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/io/table.hpp"

#include "unit/formats/results_fixture.hpp"

namespace lockstep::formats::cobre::test {

namespace fs = std::filesystem;

/// "name type" of every column, with ? for nullable ones.
inline std::vector<std::string> schema(const fs::path& path) {
    std::vector<std::string> out;
    for (const io::Column& column : io::read_parquet(path).columns) {
        out.push_back(column.name + " " + std::string(io::type_name(column)) +
                      (column.nullable ? "?" : ""));
    }
    return out;
}

template <typename T>
std::vector<T> values(const io::Table& table, const std::string& name) {
    const io::Column* column = table.find(name);
    if (column == nullptr) {
        throw std::runtime_error("no column " + name);
    }
    return std::get<std::vector<T>>(column->values);
}

inline std::vector<double> reals(const io::Table& table, const std::string& name) {
    return values<double>(table, name);
}

/// Files below a folder, relative, sorted.
inline std::vector<std::string> files(const fs::path& folder) {
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            out.insert(fs::relative(entry.path(), folder).string());
        }
    }
    return {out.begin(), out.end()};
}

inline void write_simulation(const fs::path& output,
                             const sddp::Problem& problem,
                             const SimulationFiles& files = {}) {
    clear_simulation(output);
    SimulationWriter writer(output, problem, files);
    writer.add(scenario_result(problem, 0));
    writer.add(scenario_result(problem, 1));
    writer.finish(input(), simulation(), run_info());
    writer.tidy();
}

}  // namespace lockstep::formats::cobre::test
