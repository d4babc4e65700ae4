#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/output_metadata.hpp"
#include "formats/cobre/write/output_simulation_shape.hpp"
#include "formats/cobre/write/tables_simulation.hpp"
#include "formats/cobre/write/tables_solver.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

void remove_folder(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error)
        throw IoError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()),
                      IoError::Direction::write);
}

// The policy graph is a chain: every scenario passes every stage.
std::vector<PathRow> path_rows(std::size_t scenarios, int stages) {
    std::vector<PathRow> rows;
    for (std::size_t scenario = 0; scenario < scenarios; ++scenario)
        for (int stage = 0; stage < stages; ++stage)
            rows.push_back({static_cast<int>(scenario), stage});
    return rows;
}

std::vector<SolverRow> solver_rows(const std::vector<sddp::PhaseReport>& work) {
    std::vector<SolverRow> rows;
    for (std::size_t scenario = 0; scenario < work.size(); ++scenario)
        rows.push_back(
            {{}, static_cast<std::int32_t>(scenario), "simulation", {}, {}, {}, work[scenario]});
    return rows;
}

}  // namespace

void clear_simulation(const std::filesystem::path& output) {
    const std::filesystem::path folder = output / "simulation";
    remove_marks(folder);
    remove_table(output, scenario_summary_table());
    remove_table(output, paths_table());
    remove_table(output, simulation_solver_tables().iterations);
    remove_table(output, simulation_solver_tables().retries);
    for (const SimulationTable& table : simulation_tables())
        remove_folder(output / table.definition.file());
}

class SimulationWriter::Impl {
public:
    Impl(std::filesystem::path output, const sddp::Problem& problem)
        : output_(std::move(output)), facts_(problem) {
        for (const SimulationTable& table : simulation_tables())
            if (table.exists(problem))
                tables_.push_back({&table, table.definition.schema()});
    }

    void add(const sddp::ScenarioResult& scenario) {
        for (const sddp::StageResult& stage : scenario.stages)
            check_shape(*facts_.problem, stage);
        for (Open& table : tables_)
            write(table, scenario);
    }

    void sync() const {
        const std::filesystem::path folder = output_ / "simulation";
        io::make_folder(folder);
        io::sync_folder(folder);
    }

    io::Json finish(const Case& input,
                    const sddp::SimulateResult& result,
                    const RunInfo& run) const {
        sync();
        const std::filesystem::path folder = output_ / "simulation";
        std::vector<ScenarioSummaryRow> summary;
        for (std::size_t i = 0; i < result.total_cost.size(); ++i)
            summary.push_back({static_cast<int>(i), result.total_cost[i]});
        write_table(output_, scenario_summary_table(), summary);
        write_table(output_,
                    paths_table(),
                    path_rows(result.total_cost.size(), facts_.problem->stage_count()));
        const std::vector<SolverRow> work = solver_rows(result.scenario_work);
        write_table(output_, simulation_solver_tables().iterations, work);
        write_table(output_, simulation_solver_tables().retries, retry_rows(work));
        auto metadata = simulation_metadata(input, *facts_.problem, result, run);
        write_marks(folder, metadata);
        return metadata;
    }

private:
    /// A table and its columns, whose memory serves scenario after scenario.
    struct Open {
        const SimulationTable* table;
        io::Table columns;
    };

    void write(Open& open, const sddp::ScenarioResult& scenario) {
        rows_.clear();
        for (const sddp::StageResult& stage : scenario.stages)
            open.table->rows({&facts_, &stage, scenario.scenario, 0, 0}, rows_);
        clear_rows(open.columns);
        open.table->definition.append(rows_, open.columns);
        io::write_parquet(
            output_ / open.table->definition.file() / partition(scenario.scenario) / "data.parquet",
            open.columns,
            {},
            io::Durability::later);
    }

    std::filesystem::path output_;
    SimulationFacts facts_;
    std::vector<Open> tables_;
    std::vector<SimulationRow> rows_;
};

SimulationWriter::SimulationWriter(std::filesystem::path output, const sddp::Problem& problem)
    : impl_(std::make_unique<Impl>(std::move(output), problem)) {}
SimulationWriter::~SimulationWriter() = default;
SimulationWriter::SimulationWriter(SimulationWriter&&) noexcept = default;
SimulationWriter& SimulationWriter::operator=(SimulationWriter&&) noexcept = default;

void SimulationWriter::add(const sddp::ScenarioResult& scenario) {
    impl_->add(scenario);
}

void SimulationWriter::sync() {
    impl_->sync();
}

io::Json SimulationWriter::finish(const Case& input,
                                  const sddp::SimulateResult& result,
                                  const RunInfo& run) {
    return impl_->finish(input, result, run);
}

}  // namespace lockstep::formats::cobre
