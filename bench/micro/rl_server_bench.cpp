// Workers of a parameter server of which one is four times slower, in simulated time: they really
// learn, but take as long as their speed says, and a message takes 50 us. A line for each way to
// share the work: seconds, the workers' idle share, the largest error of the values at the end, how
// old tables were.
//
// usage: bench_rl_server [STEPS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/learn/world_of.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/exchange/staleness.hpp"
#include "support/rl/simulated_cluster.hpp"

namespace {

using namespace lockstep;

const std::vector<double> speeds{1e6, 1e6, 1e6, 0.25e6};  // transitions a second
constexpr double gamma_of_all = 0.95;

double speed_of_all() {
    double sum = 0;
    for (const double speed : speeds) {
        sum += speed;
    }
    return sum;
}

std::vector<double> exact_values(const rl::Garnet& garnet) {
    rl::SolveOptions options;
    options.gamma = gamma_of_all;
    options.tolerance = 1e-10;
    rl::SolveObserver observer;
    runtime::ThreadTeam team(1);
    return rl::solve(*garnet.model(), options, team, observer).value;
}

double error_of(const rl::QTable& table, const std::vector<double>& exact) {
    double error = 0;
    for (std::size_t s = 0; s < exact.size(); ++s) {
        const auto* row = table.values.data() + s * static_cast<std::size_t>(table.actions);
        error = std::max(error, std::abs(*std::max_element(row, row + table.actions) - exact[s]));
    }
    return error;
}

void print_head(double steps) {
    std::printf(
        "%.0f transitions, speeds 1:1:1:1/4; nobody idle: %.3f s\n", steps, steps / speed_of_all());
    std::printf(
        "%-44s %9s %7s %8s %7s %7s %6s\n", "", "seconds", "idle", "error", "age", "p95", "max");
}

void simulate(const std::string& name,
              const rl::World& world,
              const rl::LearnOptions& options,
              const std::vector<double>& exact) {
    test::SimulatedCluster cluster(world, options, {});
    for (const double speed : speeds) {
        cluster.add_worker(speed);
    }
    const double seconds = cluster.run();
    double busy = 0;
    for (int id = 1; id <= static_cast<int>(speeds.size()); ++id) {
        busy += cluster.busy(id);
    }
    const auto staleness = rl::staleness_of(cluster.server().ledger().ages());
    std::printf("%-44s %9.3f %6.1f%% %8.4f %7.2f %7.0f %6.0f\n",
                name.c_str(),
                seconds,
                100 * (1 - busy / (static_cast<double>(speeds.size()) * seconds)),
                error_of(cluster.table().table(), exact),
                staleness.mean,
                staleness.p95,
                staleness.max);
}

// The seed's rule: a worker gets the mean speed over its own as its factor, so that slow ones get
// more; all wait for the slowest.
void print_rule(const char* name, double steps, const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
    }
    double seconds = 0;
    double busy = 0;
    for (std::size_t w = 0; w < speeds.size(); ++w) {
        const double own = steps * weights[w] / sum / speeds[w];
        seconds = std::max(seconds, own);
        busy += own;
    }
    std::printf("%-44s %9.3f %6.1f%%\n",
                name,
                seconds,
                100 * (1 - busy / (static_cast<double>(speeds.size()) * seconds)));
}

}  // namespace

int main(int argc, char** argv) {
    const rl::Garnet garnet({100, 4, 5, 1});
    const auto world = rl::make_world_of(garnet);
    const auto exact = exact_values(garnet);
    rl::LearnOptions options;
    options.mode = rl::Mode::server;
    options.discount_factor = gamma_of_all;
    options.exploration.level = rl::parse_schedule("0.5");
    options.learning_rate = rl::parse_step_size("101/(100+n)");
    options.steps = argc > 1 ? std::atoll(argv[1]) : 8'000'000;
    options.workers = static_cast<int>(speeds.size());
    const auto steps = static_cast<double>(options.steps);
    print_head(steps);

    options.staleness = 0;
    simulate("rounds, a share for each worker", *world, options, exact);
    options.workers = 16;
    simulate("rounds, 16 shares for who is free", *world, options, exact);
    for (const int staleness : {1, 4, 16, -1}) {
        options.staleness = staleness;
        simulate("leases by speed, staleness " + std::to_string(staleness), *world, options, exact);
    }
    options.delay_adaptive = true;
    simulate("the same, steps by delay", *world, options, exact);

    std::vector<double> inverted;
    for (const double speed : speeds) {
        inverted.push_back(speed_of_all() / static_cast<double>(speeds.size()) / speed);
    }
    print_rule("equal shares (no messages)", steps, {1, 1, 1, 1});
    print_rule("the seed's rule (no messages)", steps, inverted);
    return 0;
}
