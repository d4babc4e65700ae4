#include <vector>

#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/write/output_dictionaries.hpp"
#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/output_metadata.hpp"
#include "formats/cobre/write/output_models.hpp"
#include "formats/cobre/write/output_resolved.hpp"
#include "formats/cobre/write/tables/solver.hpp"
#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

using Reports = std::vector<sddp::IterationReport>;

std::vector<ConvergenceRow> convergence_rows(const Reports& reports, int forward_passes) {
    std::vector<ConvergenceRow> rows;
    std::int64_t before =
        reports.empty() ? 0 : reports.front().cuts_active - reports.front().cuts_added;
    for (const sddp::IterationReport& report : reports) {
        rows.push_back({&report, forward_passes, before + report.cuts_added - report.cuts_active});
        before = report.cuts_active;
    }
    return rows;
}

// Iteration by iteration: a long run on a large case has millions of rows.
void write_solver_tables(const std::filesystem::path& output,
                         const Reports& reports,
                         const sddp::Calendar& calendar) {
    const SolverTables& tables = training_solver_tables();
    io::Table iterations = tables.iterations.schema();
    std::vector<RetryRow> retries;
    for (const sddp::IterationReport& report : reports) {
        const std::vector<SolverRow> work = solver_rows(report, calendar);
        tables.iterations.append(work, iterations);
        const std::vector<RetryRow> retried = retry_rows(work);
        retries.insert(retries.end(), retried.begin(), retried.end());
    }
    io::write_parquet(output / (tables.iterations.file() + ".parquet"), iterations);
    write_table(output, tables.retries, retries);
}

std::vector<RankRow> rank_rows(const Reports& reports) {
    std::vector<RankRow> rows;
    for (const sddp::IterationReport& report : reports) {
        for (std::size_t rank = 0; rank < report.ranks.size(); ++rank) {
            rows.push_back({report.iteration, static_cast<int>(rank), &report.ranks[rank]});
        }
    }
    return rows;
}

std::vector<CutSelectionRow> cut_selection_rows(const Reports& reports,
                                                const sddp::Problem& problem,
                                                bool has_budget) {
    std::vector<CutSelectionRow> rows;
    for (const sddp::IterationReport& report : reports) {
        for (const sddp::SelectionReport& node : report.selection) {
            const int stage = problem.stage_of(node.node);
            rows.push_back(
                {report.iteration, problem.calendar.stages[at(stage)].id, has_budget, &node});
        }
    }
    return rows;
}

void write_tables(const std::filesystem::path& output,
                  const Reports& reports,
                  const sddp::Problem& problem,
                  const sddp::TrainOptions& options) {
    write_table(output, convergence_table(), convergence_rows(reports, options.forward_passes));
    const auto selected = cut_selection_rows(reports, problem, options.selection.most_selected > 0);
    if (options.inner.every > 0) {
        write_table(output, inner_bound_table(), reports);
    }
    if (options.policy_cost.every > 0) {
        write_table(output, policy_cost_table(), reports);
    }
    if (!selected.empty()) {
        write_table(output, cut_selection_table(), selected);
    }
    write_table(output, timing_table(), reports);
    write_table(output, rank_table(), rank_rows(reports));
    write_solver_tables(output, reports, problem.calendar);
}

void write_dictionaries(const std::filesystem::path& output, const sddp::Problem& problem) {
    const std::filesystem::path folder = output / "training" / "dictionaries";
    write_json(folder / "codes.json", codes());
    io::write_file(folder / "entities.csv", entities_csv(problem.system));
    io::write_file(folder / "variables.csv", variables_csv());
    write_table(output, bounds_table(), bound_rows(problem));
    write_json(folder / "state_dictionary.json", state_dictionary(problem));
}

}  // namespace

void clear_training(const std::filesystem::path& output) {
    remove_marks(output / "training");
}

io::Json write_training(const std::filesystem::path& output,
                        const CaseFacts& input,
                        const sddp::Problem& problem,
                        const sddp::TrainResult& result,
                        const RunInfo& run) {
    const std::filesystem::path folder = output / "training";
    remove_marks(folder);
    write_tables(output, result.iterations, problem, input.config.train);
    write_dictionaries(output, problem);
    write_resolved(output, input, problem);
    write_json(folder / "scaling_report.json", scaling_report(result, problem.calendar));
    write_json(folder / "hydro_models.json", hydro_models(input, problem));
    write_json(folder / "model_provenance.json", model_provenance(problem));
    if (input.config.export_stochastic) {
        write_stochastic(output, problem);
    }
    auto metadata = training_metadata(input, problem, result, run);
    write_marks(folder, metadata);
    return metadata;
}

}  // namespace lockstep::formats::cobre
