#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/records/setting.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/page.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/sddp/policy.hpp"

namespace lockstep::app {

/// A policy on disk with the case that it is of.
struct PolicyPlace {
    std::filesystem::path policy;          ///< its folder, or the output directory of the run
    std::filesystem::path case_directory;  ///< empty: as the output's metadata tells
    std::vector<formats::Setting> settings;
};

/// A place in the problem: the state after a stage, or after a node where the case has a graph.
struct PolicyState {
    std::optional<int> stage;  ///< as declared; none: the first
    std::optional<int> node;   ///< instead
    /// "FURNAS=12000,inflow_lag(FURNAS,1)=300", or a JSON file of such an object. What is not there
    /// is as before the first stage: storages, energies and inflows; the rest is 0.
    std::string values;
};

/// What water of a reservoir is worth: what one more hm³ saves, at the end of the stage. Where the
/// cost to go has a kink, from what the next hm³ saves to what the last one did.
struct WaterValue {
    int hydro_id = 0;
    std::string name;
    double storage_hm3 = 0;
    double low = 0;   ///< [$/hm³]
    double high = 0;  ///< [$/hm³]
    /// [MWh/hm³], by the equivalent productivities of the plant and those below; 0: unknown
    double energy_per_hm3 = 0;
};

/// A cut that no other exceeds at the state.
struct BindingCut {
    int number = 0;  ///< place in its node
    int iteration = 0;
    int trajectory = 0;
    double intercept = 0;
};

struct PolicyValue {
    int stage_id = 0;
    int node_id = 0;
    std::string stage;  ///< "stage 3 (2018-04-01)"
    double cost_to_go =
        0;  ///< [$], after the stage: the largest cut, or 0 where nothing earns money
    std::vector<WaterValue> water;
    std::vector<BindingCut> binding;
    struct Number {
        std::string name;  ///< "inflow_lag(FURNAS,1)"
        double value = 0;
        std::string unit;
        double slope = 0;  ///< [$ per unit], of the first binding cut; 0 where none is
    };
    std::vector<Number> state;
};

/// The cost to go along one or two reservoirs, all else as the state says.
struct CostGrid {
    struct Axis {
        int hydro_id = 0;
        std::string name;
        std::vector<double> storage_hm3;  ///< ascending, from limit to limit
    };
    std::string stage;
    std::vector<Axis> axes;
    std::vector<double> cost;                      ///< [points], [$]; the last axis is innermost
    std::vector<std::vector<double>> water_value;  ///< [axes][points], [$/hm³]
};

/// The cuts after a node.
struct CutsAfter {
    int stage_id = 0;
    int node_id = 0;
    std::string stage;  ///< "stage 3 (2018-04-01)"
    bool is_last = false;
    const sddp::StageCuts* cuts = nullptr;  ///< as long as the reader lives
};

/// What the cuts of a policy are of, for who prices states by himself.
struct PolicyShape {
    std::vector<CutsAfter> nodes;
    std::vector<PolicyValue::Number> state;           ///< before the first stage; no slopes
    std::vector<std::pair<int, std::string>> hydros;  ///< ids and names; their storages come first
    double least_cost = 0;                            ///< [$], what no future costs less than
    bool has_graph = false;                           ///< nodes are asked for, not stages
};

/// A policy that is asked for values.
class PolicyReader {
public:
    /// Reads the case, and the policy, which must be of it.
    /// @throws InputError, IoError
    explicit PolicyReader(const PolicyPlace& place);
    ~PolicyReader();
    PolicyReader(const PolicyReader&) = delete;
    PolicyReader& operator=(const PolicyReader&) = delete;

    /// @throws InputError  no such stage, node or state variable; after the stage comes no cost
    [[nodiscard]] PolicyValue at(const PolicyState& state) const;
    /// @param plants  names or ids of one or two reservoirs
    /// @param points  on each axis, >= 2
    /// @throws InputError  as at(); also a plant without storage
    [[nodiscard]] CostGrid grid(const PolicyState& state,
                                const std::vector<std::string>& plants,
                                int points) const;
    [[nodiscard]] PolicyShape shape() const;
    /// formats::cobre::cut_matrix
    [[nodiscard]] io::Table cuts() const;

private:
    struct Inside;
    std::unique_ptr<const Inside> inside_;
};

io::Json to_json(const PolicyValue& value);

/// Storage of each axis, cost_to_go and water value of each axis, a row a point.
io::Table to_table(const CostGrid& grid);

/// A table of numbers as text, with a head.
std::string to_csv(const io::Table& table);

/// A page with the cost to go and the water values.
io::Page to_page(const CostGrid& grid);

/// The cost to go as one picture.
std::string to_svg(const CostGrid& grid);

}  // namespace lockstep::app
