#include "formats/cobre/results/results_training.hpp"

#include <cmath>
#include <string>

#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre {

namespace fs = std::filesystem;

namespace {

fs::path convergence_path(const fs::path& directory) {
    return directory / (out::convergence_table().file() + ".parquet");
}

}  // namespace

io::Table read_convergence(const fs::path& directory) {
    return io::read_parquet(convergence_path(directory));
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::out {

std::vector<IterationRecord> read_iterations(const fs::path& directory) {
    const io::Table table = read_convergence(directory);
    const std::string file = convergence_path(directory).string();
    const auto of = [&](const char* name) { return numbers(table, name, file); };
    const auto iteration = of("iteration");
    const auto lower = of("lower_bound");
    const auto upper = of("upper_bound");
    const auto std = of("upper_bound_std");
    const auto gap = of("gap_percent");
    const auto passes = of("forward_passes");
    const auto cuts = of("cuts_active");
    const auto solves = of("lp_solves");
    const auto rows = of("mean_rows_in_lp");
    const auto forward = of("time_forward_ms");
    const auto backward = of("time_backward_ms");
    const auto total = of("time_total_ms");
    std::vector<IterationRecord> records;
    for (std::size_t i = 0; i < iteration.size(); ++i) {
        records.push_back({static_cast<int>(iteration[i]),
                           lower[i],
                           upper[i],
                           std[i],
                           gap[i] / 100,
                           static_cast<int>(passes[i]),
                           static_cast<std::int64_t>(cuts[i]),
                           static_cast<std::int64_t>(solves[i]),
                           rows[i],
                           forward[i] / 1e3,
                           backward[i] / 1e3,
                           total[i] / 1e3});
    }
    return records;
}

namespace {

std::vector<EvaluationRecord> read_evaluations(const fs::path& path,
                                               const char* value_name,
                                               const char* width_name) {
    if (!io::is_there(path)) {
        return {};
    }
    const io::Table table = io::read_parquet(path);
    const auto of = [&](const char* name) { return numbers(table, name, path.string()); };
    const auto iteration = of("iteration");
    const auto value = of(value_name);
    const auto time = of("time_ms");
    const auto width = width_name == nullptr ? std::vector<double>(value.size()) : of(width_name);
    std::vector<EvaluationRecord> records;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (time[i] > 0 && std::isfinite(value[i])) {
            records.push_back({static_cast<int>(iteration[i]), value[i], width[i]});
        }
    }
    return records;
}

}  // namespace

std::vector<EvaluationRecord> read_inner_bounds(const fs::path& directory) {
    return read_evaluations(
        directory / (inner_bound_table().file() + ".parquet"), "inner_bound", nullptr);
}

std::vector<EvaluationRecord> read_policy_costs(const fs::path& directory) {
    return read_evaluations(
        directory / (policy_cost_table().file() + ".parquet"), "policy_cost", "half_width_95");
}

std::vector<RankRecord> read_ranks(const fs::path& directory) {
    const fs::path path = directory / (rank_table().file() + ".parquet");
    if (!io::is_there(path)) {
        return {};
    }
    const io::Table table = io::read_parquet(path);
    const auto of = [&](const char* name) { return numbers(table, name, path.string()); };
    const auto iteration = of("iteration");
    const auto rank = of("rank");
    const auto compute = of("compute_ms");
    const auto communication = of("communication_ms");
    const auto wait = of("wait_ms");
    const auto io = of("io_ms");
    std::vector<RankRecord> records;
    for (std::size_t i = 0; i < rank.size(); ++i) {
        records.push_back({static_cast<int>(iteration[i]),
                           static_cast<int>(rank[i]),
                           compute[i] / 1e3,
                           communication[i] / 1e3,
                           wait[i] / 1e3,
                           io[i] / 1e3});
    }
    return records;
}

std::optional<ProvenanceRecord> read_provenance(const fs::path& directory) {
    const fs::path path = directory / "training" / "model_provenance.json";
    if (!io::is_there(path)) {
        return std::nullopt;
    }
    return provenance_record(io::read_json(path));
}

}  // namespace lockstep::formats::cobre::out
