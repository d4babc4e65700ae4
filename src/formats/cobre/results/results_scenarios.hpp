#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/formats/cobre/results.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/results/results_spread.hpp"
#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre::out {

/// Ids of a table, numbered in order of appearance.
class EntityIndex {
public:
    void add(std::int32_t id);
    /// @throws InputError  the id is none of those added
    [[nodiscard]] std::size_t at(std::int32_t id, const std::string& file) const;
    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
    [[nodiscard]] bool has(std::int32_t id) const { return place_.count(id) > 0; }
    [[nodiscard]] std::int32_t id(std::size_t index) const { return ids_[index]; }

private:
    std::vector<std::int32_t> ids_;
    std::map<std::int32_t, std::size_t> place_;
};

/// A table of a scenario with its name for messages.
class ScenarioTable {
public:
    ScenarioTable(SimulationTableReader& table, int scenario);

    template <typename T>
    [[nodiscard]] std::span<const T> get(std::string_view name) const {
        return column<T>(table_, name, file_);
    }
    /// stage_id as indices of `stages`. @throws InputError
    [[nodiscard]] std::vector<std::size_t> stages(const EntityIndex& stages) const;
    [[nodiscard]] const std::string& file() const noexcept { return file_; }

private:
    std::string file_;
    io::Table table_;
};

/// A line of dictionaries/entities.csv.
struct Entity {
    std::string name;
    int bus_id = -1;  ///< of a line: -1
};

/// dictionaries/entities.csv by type and id; empty where it is absent.
class Entities {
public:
    explicit Entities(const std::filesystem::path& output);

    /// nullptr for what is not there.
    [[nodiscard]] const Entity* find(EntityCode type, std::int32_t id) const;
    /// The name, or the id itself.
    [[nodiscard]] std::string name(EntityCode type, std::int32_t id) const;

private:
    std::map<std::pair<int, std::int32_t>, Entity> entities_;
};

/// The scenarios of a finished simulation.
class Scenarios {
public:
    explicit Scenarios(const Results& results);

    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
    [[nodiscard]] int id(std::size_t place) const { return ids_[place]; }
    [[nodiscard]] std::size_t stages() const noexcept { return results_->stages.size(); }
    [[nodiscard]] const EntityIndex& stage_ids() const noexcept { return stage_ids_; }
    [[nodiscard]] double hours(std::size_t stage) const { return results_->stages[stage].hours; }
    /// Share of a block in the hours of its stage. @throws InputError  no such block
    [[nodiscard]] double block_share(std::size_t stage,
                                     std::int32_t block,
                                     const std::string& file) const;

    /// Whether the simulation wrote that table.
    [[nodiscard]] bool has(const std::string& table) const;
    /// Entities of a table, in the order of its first scenario.
    [[nodiscard]] EntityIndex entities(const std::string& table, std::string_view id_column) const;
    [[nodiscard]] Samples samples(std::size_t items) const {
        return {items, stages(), size(), weight_};
    }
    /// [scenarios], mean 1: probabilities of enumerated paths; empty where they are alike.
    [[nodiscard]] const std::vector<double>& weights() const noexcept { return weight_; }
    [[nodiscard]] double weight(std::size_t place) const noexcept {
        return weight_.empty() ? 1 : weight_[place];
    }

    /// visit(place of the scenario, its table), one scenario in memory at a time, of it the columns
    /// that are named; none: all.
    template <typename Visit>
    void for_each(const std::string& table,
                  Visit visit,
                  const std::vector<std::string>& columns = {}) const {
        SimulationTableReader all(*results_, table, columns);
        for (std::size_t s = 0; s < ids_.size(); ++s) {
            visit(s, ScenarioTable(all, ids_[s]));
        }
    }

private:
    const Results* results_;
    EntityIndex stage_ids_;
    std::vector<int> ids_;
    std::vector<double> weight_;
};

}  // namespace lockstep::formats::cobre::out
