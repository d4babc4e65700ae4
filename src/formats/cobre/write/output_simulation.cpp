#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/spool.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/output_metadata.hpp"
#include "formats/cobre/write/output_simulation_shape.hpp"
#include "formats/cobre/write/simulation_parts.hpp"
#include "formats/cobre/write/table_bytes.hpp"
#include "formats/cobre/write/tables/simulation.hpp"
#include "formats/cobre/write/tables/solver.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

void remove_folder(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) {
        throw IoError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()),
                      IoError::Direction::write);
    }
}

std::vector<PathRow> path_rows(const sddp::SimulateResult& result, const sddp::Problem& problem) {
    std::vector<PathRow> rows;
    for (std::size_t scenario = 0; scenario < result.total_cost.size(); ++scenario) {
        for (int stage = 0; stage < problem.stage_count(); ++stage) {
            const int node = result.nodes.empty() ? stage : result.nodes[scenario][at(stage)];
            rows.push_back({static_cast<int>(scenario),
                            problem.node_id(node),
                            problem.calendar.stages[at(stage)].id});
        }
    }
    return rows;
}

std::vector<ScenarioSummaryRow> summary_rows(const sddp::SimulateResult& result) {
    std::vector<ScenarioSummaryRow> rows;
    for (std::size_t i = 0; i < result.total_cost.size(); ++i) {
        rows.push_back(
            {static_cast<int>(i),
             result.total_cost[i],
             result.probability.empty() ? std::nullopt : std::optional(result.probability[i])});
    }
    return rows;
}

std::vector<SolverRow> solver_rows(const std::vector<sddp::PhaseReport>& work) {
    std::vector<SolverRow> rows;
    for (std::size_t scenario = 0; scenario < work.size(); ++scenario) {
        rows.push_back(
            {{}, static_cast<std::int32_t>(scenario), "simulation", {}, {}, {}, work[scenario]});
    }
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
    for (const SimulationTable& table : simulation_tables()) {
        remove_folder(output / table.definition.file());
    }
}

namespace {

/// The tables of a simulation that a problem has, and their rows for a scenario.
class ScenarioRows {
public:
    explicit ScenarioRows(const sddp::Problem& problem) : facts_(problem) {
        for (const SimulationTable& table : simulation_tables()) {
            if (table.exists(problem)) {
                tables_.push_back({&table, table.definition.schema()});
            }
        }
    }

    /// visit(file of the table, its rows), one table after the other.
    template <typename Visit>
    void for_each(const sddp::ScenarioResult& scenario, const Visit& visit) {
        for (const sddp::StageResult& stage : scenario.stages) {
            check_shape(*facts_.problem, stage);
        }
        for (Open& table : tables_) {
            fill(table, scenario);
            visit(table.name->definition.file(), table.rows);
        }
    }
    /// The same without a scenario: the columns.
    template <typename Visit>
    void for_each_schema(const Visit& visit) const {
        for (const Open& table : tables_) {
            visit(table.name->definition.file(), table.name->definition.schema());
        }
    }

    [[nodiscard]] const sddp::Problem& problem() const noexcept { return *facts_.problem; }

private:
    /// A table and its columns, whose memory serves scenario after scenario.
    struct Open {
        const SimulationTable* name;
        io::Table rows;
    };

    void fill(Open& open, const sddp::ScenarioResult& scenario) {
        rows_.clear();
        for (const sddp::StageResult& stage : scenario.stages) {
            open.name->rows({&facts_, &stage, scenario.scenario, 0, 0}, rows_);
        }
        clear_rows(open.rows);
        open.name->definition.append(rows_, open.rows);
    }

    SimulationFacts facts_;
    std::vector<Open> tables_;
    std::vector<SimulationRow> rows_;
};

/// "hydros" of "simulation/hydros".
std::string table_name(const std::string& file) {
    return file.substr(file.find('/') + 1);
}

/// Where the rows of scenarios go.
class Layout {
public:
    virtual ~Layout() = default;
    Layout() = default;
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    virtual void add(const sddp::ScenarioResult& scenario) = 0;
    /// What this rank added is on its way to the disk, and others can read it.
    virtual void sync() {}
    /// After all ranks: scenarios 0 … count - 1 are in their files.
    /// @return how many files and rows each table has, for readers to see that nothing is missing
    virtual io::Json finish(std::size_t count) = 0;
    /// Nobody will finish again.
    virtual void tidy() {}
};

/// A folder a scenario, as Cobre writes it.
class Folders final : public Layout {
public:
    Folders(std::filesystem::path output, ScenarioRows& rows)
        : output_(std::move(output)), rows_(rows) {}

    void add(const sddp::ScenarioResult& scenario) override {
        rows_.for_each(scenario, [&](const std::string& file, const io::Table& table) {
            io::write_parquet(output_ / file / partition(scenario.scenario) / "data.parquet",
                              table,
                              {},
                              io::Durability::later);
        });
    }

    io::Json finish(std::size_t count) override {
        io::Json tables = io::Json::object();
        rows_.for_each_schema([&](const std::string& file, const io::Table&) {
            tables.set(table_name(file),
                       io::Json::Object{{"files", static_cast<std::int64_t>(count)}});
        });
        return tables;
    }

private:
    std::filesystem::path output_;
    ScenarioRows& rows_;
};

/// Few files a table. A rank alone writes them as its scenarios come. Several leave the rows of
/// their scenarios in spools, where those of a rank that is lost afterwards stay, and one puts them
/// together: the files are the same bytes for any number of ranks.
class Parts final : public Layout {
public:
    Parts(const std::filesystem::path& output, ScenarioRows& rows, bool is_alone)
        : folder_(output / "simulation"), rows_(rows), is_alone_(is_alone) {
        rows_.for_each_schema([&](const std::string& file, io::Table schema) {
            tables_.emplace_back(output / file, schema);
            names_.push_back(table_name(file));
            schemas_.push_back(std::move(schema));
        });
    }

    void add(const sddp::ScenarioResult& scenario) override {
        if (!is_alone_) {
            spool(scenario);
            return;
        }
        std::size_t table = 0;
        rows_.for_each(scenario, [&](const std::string&, const io::Table& rows) {
            tables_[table++].add(rows);
        });
    }

    void sync() override {
        if (spool_) {
            spool_->sync();
        }
    }

    io::Json finish(std::size_t count) override {
        if (!is_alone_) {
            collect(count);
        }
        io::Json tables = io::Json::object();
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            tables_[i].close();
            tables.set(names_[i],
                       io::Json::Object{{"files", tables_[i].parts()},
                                        {"rows", static_cast<std::int64_t>(tables_[i].rows())}});
        }
        return tables;
    }

    void tidy() override {
        if (!is_alone_) {
            io::SpooledRecords(folder_).remove();
        }
    }

private:
    void spool(const sddp::ScenarioResult& scenario) {
        if (!spool_) {
            spool_.emplace(folder_);
        }
        ByteWriter bytes;
        rows_.for_each(scenario,
                       [&](const std::string&, const io::Table& rows) { pack_rows(rows, bytes); });
        spool_->append(scenario.scenario, bytes.bytes());
    }

    // Again where a rank was lost before all knew that the tables are whole.
    void collect(std::size_t count) {
        for (SimulationParts& table : tables_) {
            table.restart();
        }
        const io::SpooledRecords records(folder_);
        for (std::size_t scenario = 0; scenario < count; ++scenario) {
            const auto bytes = records.read(static_cast<std::int64_t>(scenario));
            ByteReader in(bytes);
            for (std::size_t table = 0; table < tables_.size(); ++table) {
                unpack_rows(in, schemas_[table]);
                tables_[table].add(schemas_[table]);
            }
        }
    }

    std::filesystem::path folder_;
    ScenarioRows& rows_;
    bool is_alone_;
    std::vector<SimulationParts> tables_;
    std::vector<std::string> names_;
    std::vector<io::Table> schemas_;  ///< of the tables, with the rows of the scenario under way
    std::optional<io::Spool> spool_;
};

std::unique_ptr<Layout> make_layout(const std::filesystem::path& output,
                                    ScenarioRows& rows,
                                    const SimulationFiles& files) {
    if (files.layout == SimulationLayout::folders) {
        return std::make_unique<Folders>(output, rows);
    }
    return std::make_unique<Parts>(output, rows, files.ranks == 1);
}

}  // namespace

class SimulationWriter::Impl {
public:
    Impl(std::filesystem::path output, const sddp::Problem& problem, const SimulationFiles& files)
        : output_(std::move(output)), rows_(problem), layout_(make_layout(output_, rows_, files)) {}

    void add(const sddp::ScenarioResult& scenario) { layout_->add(scenario); }

    void sync() const {
        layout_->sync();
        const std::filesystem::path folder = output_ / "simulation";
        io::make_folder(folder);
        io::sync_folder(folder);
    }

    io::Json finish(const CaseFacts& input,
                    const sddp::SimulateResult& result,
                    const RunInfo& run) const {
        io::Json tables = layout_->finish(result.total_cost.size());
        sync();
        const std::filesystem::path folder = output_ / "simulation";
        write_table(output_, scenario_summary_table(), summary_rows(result));
        write_table(output_, paths_table(), path_rows(result, rows_.problem()));
        const std::vector<SolverRow> work = solver_rows(result.scenario_work);
        write_table(output_, simulation_solver_tables().iterations, work);
        write_table(output_, simulation_solver_tables().retries, retry_rows(work));
        auto metadata = simulation_metadata(input, rows_.problem(), result, run);
        metadata.set("tables", std::move(tables));
        write_marks(folder, metadata);
        return metadata;
    }

    void tidy() const { layout_->tidy(); }

private:
    std::filesystem::path output_;
    ScenarioRows rows_;
    std::unique_ptr<Layout> layout_;
};

SimulationWriter::SimulationWriter(std::filesystem::path output,
                                   const sddp::Problem& problem,
                                   const SimulationFiles& files)
    : impl_(std::make_unique<Impl>(std::move(output), problem, files)) {}
SimulationWriter::~SimulationWriter() = default;
SimulationWriter::SimulationWriter(SimulationWriter&&) noexcept = default;
SimulationWriter& SimulationWriter::operator=(SimulationWriter&&) noexcept = default;

void SimulationWriter::add(const sddp::ScenarioResult& scenario) {
    impl_->add(scenario);
}

void SimulationWriter::sync() {
    impl_->sync();
}

void SimulationWriter::tidy() {
    impl_->tidy();
}

io::Json SimulationWriter::finish(const CaseFacts& input,
                                  const sddp::SimulateResult& result,
                                  const RunInfo& run) {
    return impl_->finish(input, result, run);
}

}  // namespace lockstep::formats::cobre
