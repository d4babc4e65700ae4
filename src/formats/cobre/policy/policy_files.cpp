#include "lockstep/formats/cobre/policy_files.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/policy/policy_files_manifest.hpp"
#include "formats/cobre/policy/policy_files_tables.hpp"
#include "formats/cobre/write/output_files.hpp"
#include "formats/records/column_conversion.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/units.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

void check_cuts(const sddp::StageCuts& cuts, int state_size, std::size_t stage) {
    const std::size_t n = cuts.intercept.size();
    const bool fits = cuts.iteration.size() == n && cuts.trajectory.size() == n &&
                      cuts.active.size() == n && cuts.slopes.size() == cuts.size();
    if (!fits || (n > 0 && cuts.slopes.width() != state_size)) {
        throw AssertionError(fmt::format("cuts of stage {} do not fit the problem", stage));
    }
}

std::vector<CutRow> cut_rows(const sddp::StageCuts& cuts, int stage_id) {
    std::vector<CutRow> rows;
    for (std::size_t cut = 0; cut < cuts.intercept.size(); ++cut) {
        rows.push_back({&cuts, stage_id, cut});
    }
    return rows;
}

/// A file of cuts that is taken apart column by column.
class CutFile {
public:
    CutFile(const std::filesystem::path& path, std::int64_t expected)
        : file_(path.string()), table_(io::read_parquet(path)) {
        if (static_cast<std::int64_t>(table_.rows()) != expected) {
            throw InputError(
                fmt::format("{}: {} cuts, the manifest says {}", file_, table_.rows(), expected));
        }
    }

    /// Values of a column; numbers may be of any type that holds them.
    template <typename T>
    std::vector<T> take(std::string_view name) {
        io::Column& column = find(name);
        if (auto* values = std::get_if<std::vector<T>>(&column.values)) {
            return std::move(*values);
        }
        io::Column converted{column.name, std::vector<T>{}, column.nullable, column.present};
        if (!is_numeric(column) || !is_numeric(converted)) {
            wrong(name, fmt::format("is of type {}", io::type_name(column)));
        }
        if (const auto misfit = convert_numbers(column, converted)) {
            wrong(name, misfit->row, fmt::format("{} is not allowed", misfit->value));
        }
        return std::get<std::vector<T>>(std::move(converted.values));
    }
    /// The same, each within a range.
    template <typename T>
    std::vector<T> take(std::string_view name, const Range& range) {
        auto values = take<T>(name);
        for (std::size_t row = 0; row < values.size(); ++row) {
            check(name, row, static_cast<double>(values[row]), range);
        }
        return values;
    }
    void check(std::string_view name, std::size_t row, double value, const Range& range) const {
        if (!range.holds(value)) {
            wrong(name, row, out_of_range(value, range));
        }
    }

    [[noreturn]] void wrong(std::string_view name, std::size_t row, std::string_view what) const {
        wrong(fmt::format("{}, column", row_name(row)), name, what);
    }

private:
    [[noreturn]] void wrong(std::string_view name, std::string_view what) const {
        wrong("column", name, what);
    }
    [[noreturn]] void wrong(std::string_view place,
                            std::string_view name,
                            std::string_view what) const {
        throw InputError(fmt::format("{}: {} \"{}\": {}", file_, place, name, what));
    }

    io::Column& find(std::string_view name) {
        const auto found = std::find_if(table_.columns.begin(),
                                        table_.columns.end(),
                                        [&](const io::Column& c) { return c.name == name; });
        if (found == table_.columns.end()) {
            wrong(name, "is missing");
        }
        for (std::size_t row = 0; row < found->size(); ++row) {
            if (!found->is_present(row)) {
                wrong(name, row, "null where a value is required");
            }
        }
        return *found;
    }

    std::string file_;
    io::Table table_;
};

sddp::CutSlopes empty_slopes(const sddp::Problem& problem) {
    return sddp::CutSlopes(problem.states());
}

constexpr Range money{-largest_money, largest_money};

void add_slopes(const std::vector<std::vector<double>>& rows,
                const CutFile& file,
                sddp::CutSlopes& slopes) {
    slopes.reserve(static_cast<int>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != static_cast<std::size_t>(slopes.width())) {
            file.wrong(
                "coefficients",
                i,
                fmt::format(
                    "{} coefficients, the state has {} variables", rows[i].size(), slopes.width()));
        }
        for (const double slope : rows[i]) {
            file.check("coefficients", i, slope, money);
        }
        slopes.add(rows[i]);
    }
}

/// Files that were exchanged would be cuts of another stage's future.
void check_stage(const std::vector<std::int32_t>& ids, int expected, const CutFile& file) {
    for (std::size_t row = 0; row < ids.size(); ++row) {
        if (ids[row] != expected) {
            file.wrong("stage_id",
                       row,
                       fmt::format("the cut is of stage {}, must be of {}", ids[row], expected));
        }
    }
}

sddp::StageCuts read_cuts(const std::filesystem::path& path,
                          const sddp::Problem& problem,
                          int stage_id,
                          std::int64_t expected) {
    CutFile file(path, expected);
    check_stage(file.take<std::int32_t>("stage_id"), stage_id, file);
    sddp::StageCuts cuts;
    cuts.slopes = empty_slopes(problem);
    cuts.iteration = file.take<std::int32_t>("iteration", at_least(0));
    cuts.trajectory = file.take<std::int32_t>("trajectory", at_least(0));
    cuts.intercept = file.take<double>("intercept", money);
    cuts.active = file.take<std::uint8_t>("active");
    add_slopes(file.take<std::vector<double>>("coefficients"), file, cuts.slopes);
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

int stage_id(const sddp::Problem& problem, std::size_t node) {
    return problem.calendar.stages[at(problem.stage_of(static_cast<int>(node)))].id;
}

/// A file a node; those of the last stage, which are the last ones, have no cuts and no file.
std::size_t cut_files(const sddp::Problem& problem) {
    std::size_t files = 0;
    while (files < at(problem.node_count()) &&
           problem.stage_of(static_cast<int>(files)) + 1 < problem.stage_count()) {
        ++files;
    }
    return files;
}

}  // namespace

void write_policy(const std::filesystem::path& directory,
                  const sddp::Problem& problem,
                  const sddp::Policy& policy,
                  const PolicyInfo& info) {
    remove_file(directory / manifest_name);
    const auto files = cut_files(problem);
    for (std::size_t t = 0; t < policy.stages.size(); ++t) {
        check_cuts(policy.stages[t], problem.state_size(), t);
        if (t < files) {
            io::write_parquet(cuts_path(directory, t),
                              cuts_table().table(cut_rows(policy.stages[t], stage_id(problem, t))));
        }
    }
    for (std::size_t t = 0; t < policy.starts.size(); ++t) {
        write_start(directory, t, policy.starts[t]);
    }
    write_json(directory / manifest_name, to_manifest(problem, policy, info));
}

sddp::Policy read_policy(const std::filesystem::path& directory, const sddp::Problem& problem) {
    const std::string file = (directory / manifest_name).string();
    const io::Json manifest = read_manifest(directory);
    check_manifest(manifest, problem, file);
    const std::vector<std::int64_t> counts = cut_counts(manifest, file);
    sddp::Policy policy;
    policy.stages.resize(at(problem.node_count()));
    const auto files = cut_files(problem);
    for (std::size_t t = 0; t < files; ++t) {
        policy.stages[t] =
            read_cuts(cuts_path(directory, t), problem, stage_id(problem, t), counts[t]);
    }
    if (has_starts(manifest)) {
        for (std::size_t t = 0; t < policy.stages.size(); ++t) {
            policy.starts.push_back(read_start(directory, t));
        }
    }
    return policy;
}

PolicyInfo read_policy_info(const std::filesystem::path& directory) {
    return to_info(read_manifest(directory), (directory / manifest_name).string());
}

}  // namespace lockstep::formats::cobre
