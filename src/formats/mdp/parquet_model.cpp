#include "formats/mdp/parquet_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/quotient.hpp"
#include "lockstep/io/table.hpp"

#include "formats/mdp/header.hpp"

namespace lockstep::formats::mdp {
namespace {

constexpr std::string_view metadata_key = "lockstep.mdp";

// A table without "terminated" has no transition that ends.
constexpr std::array<std::string_view, 6> names{"s", "a", "p", "next", "reward", "terminated"};
enum Name : std::size_t { state, action, probability, next, reward, terminated };

// A cell as whole number, real or text; the tables of other programs have any of their types.
template <typename Values>
using Element = typename std::decay_t<Values>::value_type;

template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T>;

class Rows {
public:
    Rows(const io::Table& table, const io::ParquetRest& rest, Faults& faults) : faults_(faults) {
        for (const io::Column& column : table.columns) {
            keep(column);
        }
        for (const io::SkippedColumn& column : rest.skipped) {
            refuse(column.name, fmt::format("has the type {}", column.type));
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            is_whole_ &= columns_[i] != nullptr || i == terminated;
            if (columns_[i] == nullptr && i != terminated) {
                refuse(names[i], "is missing");
            }
        }
    }

    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

    [[nodiscard]] RawRow row(std::size_t number) {
        RawRow row{.place = static_cast<std::int64_t>(number) + 1};
        row.state = label(state, number, row);
        row.action = label(action, number, row);
        row.next = label(next, number, row);
        row.probability = real(probability, number, row);
        row.reward = real(reward, number, row);
        row.terminated = flag(number, row);
        return row;
    }

private:
    void keep(const io::Column& column) {
        const auto place = std::find(names.begin(), names.end(), column.name);
        if (place != names.end()) {
            columns_[static_cast<std::size_t>(place - names.begin())] = &column;
        } else if (!column.name.starts_with("__")) {  // the index of a pandas frame
            refuse(column.name,
                   "is not known" + did_you_mean(column.name, {names.begin(), names.end()}));
        }
    }

    void refuse(std::string_view column, std::string what) {
        is_whole_ = false;
        faults_.add(
            ProblemKind::schema_violation, 0, fmt::format("column {}", column), std::move(what));
    }

    void refuse_cell(Name name, const RawRow& row, const std::string& what) {
        faults_.add(ProblemKind::schema_violation,
                    row.place,
                    in_words(row),
                    fmt::format("\"{}\" {}", names[name], what));
    }

    [[nodiscard]] Label label(Name name, std::size_t row, const RawRow& told) {
        const io::Column& column = *columns_[name];
        const Label label =
            !column.is_present(row)
                ? Label()
                : std::visit([&](const auto& values) { return label_in(values[row]); },
                             column.values);
        if (std::holds_alternative<std::monostate>(label)) {
            refuse_cell(name, told, "must be a whole number or a name");
        }
        return label;
    }

    template <typename T>
    static Label label_in(const T& value) {
        if constexpr (std::is_same_v<T, std::string>) {
            return std::string_view(value);
        } else if constexpr (std::is_floating_point_v<T>) {
            const bool is_whole = std::abs(value) < 0x1p53 && value == std::trunc(value);
            return is_whole ? Label(static_cast<std::int64_t>(value)) : Label();
        } else if constexpr (is_number<T>) {
            return static_cast<std::int64_t>(value);
        } else {
            return {};
        }
    }

    [[nodiscard]] std::optional<double> real(Name name, std::size_t row, const RawRow& told) {
        const io::Column& column = *columns_[name];
        std::optional<double> value;
        if (column.is_present(row)) {
            value =
                std::visit([&](const auto& values) { return real_in(values[row]); }, column.values);
        }
        if (!value) {
            refuse_cell(name, told, "must be a number or a text as \"1/3\"");
        }
        return value;
    }

    template <typename T>
    static std::optional<double> real_in(const T& value) {
        if constexpr (std::is_same_v<T, std::string>) {
            return parse_quotient(value);
        } else if constexpr (is_number<T>) {
            return static_cast<double>(value);
        } else {
            return std::nullopt;
        }
    }

    [[nodiscard]] bool flag(std::size_t row, const RawRow& told) {
        const io::Column* column = columns_[terminated];
        if (column == nullptr) {
            return false;
        }
        std::optional<double> value;
        if (column->is_present(row)) {
            value = std::visit([&](const auto& values) { return real_in(values[row]); },
                               column->values);
        }
        if (value != 0.0 && value != 1.0) {
            refuse_cell(terminated, told, "must be true or false");
        }
        return value == 1.0;
    }

    Faults& faults_;
    std::array<const io::Column*, names.size()> columns_{};
    bool is_whole_ = true;
};

// What stands in the metadata has no line of its own.
void forget_lines(io::Json& json) {
    json.set_line(0);
    if (auto* array = json.if_array()) {
        for (io::Json& element : *array) {
            forget_lines(element);
        }
    } else if (auto* object = json.if_object()) {
        for (auto& [key, value] : *object) {
            forget_lines(value);
        }
    }
}

std::optional<io::Json> header_in(const io::FileMetadata& metadata,
                                  const std::filesystem::path& path,
                                  Faults& faults) {
    for (const auto& [key, value] : metadata) {
        if (key != metadata_key) {
            continue;
        }
        io::Json json =
            io::parse_json(value, fmt::format("{}, metadata {}", path.string(), metadata_key));
        forget_lines(json);
        if (json.if_object() != nullptr && json.find("rows") == nullptr) {
            return json;
        }
        faults.add(ProblemKind::schema_violation,
                   0,
                   fmt::format("metadata {}", metadata_key),
                   "must be an object without rows");
    }
    return std::nullopt;
}

template <typename T>
std::vector<T>& add_column(io::Table& table, std::string_view name) {
    table.columns.push_back({std::string(name), std::vector<T>{}, false, {}});
    return std::get<std::vector<T>>(table.columns.back().values);
}

io::Table table_of(const lockstep::rl::Model& model) {
    io::Table table;
    table.columns.reserve(names.size());
    auto& from = add_column<std::int32_t>(table, names[state]);
    auto& by = add_column<std::int32_t>(table, names[action]);
    auto& share = add_column<double>(table, names[probability]);
    auto& to = add_column<std::int32_t>(table, names[next]);
    auto& paid = add_column<double>(table, names[reward]);
    auto& ended = add_column<std::uint8_t>(table, names[terminated]);
    for (int s = 0; s < model.states(); ++s) {
        for (int a = 0; a < model.actions(); ++a) {
            for (const lockstep::rl::Outcome& outcome : model.outcomes(s, a)) {
                from.push_back(s);
                by.push_back(a);
                share.push_back(outcome.probability);
                to.push_back(outcome.next);
                paid.push_back(outcome.reward);
                ended.push_back(outcome.terminated ? 1 : 0);
            }
        }
    }
    return table;
}

}  // namespace

void read_parquet_model(const std::filesystem::path& path, Draft& draft, Faults& faults) {
    io::ParquetRest rest;
    const io::Table table = io::read_parquet(path, &rest);
    const auto header = header_in(rest.metadata, path, faults);
    if (header) {
        read_header(*header, draft, faults);
    }
    Rows rows(table, rest, faults);
    for (std::size_t i = 0; rows.is_whole() && i < table.rows(); ++i) {
        draft.add_row(rows.row(i));
    }
    if (header) {
        read_starts(*header, draft, faults);
    }
}

void write_parquet_model(const std::filesystem::path& path, const ModelFile& file) {
    io::write_parquet(
        path, table_of(file.model), {{std::string(metadata_key), io::to_text(header_of(file))}});
}

}  // namespace lockstep::formats::mdp
