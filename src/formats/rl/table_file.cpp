#include "lockstep/formats/rl/table_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/npy.hpp"
#include "lockstep/io/table.hpp"

#include "formats/records/field_writer.hpp"
#include "formats/records/record_file.hpp"
#include "formats/rl/environment_fields.hpp"

namespace lockstep::formats::rl {
namespace {

namespace fs = std::filesystem;
using lockstep::rl::ActionMask;
using lockstep::rl::QTable;

constexpr int format_version = 1;
constexpr std::string_view metadata_key = "lockstep.q_table";
constexpr std::int64_t rows_at_once = 131'072;

// Memory that a damaged number of states may ask for: see too_sparse.
constexpr std::int64_t always_allowed_pairs = 10'000'000;
constexpr std::int64_t pairs_a_row = 1'000;

struct RecordFields {
    int version = format_version;
    TableRecord record;
    EnvironmentFields environment;
    std::string fingerprint;
    std::string precision{to_string(lockstep::rl::Precision::f64)};

    template <typename Fields>
    void fields(Fields& f) {
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("environment", environment, {"Where it was learned"});
        f.required("algorithm", record.algorithm, {"That learned it", "q_learning"});
        f.required("discount_factor", record.discount_factor, {"Of a step", "0.99"});
        f.required("transitions", record.transitions, {"It was learned from", "1000000"});
        f.required("digest", record.digest, {"Of the table, as the run told it"});
        f.required("fingerprint", fingerprint, {"Of the rows of the file"});
        f.optional("table_precision", precision, {"That values were stored with", "f64"});
    }
};

std::vector<std::string> names_at(const std::vector<std::string>& names,
                                  const std::vector<std::int32_t>& numbers) {
    std::vector<std::string> found;
    for (const auto number : numbers) {
        found.push_back(names[at(number)]);
    }
    return found;
}

std::vector<io::Column> name_columns(const Names& names,
                                     const std::vector<std::int32_t>& states,
                                     const std::vector<std::int32_t>& actions) {
    std::vector<io::Column> columns;
    if (!names.states.empty()) {
        columns.push_back({"state_name", names_at(names.states, states)});
    }
    if (!names.actions.empty()) {
        columns.push_back({"action_name", names_at(names.actions, actions)});
    }
    return columns;
}

// The columns of the file.
struct Rows {
    std::vector<std::int32_t> states{};
    std::vector<std::int32_t> actions{};
    std::vector<double> values{};
    std::vector<std::uint32_t> visits{};

    [[nodiscard]] io::Table take(const Names& names) {
        auto named = name_columns(names, states, actions);
        io::Table table{{{"state", std::move(states)},
                         {"action", std::move(actions)},
                         {"value", std::move(values)},
                         {"visits", std::move(visits)}}};
        std::ranges::move(named, std::back_inserter(table.columns));
        return table;
    }
};

std::size_t pair_of(const QTable& table, std::int32_t s, std::int32_t a) {
    return at(s) * at(table.actions) + at(a);
}

// Calls visit(state, action) for each legal pair, in order.
template <typename Visit>
void each_pair(const QTable& table,
               const std::function<ActionMask(int)>& legal,
               const Visit& visit) {
    for (std::int32_t s = 0; s < table.states; ++s) {
        const ActionMask mask = legal(s);
        for (std::int32_t a = 0; a < table.actions; ++a) {
            if ((mask >> static_cast<unsigned>(a) & 1U) != 0) {
                visit(s, a);
            }
        }
    }
}

void add_row(
    DigestBuilder& digest, std::int32_t s, std::int32_t a, double value, std::uint32_t visits) {
    digest.add(s);
    digest.add(a);
    digest.add(value);
    digest.add(visits);
}

std::string fingerprint_of(const QTable& table, const std::function<ActionMask(int)>& legal) {
    DigestBuilder digest;
    each_pair(table, legal, [&](std::int32_t s, std::int32_t a) {
        const std::size_t pair = pair_of(table, s, a);
        add_row(digest, s, a, table.values[pair], table.visits[pair]);
    });
    return to_string(digest.digest());
}

void write_array(const fs::path& file, const QTable& table) {
    const std::array<std::int64_t, 2> shape{table.states, table.actions};
    if (table.precision == lockstep::rl::Precision::f64) {
        io::write_npy(file, table.values, shape);
        return;
    }
    std::vector<float> values(table.values.size());
    std::ranges::transform(
        table.values, values.begin(), [](double value) { return static_cast<float>(value); });
    io::write_npy(file, values, shape);
}

void write_rows(const fs::path& file,
                const io::FileMetadata& metadata,
                const QTable& table,
                const std::function<ActionMask(int)>& legal,
                const Names& names) {
    Rows rows;
    io::ParquetWriter writer(file, Rows().take(names), metadata);
    each_pair(table, legal, [&](std::int32_t s, std::int32_t a) {
        const std::size_t pair = pair_of(table, s, a);
        rows.states.push_back(s);
        rows.actions.push_back(a);
        rows.values.push_back(table.values[pair]);
        rows.visits.push_back(table.visits[pair]);
        if (std::ssize(rows.states) == rows_at_once) {
            writer.write(std::exchange(rows, {}).take(names));
        }
    });
    writer.write(rows.take(names));
    writer.close();
}

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
    throw InputError(fmt::format("{}: {}", file.string(), what));
}

RecordFields fields_in(const io::FileMetadata& metadata, const fs::path& file) {
    for (const auto& [key, value] : metadata) {
        if (key == metadata_key) {
            const std::string name = fmt::format("{}, metadata {}", file.string(), metadata_key);
            auto fields = records::record_in<RecordFields>(io::parse_json(value, name), name);
            fields.record.environment = fields.environment;
            return fields;
        }
    }
    refuse(file, fmt::format("no table of values: its metadata lack {}", metadata_key));
}

template <typename T>
const std::vector<T>& column(const io::Table& table, const char* name, const fs::path& file) {
    const io::Column* found = table.find(name);
    const auto* values = found == nullptr ? nullptr : std::get_if<std::vector<T>>(&found->values);
    if (values == nullptr) {
        refuse(file, fmt::format("column {} is missing or of another type", name));
    }
    return *values;
}

bool has_sensible_shape(const EnvironmentRecord& environment, std::size_t rows) {
    if (environment.states < 1 || environment.actions < 1) {
        return false;
    }
    const std::int64_t pairs = std::int64_t{environment.states} * environment.actions;
    return pairs <= std::numeric_limits<std::int32_t>::max() &&
           (pairs <= always_allowed_pairs || pairs / pairs_a_row <= std::int64_t(rows));
}

lockstep::rl::Precision precision_in(const RecordFields& fields, const fs::path& file) {
    for (const auto precision : lockstep::rl::precisions()) {
        if (to_string(precision) == fields.precision) {
            return precision;
        }
    }
    refuse(file, fmt::format("table_precision is \"{}\": must be f64 or f32", fields.precision));
}

QTable table_in(const io::Table& rows, const RecordFields& fields, const fs::path& file) {
    const auto& states = column<std::int32_t>(rows, "state", file);
    const auto& actions = column<std::int32_t>(rows, "action", file);
    const auto& values = column<double>(rows, "value", file);
    const auto& visits = column<std::uint32_t>(rows, "visits", file);
    const EnvironmentRecord& environment = fields.environment;
    if (!has_sensible_shape(environment, rows.rows())) {
        refuse(file,
               fmt::format("{} states with {} actions for {} rows: it is damaged",
                           environment.states,
                           environment.actions,
                           rows.rows()));
    }
    QTable table{environment.states, environment.actions, {}, {}, precision_in(fields, file)};
    table.values.assign(at(table.states) * at(table.actions), 0);
    table.visits.assign(table.values.size(), 0);
    DigestBuilder digest;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i] < 0 || states[i] >= table.states || actions[i] < 0 ||
            actions[i] >= table.actions) {
            refuse(file,
                   fmt::format("row {}: state {}, action {} are not among {} states and {} "
                               "actions",
                               i + 1,
                               states[i],
                               actions[i],
                               table.states,
                               table.actions));
        }
        const std::size_t pair = pair_of(table, states[i], actions[i]);
        table.values[pair] = values[i];
        table.visits[pair] = visits[i];
        add_row(digest, states[i], actions[i], values[i], visits[i]);
    }
    if (to_string(digest.digest()) != fields.fingerprint) {
        refuse(file, "damaged: its rows are not those that were written");
    }
    return table;
}

std::string shape_of(const EnvironmentRecord& environment) {
    return fmt::format("{} states with {} actions", environment.states, environment.actions);
}

}  // namespace

void write_table(const fs::path& folder,
                 const TableRecord& record,
                 const QTable& table,
                 const std::function<ActionMask(int)>& legal,
                 const Names& names) {
    write_array(folder / table_files[1], table);
    RecordFields fields{format_version,
                        record,
                        {record.environment},
                        fingerprint_of(table, legal),
                        std::string(to_string(table.precision))};
    write_rows(folder / table_files[0],
               {{std::string(metadata_key), io::to_text(records::written(fields))}},
               table,
               legal,
               names);
}

TableFile read_table(const fs::path& folder) {
    const fs::path file = folder / table_files[0];
    io::ParquetRest rest;
    const io::Table rows = io::read_parquet(file, &rest);
    RecordFields fields = fields_in(rest.metadata, file);
    QTable table = table_in(rows, fields, file);
    return {std::move(fields.record), std::move(table)};
}

void require_environment(const TableRecord& record, const EnvironmentRecord& wanted) {
    const EnvironmentRecord& learned = record.environment;
    if (learned.name != wanted.name || learned.rules != wanted.rules) {
        throw InputError(fmt::format("the table was learned in {} ({}), not in {} ({})",
                                     learned.name,
                                     learned.rules,
                                     wanted.name,
                                     wanted.rules));
    }
    if (learned.states != wanted.states || learned.actions != wanted.actions) {
        throw InputError(fmt::format(
            "the table has {}, but {} has {}", shape_of(learned), wanted.name, shape_of(wanted)));
    }
}

}  // namespace lockstep::formats::rl
