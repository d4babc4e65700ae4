#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::formats::cobre::test {

/// A folder of its own for a test, removed at its end.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline Date date(int year, unsigned month, unsigned day) {
    return std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
}

/// Two stages of 100 h and 200 h; the second has two blocks of 50 h and 150 h. Declared ids 10, 11.
inline sddp::Calendar calendar() {
    sddp::Calendar out;
    sddp::Stage first;
    first.id = 10;
    first.start = date(2026, 1, 1);
    first.end = date(2026, 2, 1);
    first.blocks = {{"all", 100}};
    first.openings = 1;
    sddp::Stage second = first;
    second.id = 11;
    second.start = date(2026, 2, 1);
    second.end = date(2026, 3, 1);
    second.blocks = {{"peak", 50}, {"base", 150}};
    second.openings = 2;
    out.stages = {first, second};
    out.past = {{-1, date(2025, 12, 1), date(2026, 1, 1), -1}};
    return out;
}

inline sddp::Hydro hydro(const sddp::Calendar& c, int id, const std::string& name) {
    const double infinity = std::numeric_limits<double>::infinity();
    sddp::Hydro h;
    h.id = id;
    h.name = name;
    h.entity_min_storage_hm3 = 10;
    h.entity_max_storage_hm3 = 100;
    h.min_storage_hm3 = {10, 10};
    h.max_storage_hm3 = {100, 90};
    h.max_turbined_m3s = h.max_generation_mw = sddp::ByBlock(c, 50);
    h.min_outflow_m3s = h.min_spillage_m3s = h.min_diversion_m3s = h.max_diversion_m3s =
        sddp::ByBlock(c, 0);
    h.max_outflow_m3s = h.max_spillage_m3s = sddp::ByBlock(c, infinity);
    h.withdrawal_m3s = {0, 0};
    h.productivity = h.equivalent_productivity = {1, 1};
    h.planes.resize(2);
    h.evaporation.resize(2);
    h.costs.resize(2);
    sddp::UnitGroup group;
    group.id = 1;
    group.bus = 0;
    group.min_turbined_m3s = group.min_generation_mw = sddp::ByBlock(c, 0);
    group.max_turbined_m3s = group.max_generation_mw = sddp::ByBlock(c, 50);
    h.groups = {group};
    return h;
}

/// Plant 5 upstream of plant 3; a thermal plant, two buses, a line, a wind park, an export, a
/// pumping station, a constraint.
inline sddp::System system(const sddp::Calendar& c) {
    sddp::System s;
    s.buses.resize(2);
    for (std::size_t b = 0; b < 2; ++b) {
        s.buses[b].id = static_cast<int>(b) + 20;
        s.buses[b].name = b == 0 ? "North, \"upper\"" : "South";
        s.buses[b].mean_load_mw = {30, 40};
        s.buses[b].load_std_mw = {0, b == 0 ? 2.0 : 0.0};
        s.buses[b].load_factor = sddp::ByBlock(c, 1);
        s.buses[b].excess_cost = sddp::ByBlock(c, 1);
        s.buses[b].is_stochastic = b == 0;
    }
    s.hydros = {hydro(c, 5, "Alto"), hydro(c, 3, "Baixo")};
    s.hydros[0].downstream = 1;
    s.hydros[0].diversion_target = 1;
    s.hydros[1].equivalent_productivity = s.hydros[1].productivity = {0.5, 0.25};
    s.hydros[1].planes[1] = {{1, 2, 3, 0}};
    s.hydros[1].evaporation[1] = sddp::Evaporation{0.1, 0, 1};
    s.hydros[0].max_generation_mw(1, 1) = 45;
    sddp::Thermal thermal;
    thermal.id = 7;
    thermal.name = "Gas";
    thermal.bus = 1;
    thermal.cost = {10, 20};
    thermal.min_mw = sddp::ByBlock(c, 0);
    thermal.max_mw = sddp::ByBlock(c, 15);
    thermal.max_mw(0, 0) = 0;
    s.thermals = {thermal};
    sddp::Line line;
    line.id = 1;
    line.name = "Link";
    line.source = 0;
    line.target = 1;
    line.losses_percent = 2;
    line.exchange_cost = sddp::ByBlock(c, 1);
    line.direct_mw = sddp::ByBlock(c, 12);
    line.reverse_mw = sddp::ByBlock(c, 8);
    s.lines = {line};
    sddp::NonControllable wind;
    wind.id = 4;
    wind.name = "Wind";
    wind.bus = 1;
    wind.in_service = {0, 1};
    wind.max_generation_mw = 9;
    wind.mean = wind.std = {0, 0};
    wind.available_mw = {9, 9};
    wind.factor = sddp::ByBlock(c, 1);
    wind.curtailment_cost = sddp::ByBlock(c, 3);
    s.sources = {wind};
    const sddp::ByBlock limit(c, 10);
    s.contracts = {{4, "Sale", 0, false, sddp::ByBlock(c, -20), sddp::ByBlock(c, 0), limit}};
    s.pumping_stations = {{6, "Lift", 1, 1, 0, 0.5, sddp::ByBlock(c, 0), limit}};
    sddp::GenericConstraint constraint;
    constraint.id = 9;
    constraint.name = "floor";
    constraint.has_slack = true;
    constraint.penalty = 5;
    constraint.rows = {{1, -1, 3, std::numeric_limits<double>::infinity(), {}}};
    s.constraints = {constraint};
    return s;
}

inline sddp::Problem problem() {
    sddp::Problem p;
    p.calendar = calendar();
    p.system = system(p.calendar);
    p.process.inflow.hydros = 2;
    p.process.inflow.lags = 2;
    p.process.inflow.stages.resize(2);
    for (auto& stage : p.process.inflow.stages) {
        stage.base = {8, 6};
        stage.scale = {1, 1};
        stage.lag.assign(4, 0);
        stage.order = {2, 1};
    }
    p.process.inflow.initial_lags = {1, 2, 3, 4};
    p.process.layout.hydros = 2;
    p.process.layout.buses = {0};
    p.process.tree.dimension = 3;
    p.process.tree.count = {1, 2};
    p.process.tree.values = {{0.5, -1, 2}, {1, 2, 3, 4, 5, 6}};
    p.process.resolved.statistics = {
        {0, -2, 20, 3}, {0, -1, 30, 4}, {0, 10, 50, 5}, {1, 11, 60, 6}};
    p.process.resolved.coefficients = {{1, 11, 2, 0.25}};
    p.process.resolved.correlation = sddp::CorrelationModel{
        {{"default", {{sddp::NoiseClass::inflow, {0, 1}, {1, 0.5, 0.5, 1}}}}}, {{11, "default"}}};
    p.process.resolved.tree_seed = 42;
    p.process.provenance.estimation_path = "full_estimation";
    p.process.fit.seasons = {{1, 0, 2, {0.5, 0.25}, 0.9, 0, 60, 6}};
    return p;
}

inline CaseFacts input() {
    CaseFacts c;
    c.directory = "some/case";
    c.config.train.forward_passes = 4;
    c.config.train.stopping = {{sddp::StoppingRule::Kind::iteration_limit, 3, 0, 0}};
    c.config.simulate.scenarios = 2;
    c.input_digest = {1, 2};
    c.constraint_terms = {{{{"hydro_storage", "hydro_storage(id=5)"},
                            {"line_exchange", "line_exchange(id=1, block=all)"}},
                           {2, -1}}};
    c.evaporation_lines = {{3, 0, 0, 0, 55, false}, {3, 1, 0.1, 0, 55, false}};
    return c;
}

inline sddp::IterationReport report(int iteration) {
    sddp::IterationReport r;
    r.iteration = iteration;
    r.lower_bound = 100.0 * iteration;
    r.upper_bound = 1000.0 / iteration;
    r.upper_bound_std = 7;
    r.gap = (r.upper_bound - r.lower_bound) / r.lower_bound;
    r.cuts_added = 4;
    r.cuts_active = iteration == 1 ? 4 : 6;
    r.mean_cuts_in_lp = 2.5;
    r.forward = {8, 8, 80, 0, 0.5, 0.25};
    r.backward = {16, 16, 160, 0, 1.5, 0.75, {3, 0, 0, 0, iteration == 2 ? 1 : 0}};
    r.bound = {1, 1, 10, 0, 0.1, 0.125};
    using Pass = sddp::WorkRow::Pass;
    const std::int64_t late = iteration == 2 ? 1 : 0;
    r.work = sddp::WorkTable(std::vector<sddp::WorkRow>{
        {Pass::forward, 0, -1, {3, 0, 50, 0, 0.25, 0, {}, 2, 0.125, 0.0625, 0.03125}},
        {Pass::forward, 1, -1, {5, 0, 30, 0, 0.25, 0, {}, 2}},
        {Pass::backward, 1, 0, {10, 0, 100, 0, 1, 0, {2, 0, 0, 0, late}, 4}},
        {Pass::backward, 1, 1, {6, 0, 60, 0, 0.5, 0, {1, 0, 0, 0, 0}}}});
    r.wall_seconds = 1.5;
    r.ranks.resize(1);
    r.ranks.front().communication_seconds = 0.0625;
    return r;
}

inline sddp::TrainResult training() {
    sddp::TrainResult r;
    r.iterations = {report(1), report(2)};
    r.stop = sddp::StopReason::iteration_limit;
    r.lower_bound = 200;
    r.upper_bound = 500;
    r.digest = {0xabc, 0xdef};
    r.seconds = 3;
    r.scaling.resize(2, {5, 2, 7, {0.5, 4}, {8, 1024}, {1, 64}, 0.125, 0.5});
    return r;
}

inline RunInfo run_info() {
    RunInfo r;
    r.started_at = "2026-01-31T12:00:00Z";
    r.completed_at = "2026-01-31T12:00:03Z";
    r.hosts = {"node1"};
    r.setup_seconds = {{"read", 0.5}};
    r.settings = {{"training.tree_seed", "42"}};
    return r;
}

/// Every array filled with a value that depends on the scenario and the stage.
/// Gives a problem water of its first plant that is on its way for a stage, and a thermal plant
/// that decides ahead: before the study for its second stage and the one after it, in its second
/// one for the one after that.
inline void add_what_goes_on(sddp::Problem& p) {
    p.system.hydros[0].arrival_shares = {{0.75, 0.25}, {0.75}};
    p.system.hydros[1].initial_transit_hm3 = {1};
    sddp::Thermal& thermal = p.system.thermals[0];
    const Date start = p.calendar.stages[1].end;
    thermal.commitments = 3;
    thermal.deliveries.resize(3);
    for (int i = 0; i < 3; ++i) {
        sddp::Delivery& delivery = thermal.deliveries[static_cast<std::size_t>(i)];
        delivery.stage = i + 1;
        delivery.decided_in = i < 2 ? -1 : 1;
        delivery.start = start + std::chrono::days{30 * (i - 1)};
        delivery.end = delivery.start + std::chrono::days{30};
        delivery.committed_mw = 4;
    }
}

inline sddp::StageResult stage_result(const sddp::Problem& p, int stage, int scenario) {
    sddp::StageResult r;
    r.stage = stage;
    r.blocks = static_cast<int>(p.calendar.stages[at(stage)].blocks.size());
    const auto blocks = static_cast<std::size_t>(r.blocks);
    const double x = stage + 1;
    auto& h = r.hydro;
    h.storage_initial_hm3 = {40, 50};
    h.storage_final_hm3 = {30.0 + scenario, 20.0 + 10 * scenario};
    h.incremental_inflow_m3s = {8, 6};
    h.evaporation_m3s = {0, 0.5};
    for (auto* zeros : {&h.evaporation_above_m3s,
                        &h.evaporation_below_m3s,
                        &h.withdrawal_above_m3s,
                        &h.withdrawal_below_m3s,
                        &h.inflow_slack_m3s,
                        &h.storage_below_hm3}) {
        zeros->assign(2, 0);
    }
    h.water_value_per_hm3 = {-3, -2};
    h.turbined_m3s.assign(2 * blocks, 10 * x);
    h.spillage_m3s.assign(2 * blocks, 1);
    h.diverted_m3s.assign(2 * blocks, 0);
    for (std::size_t k = 0; k < blocks; ++k) {
        h.diverted_m3s[k] = 2;
    }
    h.generation_mw.assign(2 * blocks, 10 * x);
    h.arriving_m3s.assign(2 * blocks, 0);
    for (std::size_t k = blocks; k < 2 * blocks; ++k) {
        h.arriving_m3s[k] = 10 * x + 3;
    }
    for (auto* zeros : {&h.turbined_slack_m3s,
                        &h.outflow_slack_below_m3s,
                        &h.outflow_slack_above_m3s,
                        &h.generation_slack_mw}) {
        zeros->assign(2 * blocks, 0);
    }
    h.spillage_cost.assign(2 * blocks, 0.5);
    r.cell.hydro = {0, 1};
    r.cell.bus = {0, 0};
    r.cell.turbined_m3s = h.turbined_m3s;
    r.cell.generation_mw = h.generation_mw;
    r.thermal_mw.assign(blocks, 5 * stage);
    r.committed_mw = r.decided_mw = {0};
    r.pending_mw.assign(static_cast<std::size_t>(p.system.commitment_count()), 5);
    r.direct_mw.assign(blocks, 6);
    r.reverse_mw.assign(blocks, 1);
    r.load_mw.assign(2 * blocks, 30);
    r.deficit_mw.assign(2 * blocks, scenario == 1 && stage == 1 ? 4 : 0);
    r.excess_mw.assign(2 * blocks, 0);
    r.spot_price.assign(2 * blocks, 20);
    if (blocks == 2) {
        r.spot_price[0] = 100;
    }
    r.available_mw.assign(blocks, 9);
    r.curtailed_mw.assign(blocks, 2);
    r.contract_mw.assign(blocks, 7);
    r.pumped_m3s.assign(blocks, 4);
    r.charge_mw.assign(p.system.batteries.size() * blocks, 3);
    r.discharge_mw.assign(p.system.batteries.size() * blocks, 2);
    r.energy_initial_mwh.assign(p.system.batteries.size(), 100);
    r.energy_final_mwh.assign(p.system.batteries.size(), 150);
    r.transit_hm3.assign(static_cast<std::size_t>(p.system.transit_count()), 3);
    r.incoming_lags_m3s = {1, 2, 3, 4};
    if (stage == 1) {
        r.generic = {{0, 1, 0.5, 375}, {0, -1, 0.25, 250}};
    }
    auto& c = r.cost;
    c.thermal = 1000 * x;
    c.deficit = 200;
    c.excess = 1;
    c.exchange = 2;
    c.curtailment = 3;
    c.spillage = 4;
    c.turbined = 5;
    c.outflow_below = 6;
    c.outflow_above = 7;
    c.turbined_below = 8;
    c.generation_below = 9;
    c.evaporation = 10;
    c.withdrawal = 11;
    c.inflow_slack = 12;
    c.generic = 13;
    c.immediate = 1000 * x + 291;
    c.future = stage == 0 ? 5000 : 0;
    c.discount = stage == 0 ? 1 : 0.5;
    return r;
}

inline sddp::ScenarioResult scenario_result(const sddp::Problem& p, int scenario) {
    sddp::ScenarioResult r;
    r.scenario = scenario;
    r.stages = {stage_result(p, 0, scenario), stage_result(p, 1, scenario)};
    r.total_cost = 1291 + 0.5 * 2291 + scenario;
    return r;
}

inline sddp::SimulateResult simulation() {
    sddp::SimulateResult r;
    r.total_cost = {2436.5, 2437.5};
    r.mean = 2437;
    r.std = 0.7071;
    r.digest = {3, 4};
    r.seconds = 1;
    r.scenario_work = {{2, 2, 7, 0, 0.25, 0, {}}, {3, 2, 9, 0, 0.5, 0, {1, 0, 0, 0, 0}}};
    r.work = {5, 4, 16, 0, 0.75, 1, {1, 0, 0, 0, 0}};
    return r;
}

/// Policy of problem(): state of 2 storages and 4 lags, `cuts` cuts after the first stage.
inline sddp::Policy policy(int cuts) {
    sddp::Policy p;
    p.stages.resize(2);
    p.stages[0].slopes = sddp::CutSlopes({2, 2, 2});
    for (int c = 0; c < cuts; ++c) {
        p.stages[0].intercept.push_back(1.0 / 3 + c);
        p.stages[0].iteration.push_back(1 + c / 2);
        p.stages[0].trajectory.push_back(c % 2);
        p.stages[0].active.push_back(c == 1 ? 0 : 1);
        std::vector<double> slopes;
        for (int i = 0; i < 6; ++i) {
            slopes.push_back(-0.1 * (i + 1) * (c + 1));
        }
        p.stages[0].slopes.add(slopes);
    }
    return p;
}

}  // namespace lockstep::formats::cobre::test
