#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Rows of hydro_energy_productivity and fpha_hyperplanes by (hydro, stage); a row for a stage
/// beats one for all stages. Mistakes of the files are reported on construction.
class ProductionTables {
public:
    ProductionTables(const raw::Case& raw, const Resolver& resolver);

    [[nodiscard]] std::optional<double> equivalent(int hydro, int stage) const {
        return energy(hydro, stage, &raw::EnergyProductivity::equivalent);
    }
    [[nodiscard]] std::optional<double> specific(int hydro, int stage) const {
        return energy(hydro, stage, &raw::EnergyProductivity::specific);
    }
    [[nodiscard]] std::optional<double> reference_outflow(int hydro, int stage) const {
        return energy(hydro, stage, &raw::EnergyProductivity::reference_outflow_m3s);
    }
    [[nodiscard]] const std::vector<sddp::ProductionPlane>& planes(int hydro, int stage) const;

private:
    using Key = std::pair<int, int>;  ///< (hydro, stage), stage -1 for all
    void add_energy(const std::vector<raw::EnergyProductivity>& rows, const Resolver& resolver);
    void add_planes(const std::vector<raw::Hyperplane>& rows, const Resolver& resolver);
    [[nodiscard]] std::optional<double> energy(
        int hydro, int stage, std::optional<double> raw::EnergyProductivity::*member) const;

    std::map<Key, raw::EnergyProductivity> energy_;
    std::map<Key, std::vector<sddp::ProductionPlane>> planes_;
};

}  // namespace lockstep::formats::cobre
