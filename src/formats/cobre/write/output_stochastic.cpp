#include <optional>
#include <system_error>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/output.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/output_models.hpp"
#include "formats/cobre/write/tables/stochastic.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

/// Absent input, absent output: a file without rows would mean something else.
template <typename Statement>
void write_statements(const std::filesystem::path& output,
                      const TableDefinition<OfHydro<Statement>>& definition,
                      const std::optional<std::vector<Statement>>& statements,
                      const sddp::Problem& problem) {
    if (!statements) {
        remove_table(output, definition);
        return;
    }
    const auto& hydros = problem.system.hydros;
    std::vector<OfHydro<Statement>> rows;
    for (const Statement& statement : *statements) {
        rows.push_back({hydros[at(statement.hydro)].id, &statement});
    }
    write_table(output, definition, rows);
}

std::vector<OpeningRow> opening_rows(const sddp::Problem& problem) {
    const sddp::OpeningTree& tree = problem.process.tree;
    std::vector<OpeningRow> rows;
    for (int t = 0; t < problem.stage_count(); ++t) {
        for (int opening = 0; opening < tree.count[at(t)]; ++opening) {
            const auto noise = tree.noise(t, opening);
            for (int entity = 0; entity < tree.dimension; ++entity) {
                rows.push_back(
                    {problem.calendar.stages[at(t)].id, opening, entity, noise[at(entity)]});
            }
        }
    }
    return rows;
}

std::vector<LoadRow> load_rows(const sddp::Problem& problem) {
    std::vector<LoadRow> rows;
    for (const sddp::Bus& bus : problem.system.buses) {
        for (std::size_t t = 0; t < problem.calendar.stages.size(); ++t) {
            rows.push_back(
                {bus.id, problem.calendar.stages[t].id, bus.mean_load_mw[t], bus.load_std_mw[t]});
        }
    }
    return rows;
}

constexpr const char* correlation_file = "correlation.json";
constexpr const char* report_file = "fitting_report.json";

}  // namespace

void clear_stochastic(const std::filesystem::path& output) {
    remove_table(output, noise_openings_table());
    remove_table(output, inflow_statistics_table());
    remove_table(output, ar_coefficients_table());
    remove_table(output, annual_component_table());
    remove_table(output, load_statistics_table());
    const std::filesystem::path folder = output / "stochastic";
    remove_file(folder / correlation_file);
    remove_file(folder / report_file);
    std::error_code not_empty;
    std::filesystem::remove(folder, not_empty);
}

void write_stochastic(const std::filesystem::path& output, const sddp::Problem& problem) {
    const sddp::ProcessData& data = problem.process.resolved;
    write_table(output, noise_openings_table(), opening_rows(problem));
    write_statements(output, inflow_statistics_table(), data.statistics, problem);
    write_statements(output, ar_coefficients_table(), data.coefficients, problem);
    write_statements(output, annual_component_table(), data.annual, problem);
    write_table(output, load_statistics_table(), load_rows(problem));
    const std::filesystem::path folder = output / "stochastic";
    if (data.correlation) {
        write_json(folder / correlation_file, correlation(problem, *data.correlation));
    } else {
        remove_file(folder / correlation_file);
    }
    write_json(folder / report_file, fitting_report(problem));
}

}  // namespace lockstep::formats::cobre
