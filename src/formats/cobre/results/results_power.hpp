#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/cobre/results/results_scenarios.hpp"

namespace lockstep::formats::cobre::out {

/// Energy of a table over scenarios as mean power by stage, of each bus and of all.
class MeanPower {
public:
    /// @param buses  ids that count; rows of others count for the total alone
    MeanPower(const Scenarios& scenarios, const EntityIndex& buses, std::string energy_column);

    /// @param weight  of the scenario
    /// @param bus     id of each row
    void add(double weight,
             const ScenarioTable& rows,
             const std::vector<std::size_t>& stage,
             const std::vector<std::int32_t>& bus);

    [[nodiscard]] std::vector<double> total() const;
    [[nodiscard]] std::vector<double> of_bus(std::size_t place) const;

private:
    [[nodiscard]] std::vector<double> power(std::vector<double> sums) const;

    const Scenarios& scenarios_;
    const EntityIndex& buses_;
    std::string column_;
    std::vector<double> total_;                ///< [stages]
    std::vector<std::vector<double>> by_bus_;  ///< [buses][stages]
};

}  // namespace lockstep::formats::cobre::out
