#include "formats/cobre/results/results_power.hpp"

#include <utility>

namespace lockstep::formats::cobre::out {

MeanPower::MeanPower(const Scenarios& scenarios,
                     const EntityIndex& buses,
                     std::string energy_column)
    : scenarios_(scenarios),
      buses_(buses),
      column_(std::move(energy_column)),
      total_(scenarios.stages()),
      by_bus_(buses.size(), std::vector<double>(scenarios.stages())) {}

void MeanPower::add(double weight,
                    const ScenarioTable& rows,
                    const std::vector<std::size_t>& stage,
                    const std::vector<std::int32_t>& bus) {
    const auto energy = rows.get<double>(column_);
    for (std::size_t row = 0; row < energy.size(); ++row) {
        total_[stage[row]] += weight * energy[row];
        if (buses_.has(bus[row])) {
            by_bus_[buses_.at(bus[row], rows.file())][stage[row]] += weight * energy[row];
        }
    }
}

std::vector<double> MeanPower::total() const {
    return power(total_);
}

std::vector<double> MeanPower::of_bus(std::size_t place) const {
    return power(by_bus_[place]);
}

std::vector<double> MeanPower::power(std::vector<double> sums) const {
    for (std::size_t t = 0; t < sums.size(); ++t) {
        sums[t] /= scenarios_.hours(t) * static_cast<double>(scenarios_.size());
    }
    return sums;
}

}  // namespace lockstep::formats::cobre::out
