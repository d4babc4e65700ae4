#include "lockstep/formats/rl/solution.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/records/field_writer.hpp"
#include "formats/records/record_file.hpp"
#include "formats/rl/bounded_fields.hpp"
#include "formats/rl/columns_of.hpp"
#include "formats/rl/environment_fields.hpp"

namespace lockstep::formats::rl {
namespace {

namespace fs = std::filesystem;
using lockstep::rl::Solution;

constexpr int format_version = 1;
constexpr int indent = 2;
constexpr std::ptrdiff_t rows_at_once = 131'072;

struct RecordFields {
    int version = format_version;
    SolutionRecord record;
    EnvironmentFields environment;
    std::optional<BoundedFields> start;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("environment", environment, {"What was solved"});
        f.required("criterion", record.criterion, {"total, horizon or average", "total"});
        f.required("method", record.method, {"How values were found", "automatic"});
        f.required("discount_factor", record.discount_factor, {"Of a step", "0.99"});
        f.required("horizon", record.horizon, {"Steps; 0: none", "0"});
        f.required("tolerance", record.tolerance, {"Half the distance of the bounds", "1e-9"});
        f.required("tie_tolerance", record.tie_tolerance, {"Share of a value", "1e-9"});
        f.required("ending", record.ending, {"Why the work ended", "proven"});
        f.required("sweeps", record.sweeps, {"Over all states or pairs", "100"});
        f.required("half_width", record.half_width, {"In the worst state", "1e-10"});
        f.optional("start", start, {"Mean over the starts"});
        f.required("choices", record.choices, {"States with a choice", "11"});
        f.required("ties", record.ties, {"Of these, with several best actions", "2"});
        f.required("undefined", record.undefined, {"States without a finite value", "0"});
        f.required("seconds", record.seconds, {"Time", "0.1"});
        f.required("digest", record.digest, {"Of the values and actions", ""});
    }
};

fs::path folder_of(const fs::path& output) {
    return output / "solution";
}

io::Table schema_of(const Solution& solution, const Names& names) {
    io::Table table{{{"state", std::vector<std::int32_t>{}},
                     {"value", std::vector<double>{}},
                     {"lower", std::vector<double>{}},
                     {"upper", std::vector<double>{}},
                     {"action", std::vector<std::int32_t>{}, true},
                     {"best", std::vector<std::vector<double>>{}}}};
    if (!solution.bias.empty()) {
        table.columns.push_back({"bias", std::vector<double>{}});
    }
    if (!names.states.empty()) {
        table.columns.push_back({"state_name", std::vector<std::string>{}});
    }
    if (!names.actions.empty()) {
        table.columns.push_back({"action_name", std::vector<std::string>{}, true});
    }
    return table;
}

template <typename T>
std::vector<T> slice(const std::vector<T>& values, std::ptrdiff_t begin, std::ptrdiff_t end) {
    return {values.begin() + begin, values.begin() + end};
}

std::vector<std::vector<double>> best_actions(const Solution& solution,
                                              std::ptrdiff_t begin,
                                              std::ptrdiff_t end) {
    const auto actions = std::ssize(solution.optimal) / std::ssize(solution.value);
    std::vector<std::vector<double>> best(at(end - begin));
    for (std::ptrdiff_t s = begin; s < end; ++s) {
        for (std::ptrdiff_t a = 0; a < actions; ++a) {
            if (solution.optimal[at(s * actions + a)] != 0) {
                best[at(s - begin)].push_back(static_cast<double>(a));
            }
        }
    }
    return best;
}

// Of the best actions; where nothing is legal there is no name either.
std::vector<std::string> action_names(const std::vector<std::string>& names,
                                      const std::vector<std::int32_t>& policy) {
    std::vector<std::string> found;
    for (const auto action : policy) {
        found.push_back(action < 0 ? "" : names[at(action)]);
    }
    return found;
}

io::Table rows_of(const Solution& solution,
                  const Names& names,
                  std::ptrdiff_t begin,
                  std::ptrdiff_t end) {
    io::Table table = schema_of(solution, names);
    std::vector<std::int32_t> states;
    std::vector<std::uint8_t> present;
    for (std::ptrdiff_t s = begin; s < end; ++s) {
        states.push_back(static_cast<std::int32_t>(s));
        present.push_back(solution.policy[at(s)] < 0 ? 0 : 1);
    }
    table.columns[0].values = std::move(states);
    table.columns[1].values = slice(solution.value, begin, end);
    table.columns[2].values = slice(solution.lower, begin, end);
    table.columns[3].values = slice(solution.upper, begin, end);
    table.columns[4].values = slice(solution.policy, begin, end);
    table.columns[4].present = present;
    table.columns[5].values = best_actions(solution, begin, end);
    if (!solution.bias.empty()) {
        table.columns[6].values = slice(solution.bias, begin, end);
    }
    for (io::Column& column : table.columns) {
        if (column.name == "state_name") {
            column.values = slice(names.states, begin, end);
        } else if (column.name == "action_name") {
            column.values = action_names(names.actions, slice(solution.policy, begin, end));
            column.present = present;
        }
    }
    return table;
}

void write_values(const fs::path& file, const Solution& solution, const Names& names) {
    io::ParquetWriter writer(file, schema_of(solution, names));
    const auto states = std::ssize(solution.value);
    for (std::ptrdiff_t begin = 0; begin < states; begin += rows_at_once) {
        writer.write(rows_of(solution, names, begin, std::min(states, begin + rows_at_once)));
    }
    writer.close();
}

void write_decisions(const fs::path& file, const Solution& solution, int horizon) {
    using Numbers = std::vector<std::int32_t>;
    const io::Table schema{
        {{"steps_to_go", Numbers{}}, {"state", Numbers{}}, {"action", Numbers{}}}};
    io::ParquetWriter writer(file, schema);
    const auto states = std::ssize(solution.value);
    Numbers numbers(at(states));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::ptrdiff_t t = 0; t < horizon; ++t) {
        io::Table rows = schema;
        rows.columns[0].values = Numbers(at(states), horizon - static_cast<std::int32_t>(t));
        rows.columns[1].values = numbers;
        rows.columns[2].values = slice(solution.decisions, t * states, (t + 1) * states);
        writer.write(rows);
    }
    writer.close();
}

}  // namespace

void write_solution(const fs::path& output,
                    const SolutionRecord& record,
                    const Solution& solution,
                    const Names& names) {
    const auto folder = folder_of(output);
    write_values(folder / "values.parquet", solution, names);
    if (record.horizon > 0) {
        write_decisions(folder / "decisions.parquet", solution, record.horizon);
    }
    io::write_file(folder / "metadata.json", io::to_text(to_json(record), indent) + "\n");
}

Digest digest_of(const Solution& solution) {
    DigestBuilder builder;
    for (const auto* values : {&solution.value, &solution.lower, &solution.upper, &solution.bias}) {
        builder.add(*values);
    }
    builder.add(solution.policy);
    builder.add(solution.decisions);
    builder.add(solution.optimal);
    return builder.digest();
}

SolutionRecord read_solution_record(const fs::path& output) {
    auto file = records::read_record<RecordFields>(folder_of(output) / "metadata.json");
    file.record.environment = std::move(file.environment);
    file.record.start = file.start;
    return std::move(file.record);
}

SolutionValues read_solution_values(const fs::path& output) {
    const auto file = (folder_of(output) / "values.parquet").string();
    const io::Table table = io::read_parquet(file);
    SolutionValues values;
    values.value = column<double>(table, "value", file);
    values.lower = column<double>(table, "lower", file);
    values.upper = column<double>(table, "upper", file);
    values.action = column<std::int32_t>(table, "action", file);
    values.best = column<std::vector<double>>(table, "best", file);
    const io::Column& actions = *table.find("action");
    for (std::size_t s = 0; s < values.action.size(); ++s) {
        values.action[s] = actions.is_present(s) ? values.action[s] : -1;
    }
    return values;
}

io::Json to_json(const SolutionRecord& record) {
    RecordFields file;
    file.record = record;
    file.environment = {record.environment};
    if (record.start) {
        file.start = BoundedFields{*record.start};
    }
    return records::written(file);
}

}  // namespace lockstep::formats::rl
