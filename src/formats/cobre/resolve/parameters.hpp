#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/constraints.hpp"
#include "formats/cobre/resolve/hydro/plant_energy.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// The named numbers of generic constraints, by stage and block. Mistakes of their file are
/// reported on construction.
class Parameters {
public:
    Parameters(const raw::GenericParameters& raw,
               const Resolver& resolver,
               const sddp::System& system,
               const std::vector<PlantEnergy>& plants);

    /// Position of a name, -1 for none.
    [[nodiscard]] int find(const std::string& name) const;
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
    /// Whether blocks of a stage have values of their own.
    [[nodiscard]] bool differs_by_block(int parameter) const;
    /// Nothing where no value is given.
    [[nodiscard]] std::optional<double> value(int parameter, int stage, int block) const;

private:
    struct Parameter {
        bool differs_by_block = false;
        std::map<std::pair<int, int>, double> values;  ///< by (stage, block), block -1 for all
    };
    void add(const raw::ScalarParameter& raw,
             const sddp::System& system,
             const std::vector<PlantEnergy>& plants);
    void add_by_stage(const raw::ScalarParameter& raw, Parameter& out) const;
    void add_by_season(const raw::ScalarParameter& raw, Parameter& out) const;
    void add_by_block(const raw::ScalarParameter& raw, Parameter& out) const;
    void add_computed(const raw::ScalarParameter& raw,
                      const sddp::System& system,
                      const std::vector<PlantEnergy>& plants,
                      Parameter& out) const;
    void wrong(const raw::ScalarParameter& raw, std::string message) const;

    const Resolver& resolver_;
    std::map<std::string, int> index_;
    std::vector<std::string> names_;
    std::vector<Parameter> parameters_;
};

}  // namespace lockstep::formats::cobre
