#include "lockstep/formats/cobre/policy_files.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/policy/policy_files_manifest.hpp"
#include "formats/cobre/policy/policy_files_tables.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

void check_cuts(const sddp::StageCuts& cuts, int state_size, std::size_t stage) {
    const std::size_t n = cuts.intercept.size();
    const bool fits = cuts.iteration.size() == n && cuts.trajectory.size() == n &&
                      cuts.active.size() == n && cuts.slopes.size() == cuts.size();
    if (!fits || (n > 0 && cuts.slopes.width() != state_size))
        throw AssertionError(fmt::format("cuts of stage {} do not fit the problem", stage));
}

std::vector<CutRow> cut_rows(const sddp::StageCuts& cuts) {
    std::vector<CutRow> rows;
    for (std::size_t cut = 0; cut < cuts.intercept.size(); ++cut)
        rows.push_back({&cuts, cut});
    return rows;
}

/// Values of a column that must be there in the schema's type.
template <typename T>
std::vector<T> take(io::Table& table, std::string_view name, const std::string& file) {
    for (io::Column& column : table.columns)
        if (column.name == name) {
            if (auto* values = std::get_if<std::vector<T>>(&column.values))
                return std::move(*values);
            throw InputError(
                fmt::format("{}: column \"{}\" is of type {}", file, name, io::type_name(column)));
        }
    throw InputError(fmt::format("{}: column \"{}\" is missing", file, name));
}

sddp::CutSlopes empty_slopes(const sddp::Problem& problem) {
    return {problem.hydro_count(), problem.process.inflow.lags};
}

void add_slopes(const std::vector<std::vector<double>>& rows,
                const std::string& file,
                sddp::CutSlopes& slopes) {
    slopes.reserve(static_cast<int>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != static_cast<std::size_t>(slopes.width()))
            throw InputError(fmt::format("{}: row {}: {} coefficients, the state has {} variables",
                                         file,
                                         i,
                                         rows[i].size(),
                                         slopes.width()));
        slopes.add(rows[i]);
    }
}

sddp::StageCuts read_cuts(const std::filesystem::path& path,
                          const sddp::Problem& problem,
                          std::int64_t expected) {
    const std::string file = path.string();
    io::Table table = io::read_parquet(path);
    if (static_cast<std::int64_t>(table.rows()) != expected)
        throw InputError(
            fmt::format("{}: {} cuts, the manifest says {}", file, table.rows(), expected));
    sddp::StageCuts cuts;
    cuts.slopes = empty_slopes(problem);
    cuts.iteration = take<std::int32_t>(table, "iteration", file);
    cuts.trajectory = take<std::int32_t>(table, "trajectory", file);
    cuts.intercept = take<double>(table, "intercept", file);
    cuts.active = take<std::uint8_t>(table, "active", file);
    add_slopes(take<std::vector<double>>(table, "coefficients", file), file, cuts.slopes);
    return cuts;
}

void write_start(const std::filesystem::path& directory,
                 std::size_t stage,
                 const std::vector<std::byte>& start) {
    std::string content(start.size(), '\0');
    std::ranges::transform(
        start, content.begin(), [](std::byte b) { return static_cast<char>(b); });
    io::write_file(start_path(directory, stage), content);
}

std::vector<std::byte> read_start(const std::filesystem::path& directory, std::size_t stage) {
    const std::string content = io::read_file(start_path(directory, stage));
    std::vector<std::byte> start(content.size());
    std::ranges::transform(
        content, start.begin(), [](char c) { return static_cast<std::byte>(c); });
    return start;
}

/// The last stage has no cuts and no file.
std::size_t cut_files(const sddp::Problem& problem) {
    return problem.calendar.stages.empty() ? 0 : problem.calendar.stages.size() - 1;
}

}  // namespace

void write_policy(const std::filesystem::path& directory,
                  const sddp::Problem& problem,
                  const sddp::Policy& policy,
                  const PolicyInfo& info) {
    remove_file(directory / manifest_name);
    for (std::size_t t = 0; t < policy.stages.size(); ++t) {
        check_cuts(policy.stages[t], problem.state_size(), t);
        if (t < cut_files(problem))
            io::write_parquet(cuts_path(directory, t),
                              cuts_table().table(cut_rows(policy.stages[t])));
    }
    for (std::size_t t = 0; t < policy.starts.size(); ++t)
        write_start(directory, t, policy.starts[t]);
    write_json(directory / manifest_name, to_manifest(problem, policy, info));
}

sddp::Policy read_policy(const std::filesystem::path& directory, const sddp::Problem& problem) {
    const std::string file = (directory / manifest_name).string();
    const io::Json manifest = read_manifest(directory);
    check_manifest(manifest, problem, file);
    const std::vector<std::int64_t> counts = cut_counts(manifest, file);
    sddp::Policy policy;
    policy.stages.resize(problem.calendar.stages.size());
    for (std::size_t t = 0; t < cut_files(problem); ++t)
        policy.stages[t] = read_cuts(cuts_path(directory, t), problem, counts[t]);
    if (has_starts(manifest))
        for (std::size_t t = 0; t < policy.stages.size(); ++t)
            policy.starts.push_back(read_start(directory, t));
    return policy;
}

PolicyInfo read_policy_info(const std::filesystem::path& directory) {
    return to_info(read_manifest(directory), (directory / manifest_name).string());
}

}  // namespace lockstep::formats::cobre
