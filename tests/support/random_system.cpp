#include "support/random_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "lockstep/base/index.hpp"

#include "support/dice.hpp"
#include "support/path_samplers.hpp"
#include "support/random_constraints.hpp"
#include "support/random_deliveries.hpp"
#include "support/random_exchanges.hpp"
#include "support/random_phases.hpp"
#include "support/random_travel.hpp"

namespace lockstep::test {
namespace {

using sddp::ByBlock;
using sddp::NonNegativity;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_noise = 1.7;

class ProblemWriter {
public:
    explicit ProblemWriter(std::uint64_t seed) : seed_(seed), dice_(seed) {}

    sddp::Problem write() {
        choose_sizes();
        write_calendar();
        write_inflows();
        for (int b = 0; b < buses_; ++b) {
            problem_.system.buses.push_back(bus(b));
        }
        for (int l = 0; buses_ > 1 && l < buses_; ++l) {
            problem_.system.lines.push_back(line(l));
        }
        const int thermals = dice_.integer(1, 3);
        for (int j = 0; j < thermals; ++j) {
            problem_.system.thermals.push_back(thermal(j));
        }
        const int sources = dice_.integer(0, 2);
        for (int n = 0; n < sources; ++n) {
            problem_.system.sources.push_back(source(n));
        }
        write_hydros();
        add_random_deliveries(problem_, dice_);
        add_random_phases(problem_, dice_);
        add_random_travel(problem_, dice_);
        add_random_exchanges(problem_, dice_);
        add_random_constraints(problem_, dice_);
        write_tree();
        return std::move(problem_);
    }

private:
    void choose_sizes() {
        stages_ = dice_.chance(0.1) ? 1 : dice_.integer(2, 3);
        hydros_ = dice_.integer(1, 4);
        buses_ = dice_.integer(1, 3);
        for (int t = 0; t < stages_; ++t) {
            openings_.push_back(dice_.integer(1, 3));
            blocks_.push_back(dice_.integer(1, 3));
        }
    }

    void write_calendar() {
        const bool discounted = dice_.chance(0.4);
        const bool averse = dice_.chance(0.35);
        auto day = Date{std::chrono::days{20'000}};
        for (int t = 0; t < stages_; ++t) {
            sddp::Stage stage;
            stage.id = t;
            stage.start = day;
            day += std::chrono::days{dice_.integer(20, 31)};
            stage.end = day;
            stage.openings = openings_[at(t)];
            for (int k = 0; k < blocks_[at(t)]; ++k) {
                stage.blocks.push_back({numbered('B', k), dice_.uniform(60, 300)});
            }
            stage.is_chronological = blocks_[at(t)] > 1 && dice_.chance(0.3);
            if (discounted) {
                stage.annual_discount_rate = dice_.uniform(0, 0.5);
            }
            if (averse) {
                stage.risk = {dice_.uniform(0.1, 0.9), dice_.uniform(0.1, 1)};
            }
            problem_.calendar.stages.push_back(stage);
        }
    }

    [[nodiscard]] bool has_slack() const {
        return problem_.process.non_negativity == NonNegativity::penalty ||
               problem_.process.non_negativity == NonNegativity::truncation_with_penalty;
    }

    // Without a slack and without truncation inflows stay positive, so that storages can be kept.
    void write_inflows() {
        auto& process = problem_.process;
        const int lags = dice_.chance(0.5) ? 0 : dice_.integer(1, 3);
        const int mode = lags > 0 ? dice_.integer(0, 1) : dice_.integer(0, 3);
        process.non_negativity =
            std::vector<NonNegativity>{NonNegativity::none,
                                       NonNegativity::penalty,
                                       NonNegativity::truncation,
                                       NonNegativity::truncation_with_penalty}[at(mode)];
        const bool positive = process.non_negativity == NonNegativity::none;
        auto& inflow = process.inflow;
        inflow.hydros = hydros_;
        inflow.lags = lags;
        for (int i = 0; i < lags * hydros_; ++i) {
            inflow.initial_lags.push_back(dice_.uniform(positive ? 5 : -10, 60));
        }
        for (int t = 0; t < stages_; ++t) {
            inflow.stages.push_back(inflow_stage(lags, positive));
        }
    }

    sddp::InflowModel::StageModel inflow_stage(int lags, bool positive) {
        sddp::InflowModel::StageModel model;
        for (int h = 0; h < hydros_; ++h) {
            const double base = dice_.uniform(5, 50);
            const bool known = positive && dice_.chance(0.1);
            model.base.push_back(base);
            model.scale.push_back(known      ? 0
                                  : positive ? dice_.uniform(0, base / largest_noise)
                                             : dice_.uniform(0.2, 1) * base);
            model.order.push_back(dice_.integer(0, lags));
        }
        for (int l = 0; l < lags; ++l) {
            for (int h = 0; h < hydros_; ++h) {
                model.lag.push_back(
                    l < model.order[at(h)] ? dice_.uniform(positive ? 0 : -0.4, 0.5) / (l + 1) : 0);
            }
        }
        return model;
    }

    sddp::ByStage by_stage(double low, double high) {
        sddp::ByStage values;
        for (int t = 0; t < stages_; ++t) {
            values.push_back(dice_.uniform(low, high));
        }
        return values;
    }

    ByBlock by_block(double low, double high) {
        ByBlock values(problem_.calendar, 0);
        for (int t = 0; t < stages_; ++t) {
            for (int k = 0; k < blocks_[at(t)]; ++k) {
                values(t, k) = dice_.uniform(low, high);
            }
        }
        return values;
    }

    ByBlock constant(double value) { return ByBlock(problem_.calendar, value); }

    sddp::Bus bus(int b) {
        sddp::Bus bus;
        bus.id = b;
        bus.name = numbered('N', b);
        const int segments = dice_.integer(1, 3);
        double cost = dice_.uniform(200, 600);
        for (int s = 0; s < segments; ++s, cost += dice_.uniform(50, 800)) {
            bus.deficit.push_back({s + 1 < segments ? dice_.uniform(2, 25) : infinity, cost});
        }
        bus.excess_cost = by_block(0, 3);
        bus.mean_load_mw = by_stage(20, 120);
        bus.is_stochastic = dice_.chance(0.35);
        bus.load_std_mw = bus.is_stochastic ? by_stage(0, 40) : by_stage(0, 0);
        bus.load_factor = by_block(0.7, 1.3);
        return bus;
    }

    sddp::Line line(int l) {
        sddp::Line line;
        line.id = l;
        line.name = numbered('L', l);
        line.source = l;
        line.target = (l + 1) % buses_;
        line.loss_share = dice_.chance(0.3) ? dice_.uniform(0, 0.1) : 0;
        line.exchange_cost = dice_.chance(0.3) ? by_block(0, 2) : constant(dice_.cost(0, 2));
        line.direct_mw = by_block(5, 50);
        line.reverse_mw = dice_.chance(0.3) ? constant(0) : by_block(5, 50);
        return line;
    }

    sddp::Thermal thermal(int j) {
        sddp::Thermal thermal;
        thermal.id = j;
        thermal.name = numbered('T', j);
        thermal.bus = dice_.integer(0, buses_ - 1);
        thermal.cost = by_stage(10, 150);
        thermal.min_mw = dice_.chance(0.4) ? by_block(0, 10) : constant(0);
        thermal.max_mw = by_block(10, 60);
        return thermal;
    }

    sddp::NonControllable source(int n) {
        sddp::NonControllable source;
        source.id = n;
        source.name = numbered('S', n);
        source.bus = dice_.integer(0, buses_ - 1);
        source.allow_curtailment = !dice_.chance(0.3);
        source.is_stochastic = dice_.chance(0.5);
        source.max_generation_mw = dice_.uniform(20, 160);
        source.mean = by_stage(0.2, 0.8);
        source.std = by_stage(0, 0.4);
        source.in_service.assign(at(stages_), 1);
        if (dice_.chance(0.2)) {
            source.in_service[at(dice_.integer(0, stages_ - 1))] = 0;
        }
        for (int t = 0; t < stages_; ++t) {
            source.available_mw.push_back(source.in_service[at(t)] *
                                          dice_.uniform(0, source.max_generation_mw));
        }
        source.factor = by_block(0.5, 1.2);
        source.curtailment_cost = by_block(0, 20);
        return source;
    }

    // Plants in a random order of flow; water goes down that order only.
    void write_hydros() {
        std::vector<int> order(at(hydros_));
        std::iota(order.begin(), order.end(), 0);
        for (int i = hydros_ - 1; i > 0; --i) {
            std::swap(order[at(i)], order[at(dice_.integer(0, i))]);
        }
        problem_.system.hydros.resize(at(hydros_));
        for (int i = 0; i < hydros_; ++i) {
            auto& plant = problem_.system.hydros[at(order[at(i)])];
            plant.id = order[at(i)];
            plant.name = numbered('H', plant.id);
            if (i + 1 < hydros_ && dice_.chance(0.75)) {
                plant.downstream = order[at(dice_.integer(i + 1, hydros_ - 1))];
            }
            if (i + 1 < hydros_ && dice_.chance(0.35)) {
                plant.diversion_target = order[at(dice_.integer(i + 1, hydros_ - 1))];
            }
            write_reservoir(plant);
            write_hydro_costs(plant);
            write_evaporation(plant);
        }
        // planes need the storages and inflows of all plants
        for (auto& plant : problem_.system.hydros) {
            write_groups(plant);
            write_production(plant);
        }
    }

    void write_reservoir(sddp::Hydro& plant) {
        const double top = dice_.uniform(30, 300);
        plant.max_storage_hm3.assign(at(stages_), top);
        if (dice_.chance(0.3)) {
            plant.max_storage_hm3 = by_stage(0.6 * top, top);
        }
        double floor = dice_.chance(0.5) ? 0 : dice_.uniform(0, 0.3 * top);
        plant.min_storage_hm3.assign(at(stages_), floor);
        const bool varies = dice_.chance(0.3);
        for (int t = 0; varies && t < stages_; ++t) {
            plant.min_storage_hm3[at(t)] =
                has_slack() ? dice_.uniform(0, 0.3 * top) : (floor *= dice_.uniform(0.5, 1));
        }
        plant.entity_min_storage_hm3 = 0;
        plant.entity_max_storage_hm3 = top;
        plant.initial_storage_hm3 = dice_.uniform(plant.min_storage_hm3[0], top);

        plant.withdrawal_m3s = dice_.chance(0.4) ? by_stage(-8, 12) : by_stage(0, 0);
        write_flow_limits(plant);
    }

    void write_flow_limits(sddp::Hydro& plant) {
        plant.min_outflow_m3s = dice_.chance(0.4) ? by_block(0, 50) : constant(0);
        plant.max_outflow_m3s = dice_.chance(0.3) ? by_block(50, 120) : constant(infinity);
        plant.min_spillage_m3s = has_slack() && dice_.chance(0.25) ? by_block(0, 10) : constant(0);
        plant.max_spillage_m3s = constant(infinity);
        if (dice_.chance(0.3)) {
            cap_spillage(plant);
        }
        plant.min_diversion_m3s = constant(0);
        plant.max_diversion_m3s = constant(0);
        if (plant.diversion_target >= 0) {
            plant.max_diversion_m3s = by_block(5, 40);
            if (has_slack() && dice_.chance(0.6)) {
                plant.min_diversion_m3s = by_block(0, 5);
            }
        }
    }

    // Where more than the demand may be withdrawn, water always finds a way out.
    void cap_spillage(sddp::Hydro& plant) {
        for (int t = 0; t < stages_; ++t) {
            const bool drains = plant.withdrawal_m3s[at(t)] > 0 &&
                                !problem_.calendar.stages[at(t)].is_chronological;
            for (int k = 0; drains && k < blocks_[at(t)]; ++k) {
                plant.max_spillage_m3s(t, k) = dice_.uniform(10, 40);
            }
        }
    }

    void write_hydro_costs(sddp::Hydro& plant) {
        for (int t = 0; t < stages_; ++t) {
            sddp::HydroCosts costs;
            costs.turbined = dice_.cost(0, 1);
            costs.spillage = dice_.cost(0, 3);
            costs.diversion = dice_.cost(0, 2);
            costs.turbined_below = dice_.uniform(10, 300);
            costs.outflow_below = dice_.uniform(10, 500);
            costs.outflow_above = dice_.uniform(10, 300);
            costs.generation_below = dice_.uniform(10, 500);
            costs.evaporation_above = dice_.uniform(5, 300);
            costs.evaporation_below = dice_.uniform(5, 300);
            costs.withdrawal_above = dice_.uniform(5, 300);
            costs.withdrawal_below = dice_.uniform(5, 300);
            costs.inflow_slack = dice_.uniform(300, 1000);
            plant.costs.push_back(costs);
        }
        if (dice_.chance(0.3)) {
            write_block_costs(plant);
        }
    }

    void write_block_costs(sddp::Hydro& plant) {
        plant.block_costs.resize(at(stages_));
        for (int t = 0; t < stages_; ++t) {
            if (dice_.chance(0.2)) {
                continue;
            }
            plant.block_costs[at(t)].resize(at(blocks_[at(t)]), plant.costs[at(t)]);
            for (auto& costs : plant.block_costs[at(t)]) {
                costs.turbined = dice_.cost(0, 1);
                costs.spillage = dice_.cost(0, 3);
                costs.diversion = dice_.cost(0, 2);
                costs.turbined_below = dice_.uniform(10, 300);
                costs.outflow_below = dice_.uniform(10, 500);
                costs.outflow_above = dice_.uniform(10, 300);
                costs.generation_below = dice_.uniform(10, 500);
                costs.evaporation_above = dice_.uniform(5, 300);
                costs.evaporation_below = dice_.uniform(5, 300);
            }
        }
    }

    void write_evaporation(sddp::Hydro& plant) {
        plant.evaporation.resize(at(stages_));
        if (!dice_.chance(0.5)) {
            return;
        }
        const bool tight = dice_.chance(0.3);
        for (int t = 0; t < stages_; ++t) {
            if (dice_.chance(0.15)) {
                continue;
            }
            const double sign = dice_.chance(0.3) ? -1 : 1;
            sddp::Evaporation evaporation;
            evaporation.k0 = sign * dice_.uniform(0, 3);
            evaporation.kv = sign * dice_.uniform(0, 0.02);
            const double most =
                std::abs(evaporation.k0 + evaporation.kv * plant.entity_max_storage_hm3);
            evaporation.limit_m3s = (tight ? 0.6 : 2) * most;
            plant.evaporation[at(t)] = evaporation;
        }
    }

    void write_groups(sddp::Hydro& plant) {
        const int count = dice_.chance(0.5) ? 1 : dice_.integer(2, 3);
        const bool min_flow = dice_.chance(0.3);
        const bool min_power = dice_.chance(0.3);
        const double rho = dice_.uniform(0.4, 1.5);
        plant.productivity = by_stage(0.8 * rho, rho);
        plant.equivalent_productivity = plant.productivity;
        for (int g = 0; g < count; ++g) {
            sddp::UnitGroup group;
            group.id = g;
            group.name = numbered('G', g);
            group.bus = dice_.integer(0, buses_ - 1);
            const double flow = dice_.uniform(15, 60);
            group.declared_max_turbined_m3s = flow;
            group.max_turbined_m3s =
                dice_.chance(0.3) ? by_block(0.3 * flow, flow) : constant(flow);
            group.max_generation_mw = by_block(0.7 * rho * flow, 1.2 * rho * flow);
            group.min_turbined_m3s = min_flow ? by_block(0, 0.6 * flow) : constant(0);
            group.min_generation_mw = min_power ? by_block(0, 0.5 * rho * flow) : constant(0);
            plant.groups.push_back(group);
        }
        write_plant_limits(plant);
    }

    // On several buses the limit of the whole plant holds for the part on each of them.
    void write_plant_limits(sddp::Hydro& plant) {
        const double outage = dice_.chance(0.4) ? 0.3 : 1;
        plant.max_turbined_m3s = constant(0);
        plant.max_generation_mw = constant(0);
        for (int t = 0; t < stages_; ++t) {
            for (int k = 0; k < blocks_[at(t)]; ++k) {
                for (const auto& group : plant.groups) {
                    plant.max_turbined_m3s(t, k) +=
                        dice_.uniform(outage, 1) * group.max_turbined_m3s(t, k);
                    plant.max_generation_mw(t, k) +=
                        dice_.uniform(outage, 1) * group.max_generation_mw(t, k);
                }
            }
        }
    }

    void write_production(sddp::Hydro& plant) {
        plant.planes.resize(at(stages_));
        if (!dice_.chance(0.5)) {
            return;
        }
        for (int t = 0; t < stages_; ++t) {
            if (dice_.chance(0.2)) {
                continue;
            }
            const int count = dice_.integer(1, 3);
            for (int m = 0; m < count; ++m) {
                plant.planes[at(t)].push_back(plane(plant, t, m));
            }
        }
    }

    // Concave in the flow: flatter planes start higher. The most that can be spilled leaves the
    // plane above zero.
    sddp::ProductionPlane plane(const sddp::Hydro& plant, int t, int m) {
        const double rho = plant.productivity[at(t)];
        sddp::ProductionPlane plane;
        plane.volume = dice_.chance(0.2) ? 0 : dice_.uniform(0, 0.08);
        plane.turbined = rho * dice_.uniform(0.8, 1.1) / (m + 1);
        const double least_head = plane.volume * plant.min_storage_hm3[at(t)] / 2;
        plane.intercept = m * 8 + dice_.uniform(0, 4) - (dice_.chance(0.3) ? least_head : 0);
        const double slack = plane.intercept + least_head;
        if (dice_.chance(0.6)) {
            plane.spilled = -dice_.uniform(0, 0.9) * slack / most_water();
        }
        return plane;
    }

    // More than any plant can be forced to spill [m³/s].
    [[nodiscard]] double most_water() const {
        double sum = 0;
        for (int h = 0; h < hydros_; ++h) {
            for (const auto& model : problem_.process.inflow.stages) {
                sum = std::max(sum, 0.0) + 3 * (model.base[at(h)] + 60);
            }
            sum += problem_.system.hydros[at(h)].entity_max_storage_hm3 /
                       (60 * sddp::hm3_per_m3s_hour) +
                   100;
        }
        return sum;
    }

    void write_tree() {
        auto& process = problem_.process;
        process.layout.hydros = hydros_;
        for (int b = 0; b < buses_; ++b) {
            if (problem_.system.buses[at(b)].is_stochastic) {
                process.layout.buses.push_back(b);
            }
        }
        for (int n = 0; n < static_cast<int>(problem_.system.sources.size()); ++n) {
            if (problem_.system.sources[at(n)].is_stochastic) {
                process.layout.sources.push_back(n);
            }
        }
        process.tree.dimension = process.layout.size();
        process.tree.count = openings_;
        for (const int count : openings_) {
            auto& values = process.tree.values.emplace_back();
            for (int i = 0; i < count * process.tree.dimension; ++i) {
                values.push_back(dice_.uniform(-largest_noise, largest_noise));
            }
        }
        const auto tree = std::make_shared<const sddp::OpeningTree>(process.tree);
        process.training = std::make_shared<RandomOpenings>(tree, seed_);
        process.simulation = std::make_shared<EveryPath>(tree);
    }

    std::uint64_t seed_;
    Dice dice_;
    sddp::Problem problem_;
    int stages_ = 0;
    int hydros_ = 0;
    int buses_ = 0;
    std::vector<int> openings_;
    std::vector<int> blocks_;
};

}  // namespace

sddp::Problem random_problem(std::uint64_t seed) {
    return ProblemWriter(seed).write();
}

sddp::Problem truncated_problem(std::uint64_t seed) {
    for (;; ++seed) {
        auto problem = random_problem(seed);
        if (problem.stage_count() < 2 || problem.process.inflow.lags == 0 ||
            problem.process.non_negativity != NonNegativity::penalty) {
            continue;
        }
        problem.process.non_negativity = NonNegativity::truncation_with_penalty;
        return problem;
    }
}

}  // namespace lockstep::test
