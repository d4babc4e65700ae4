#include "lockstep/xpcs/cmc/nuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include "xpcs/cmc/metric_estimate.hpp"
#include "xpcs/cmc/step_size.hpp"
#include "xpcs/cmc/trajectory.hpp"
#include "xpcs/cmc/warmup_windows.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr std::uint64_t format_of_saved_chains = 1;
constexpr double acceptance_of_search = 0.8;
constexpr std::uint32_t longest_search = 200;  // halvings or doublings: beyond any scale
constexpr int most_tree_depth = 20;

void check(bool right, std::string_view field, double found, std::string_view allowed) {
    if (!right) {
        throw InputError(fmt::format("{} is {}, must be {}", field, found, allowed));
    }
}

void check(const NutsOptions& options, int dimension, std::size_t start) {
    check(dimension >= 1, "dimension of the density", dimension, "at least 1");
    check(start == at(dimension),
          "number of start values",
          static_cast<double>(start),
          fmt::format("{}, as the density has", dimension));
    check(options.warmup >= 0, "warmup", options.warmup, "0 or more");
    check(options.draws >= 1, "draws", options.draws, "1 or more");
    check(options.target_acceptance > 0 && options.target_acceptance < 1,
          "target_acceptance",
          options.target_acceptance,
          "in (0, 1)");
    check(options.max_tree_depth >= 1 && options.max_tree_depth <= most_tree_depth,
          "max_tree_depth",
          options.max_tree_depth,
          fmt::format("1 to {}", most_tree_depth));
    check(options.max_energy_error > 0, "max_energy_error", options.max_energy_error, "above 0");
    check(options.initial_step > 0 && std::isfinite(options.initial_step),
          "initial_step",
          options.initial_step,
          "above 0 and finite");
    check(options.covariance.empty() || options.covariance.size() == at(dimension) * at(dimension),
          "number of entries of the covariance",
          static_cast<double>(options.covariance.size()),
          fmt::format("{0} x {0}", dimension));
}

// The identity, or of a covariance what the metric takes of it.
std::vector<double> first_metric(const NutsOptions& options, int dimension) {
    const std::size_t n = at(dimension);
    const bool is_dense = options.metric == MetricKind::dense;
    if (is_dense && !options.covariance.empty()) {
        return options.covariance;
    }
    std::vector<double> metric(is_dense ? n * n : n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        metric[is_dense ? i * n + i : i] =
            options.covariance.empty() ? 1.0 : options.covariance[i * n + i];
    }
    return metric;
}

CovarianceFactor factor_of(MetricKind kind, std::span<const double> metric) {
    return kind == MetricKind::dense ? CovarianceFactor::dense(metric)
                                     : CovarianceFactor::diagonal(metric);
}

bool is_finite(double value) {
    return std::isfinite(value);
}

void reserve(ChainDraws& draws, int dimension, int count) {
    draws.dimension = dimension;
    draws.values.reserve(at(dimension) * at(count));
    draws.log_density.reserve(at(count));
    draws.energy.reserve(at(count));
    draws.acceptance.reserve(at(count));
    draws.leapfrogs.reserve(at(count));
    draws.tree_depth.reserve(at(count));
    draws.is_divergent.reserve(at(count));
}

void append(ChainDraws& draws, const Point& point, const Transition& transition) {
    draws.values.insert(draws.values.end(), point.x.begin(), point.x.end());
    draws.log_density.push_back(point.log_density);
    draws.energy.push_back(transition.energy);
    draws.acceptance.push_back(transition.acceptance);
    draws.leapfrogs.push_back(transition.leapfrogs);
    draws.tree_depth.push_back(static_cast<std::uint8_t>(transition.depth));
    draws.is_divergent.push_back(transition.is_divergent ? 1 : 0);
}

void save(const ChainDraws& draws, ByteWriter& writer) {
    writer.add_array(draws.values);
    writer.add_array(draws.log_density);
    writer.add_array(draws.energy);
    writer.add_array(draws.acceptance);
    writer.add_array(draws.leapfrogs);
    writer.add_array(draws.tree_depth);
    writer.add_array(draws.is_divergent);
}

// Arrays of another length than `count` are damage.
template <typename T>
void restore(std::vector<T>& values, std::size_t count, ByteReader& reader) {
    const auto saved = reader.read_array<T>();
    if (saved.size() != count) {
        throw InputError(
            fmt::format("a saved chain has {} entries where {} belong", saved.size(), count));
    }
    values.assign(saved.begin(), saved.end());
}

void restore(ChainDraws& draws, std::size_t count, ByteReader& reader) {
    restore(draws.values, count * at(draws.dimension), reader);
    restore(draws.log_density, count, reader);
    restore(draws.energy, count, reader);
    restore(draws.acceptance, count, reader);
    restore(draws.leapfrogs, count, reader);
    restore(draws.tree_depth, count, reader);
    restore(draws.is_divergent, count, reader);
}

}  // namespace

struct NutsChain::State {
    State(LogDensity& density, std::span<const double> start, NutsOptions given, ChainKey chain_key)
        : options(std::move(given)),
          key(chain_key),
          random(chain_key),
          dimension(density.dimension()),
          trajectory(density, dimension, options),
          windows(options.warmup),
          estimate(options.metric, dimension),
          step(options.initial_step, options.target_acceptance),
          metric(first_metric(options, dimension)),
          prior(metric),
          factor(factor_of(options.metric, metric)),
          has_step(options.warmup == 0) {
        point.x.assign(start.begin(), start.end());
        point.gradient.resize(at(dimension));
        trial = {point, std::vector<double>(at(dimension))};
        reserve(draws, dimension, options.draws);
        evaluate_start();
    }

    void evaluate_start() {
        trajectory.leapfrog().evaluate(point, factor);
        const bool is_defined = std::isfinite(point.log_density);
        if (is_defined && std::all_of(point.gradient.begin(), point.gradient.end(), is_finite)) {
            return;
        }
        throw ModelError(fmt::format(
            "chain {} of task {} cannot start: {}; start where the density is positive and smooth",
            key.chain,
            key.task,
            is_defined ? "the derivatives are not finite"
                       : fmt::format("the logarithm of the density is {}", point.log_density)));
    }

    [[nodiscard]] bool is_warming_up() const { return iteration < options.warmup; }

    bool advance(const Stop& stop) {
        if (!has_step) {
            find_step();
        }
        const Transition transition = trajectory.run(
            point, factor, step.value(), random, static_cast<std::uint32_t>(iteration), stop);
        if (transition.is_stopped) {
            return false;
        }
        if (is_warming_up()) {
            adapt(transition);
        } else {
            append(draws, point, transition);
        }
        ++iteration;
        return true;
    }

    void adapt(const Transition& transition) {
        warmup.leapfrogs += transition.leapfrogs;
        warmup.divergences += transition.is_divergent ? 1 : 0;
        step.learn(transition.acceptance);
        if (windows.is_inside(iteration)) {
            estimate.add(point.x);
        }
        if (windows.ends_after(iteration)) {
            set_metric();
            find_step();
        }
        if (iteration + 1 == options.warmup) {
            step.settle();
        }
    }

    void set_metric() {
        metric = options.covariance.empty() ? estimate.shrunk_in_its_units(prior)
                                            : estimate.shrunk_towards(prior);
        factor = factor_of(options.metric, metric);
        trajectory.leapfrog().evaluate(point, factor);  // the gradient is in its coordinates
        estimate.clear();
    }

    // How much log density a step from the present point gains or loses in total energy.
    double energy_gain(std::uint32_t trials) {
        trial.point = point;
        random.fill_search(searches, trials, trial.r);
        const double before = trial.energy();
        trajectory.leapfrog().step(trial, factor, step.value());
        ++warmup.leapfrogs;
        return before - trial.energy();
    }

    // Doubles or halves the step until the acceptance of one step crosses 0.8.
    void find_step() {
        const double threshold = math::log(acceptance_of_search);
        const bool grow = energy_gain(0) > threshold;
        std::uint32_t trials = 0;
        do {
            if (++trials > longest_search) {
                throw ModelError(
                    fmt::format("chain {} of task {}: the acceptance of a step does not cross {} "
                                "up to a size of "
                                "{:.3g}; the density is improper or its derivatives are wrong",
                                key.chain,
                                key.task,
                                acceptance_of_search,
                                step.value()));
            }
            step.set(step.value() * (grow ? 2 : 0.5));
        } while ((energy_gain(trials) > threshold) == grow);
        ++searches;
        has_step = true;
        step.restart();
    }

    NutsOptions options;
    ChainKey key;
    ChainRandom random;
    int dimension;
    Trajectory trajectory;
    WarmupWindows windows;
    MetricEstimate estimate;
    StepSize step;
    std::vector<double> metric;
    std::vector<double> prior;
    CovarianceFactor factor;
    Point point;
    PhasePoint trial;
    bool has_step;
    std::uint32_t searches = 0;
    int iteration = 0;
    WarmupReport warmup;
    ChainDraws draws;
};

NutsChain::NutsChain(LogDensity& density,
                     std::span<const double> start,
                     const NutsOptions& options,
                     ChainKey key) {
    check(options, density.dimension(), start.size());
    state_ = std::make_unique<State>(density, start, options, key);
}
NutsChain::~NutsChain() = default;
NutsChain::NutsChain(NutsChain&&) noexcept = default;
NutsChain& NutsChain::operator=(NutsChain&&) noexcept = default;

bool NutsChain::advance(int iterations, const Stop& stop) {
    for (int i = 0; i < iterations && !done(); ++i) {
        if (!state_->advance(stop)) {
            return false;
        }
    }
    return true;
}

bool NutsChain::done() const {
    return draws().count() == state_->options.draws;
}
int NutsChain::iteration() const {
    return state_->iteration;
}
const ChainDraws& NutsChain::draws() const {
    return state_->draws;
}
ChainDraws NutsChain::take_draws() {
    return std::move(state_->draws);
}
const WarmupReport& NutsChain::warmup() const {
    return state_->warmup;
}
double NutsChain::step_size() const {
    return state_->step.value();
}
const std::vector<double>& NutsChain::metric() const {
    return state_->metric;
}

void NutsChain::save(ByteWriter& writer) const {
    const State& state = *state_;
    writer.add(format_of_saved_chains);
    writer.add(state.key.seed);
    writer.add(state.key.task);
    writer.add(state.key.chain);
    writer.add(state.iteration);
    writer.add(state.searches);
    writer.add(std::uint8_t{state.has_step});
    writer.add(state.step);
    writer.add(state.warmup);
    writer.add_array(state.point.x);
    writer.add_array(state.metric);
    state.estimate.save(writer);
    cmc::save(state.draws, writer);
}

void NutsChain::restore(ByteReader& reader) {
    State& state = *state_;
    const auto format = reader.read<std::uint64_t>();
    const auto seed = reader.read<std::uint64_t>();
    const auto task = reader.read<std::uint32_t>();
    const auto chain = reader.read<std::uint32_t>();
    if (format != format_of_saved_chains || seed != state.key.seed || task != state.key.task ||
        chain != state.key.chain) {
        throw InputError(
            fmt::format("saved are format {}, seed {}, task {}, chain {}; wanted {}, {}, "
                        "{}, {}",
                        format,
                        seed,
                        task,
                        chain,
                        format_of_saved_chains,
                        state.key.seed,
                        state.key.task,
                        state.key.chain));
    }
    const auto iteration = reader.read<int>();
    if (iteration < 0 || iteration > state.options.warmup + state.options.draws) {
        throw InputError(fmt::format("a saved chain is at iteration {} of {}",
                                     iteration,
                                     state.options.warmup + state.options.draws));
    }
    state.iteration = iteration;
    state.searches = reader.read<std::uint32_t>();
    state.has_step = reader.read<std::uint8_t>() != 0;
    state.step = reader.read<StepSize>();
    state.warmup = reader.read<WarmupReport>();
    cmc::restore(state.point.x, at(state.dimension), reader);
    cmc::restore(state.metric, state.metric.size(), reader);
    state.factor = factor_of(state.options.metric, state.metric);
    state.estimate.restore(reader);
    cmc::restore(state.draws, at(std::max(iteration - state.options.warmup, 0)), reader);
    state.evaluate_start();
}

}  // namespace lockstep::xpcs::cmc
