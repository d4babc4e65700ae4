#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table_groups.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/simulation_parts.hpp"

namespace lockstep::formats::cobre {

namespace fs = std::filesystem;
using namespace out;

namespace {

/// Appends rows `begin` … `end` - 1 of a column.
void append_rows(const io::Column& from, std::size_t begin, std::size_t end, io::Column& to) {
    if (!from.present.empty() || !to.present.empty()) {
        to.present.resize(to.size(), 1);
        for (std::size_t row = begin; row < end; ++row) {
            to.present.push_back(from.is_present(row) ? 1 : 0);
        }
    }
    std::visit(
        [&]<typename T>(const std::vector<T>& values) {
            auto* into = std::get_if<std::vector<T>>(&to.values);
            if (into == nullptr) {
                throw InputError("its parts have columns of different types");
            }
            into->insert(into->end(),
                         values.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.begin() + static_cast<std::ptrdiff_t>(end));
        },
        from.values);
}

void append_rows(const io::Table& from, std::size_t begin, std::size_t end, io::Table& to) {
    if (from.columns.size() != to.columns.size()) {
        throw InputError("its parts have different columns");
    }
    for (std::size_t i = 0; i < from.columns.size(); ++i) {
        append_rows(from.columns[i], begin, end, to.columns[i]);
    }
}

/// The parts of a table one row group after the other.
class Cursor {
public:
    Cursor(fs::path folder, std::vector<std::string> columns)
        : folder_(std::move(folder)), columns_(std::move(columns)) {
        if (!columns_.empty()) {
            columns_.emplace_back("scenario_id");
        }
        open(0);
    }

    /// Moves to the rows of a scenario or where they would be; only forward.
    io::Table take(int scenario) {
        io::Table rows = part_->schema();
        while (!is_at_end_) {
            const auto ids = column<std::int32_t>(rows_, "scenario_id", part_file());
            const auto begin = std::lower_bound(
                ids.begin() + static_cast<std::ptrdiff_t>(row_), ids.end(), scenario);
            const auto end = std::upper_bound(begin, ids.end(), scenario);
            row_ = static_cast<std::size_t>(end - ids.begin());
            append_rows(rows_, static_cast<std::size_t>(begin - ids.begin()), row_, rows);
            if (end != ids.end()) {
                break;
            }
            next_group();
        }
        return rows;
    }

private:
    [[nodiscard]] std::string part_file() const { return (folder_ / part_name(number_)).string(); }

    void open(int number) {
        number_ = number;
        part_.emplace(folder_ / part_name(number), columns_);
        group_ = -1;
        next_group();
    }

    void next_group() {
        row_ = 0;
        if (++group_ < part_->size()) {
            rows_ = part_->read(group_);
        } else if (io::is_there(folder_ / part_name(number_ + 1))) {
            open(number_ + 1);
        } else {
            rows_ = part_->schema();
            is_at_end_ = true;
        }
    }

    fs::path folder_;
    std::vector<std::string> columns_;  ///< empty: all
    std::optional<io::TableGroups> part_;
    int number_ = 0;
    int group_ = -1;
    io::Table rows_;       ///< of the group
    std::size_t row_ = 0;  ///< that was not taken yet
    bool is_at_end_ = false;
};

/// Files that a table must have; 0: not known.
int promised_files(const Results& results, const std::string& table) {
    for (const auto& [name, files] : results.table_files) {
        if (name == table) {
            return files;
        }
    }
    return 0;
}

/// Parts, or a file of each scenario; in order.
std::vector<fs::path> files_of(const fs::path& folder) {
    std::set<fs::path> files;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code); !code && entry != end(entry);
         entry.increment(code)) {
        const auto name = entry->path().filename().string();
        if (name.starts_with("part-") && name.ends_with(".parquet")) {
            files.insert(entry->path());
        } else if (name.starts_with("scenario_id=")) {
            files.insert(entry->path() / "data.parquet");
        }
    }
    if (files.empty()) {
        throw IoError(fmt::format("{}: no table is here", folder.string()),
                      IoError::Direction::read);
    }
    return {files.begin(), files.end()};
}

}  // namespace

io::Table read_simulation_table(const fs::path& directory, const std::string& table) {
    const auto folder = directory / "simulation" / table;
    const auto files = files_of(folder);
    auto all = io::read_parquet(files.front());
    for (std::size_t i = 1; i < files.size(); ++i) {
        const auto part = io::read_parquet(files[i]);
        try {
            append_rows(part, 0, part.rows(), all);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", folder.string(), error.what()));
        }
    }
    return all;
}

class SimulationTableReader::Impl {
public:
    Impl(const Results& results, const std::string& table, std::vector<std::string> columns)
        : folder_(results.directory / "simulation" / table),
          columns_(std::move(columns)),
          files_(promised_files(results, table)) {}

    io::Table read(int scenario) {
        if (!has_parts()) {
            return io::read_parquet(has_folders() ? file_of(scenario) : folder_ / part_name(0));
        }
        if (!cursor_) {
            require_parts();
        }
        if (!cursor_ || scenario <= last_) {
            cursor_.emplace(folder_, columns_);
        }
        last_ = scenario;
        try {
            return cursor_->take(scenario);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", folder_.string(), error.what()));
        }
    }

    /// What a message names.
    [[nodiscard]] fs::path file_of(int scenario) const {
        return has_parts() ? folder_ : folder_ / partition(scenario) / "data.parquet";
    }

private:
    [[nodiscard]] bool has_parts() const { return io::is_there(folder_ / part_name(0)); }

    [[nodiscard]] bool has_folders() const { return io::is_there(folder_ / partition(0)); }

    void require_parts() const {
        for (int part = 0; part < files_; ++part) {
            if (!io::is_there(folder_ / part_name(part))) {
                throw IoError(fmt::format("{}: is missing, metadata.json says {} files",
                                          (folder_ / part_name(part)).string(),
                                          files_),
                              IoError::Direction::read);
            }
        }
    }

    fs::path folder_;
    std::vector<std::string> columns_;
    int files_;  ///< that the table must have; 0: not known
    std::optional<Cursor> cursor_;
    int last_ = -1;  ///< scenario that the cursor has passed
};

SimulationTableReader::SimulationTableReader(const Results& results,
                                             std::string table,
                                             std::vector<std::string> columns)
    : impl_(std::make_unique<Impl>(results, table, std::move(columns))) {}
SimulationTableReader::~SimulationTableReader() = default;
SimulationTableReader::SimulationTableReader(SimulationTableReader&&) noexcept = default;
SimulationTableReader& SimulationTableReader::operator=(SimulationTableReader&&) noexcept = default;

io::Table SimulationTableReader::read(int scenario) {
    return impl_->read(scenario);
}

std::string SimulationTableReader::file(int scenario) const {
    return impl_->file_of(scenario).string();
}

std::vector<std::string> simulation_table_names(const fs::path& directory) {
    std::set<std::string> names;
    const fs::path root = directory / "simulation";
    std::error_code code;
    for (fs::recursive_directory_iterator entry(root, code); !code && entry != end(entry);
         entry.increment(code)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with("scenario_id=") || name == part_name(0)) {
            names.insert(entry->path().parent_path().lexically_relative(root).string());
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace lockstep::formats::cobre
