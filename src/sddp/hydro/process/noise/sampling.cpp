#include "sddp/hydro/process/noise/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "sddp/hydro/process/noise/halton.hpp"
#include "sddp/hydro/process/noise/openings.hpp"
#include "sddp/hydro/process/noise/sobol.hpp"

namespace lockstep::sddp {
namespace {

/// Which vector is drawn, as the seeds name it.
struct DrawKey {
    std::uint64_t seed = 0;
    std::uint32_t iteration = 0;
    std::uint32_t scenario = 0;
    std::uint32_t scenarios = 1;
    std::uint32_t group = 0;

    /// Seed of what all scenarios of the iteration share: permutations and scrambles.
    [[nodiscard]] std::uint64_t shared() const {
        return cobre::opening_seed(seed, iteration, group);
    }
};

void draw_saa(const DrawKey& key, std::span<double> noise) {
    cobre::Generator stream(
        cobre::shared_forward_seed(key.seed, key.iteration, key.scenario, key.group));
    std::ranges::generate(noise, [&stream] { return stream.normal(); });
}

void draw_lhs(const DrawKey& key, std::span<double> noise) {
    thread_local std::vector<std::uint32_t> order;  // grows once; draw() must not allocate
    order.resize(std::max<std::size_t>(order.size(), key.scenarios));
    cobre::Generator strata(key.shared());
    cobre::Generator jitter(cobre::forward_seed(key.seed, key.iteration, key.scenario, key.group));
    for (double& value : noise) {
        strata.permute(std::span(order).first(key.scenarios));
        value = cobre::inverse_normal((order[key.scenario] + jitter.uniform()) / key.scenarios);
    }
}

void draw_sobol(const DrawKey& key, std::span<double> noise) {
    cobre::Generator stream(key.shared());
    for (std::size_t entity = 0; entity < noise.size(); ++entity) {
        const SobolScramble scramble(stream);
        noise[entity] = cobre::inverse_normal(scramble(sobol_bits(entity, key.scenario)));
    }
}

void draw_halton(const DrawKey& key,
                 std::span<const std::uint32_t> primes,
                 std::span<double> noise) {
    thread_local HaltonCoordinate coordinate;  // keeps its memory; draw() must not allocate
    cobre::Generator stream(key.shared());
    for (std::size_t entity = 0; entity < noise.size(); ++entity) {
        coordinate.draw(stream, primes[entity], key.scenarios);
        noise[entity] = cobre::inverse_normal(coordinate(key.scenario + 1));
    }
}

/// A class's part of the noise vector, and how it is drawn.
struct Segment {
    NoiseClass noise_class;
    std::size_t first;
    std::size_t size;
    ForwardScheme scheme;
    std::uint64_t seed;           ///< of out-of-sample draws, or of which scenario is taken
    const NoiseLibrary* library;  ///< of historical and external scenarios
};

// What names the scenario of a trajectory is hashed with these instead of a seed.
constexpr std::uint64_t historical_base = 0x686973746f726963;
constexpr std::uint64_t external_base = 0x65787465726e616c;

void take_scenario(const DrawKey& key,
                   const NoiseLibrary& library,
                   int stage,
                   std::span<double> noise) {
    const auto hash = cobre::forward_seed(key.seed, key.iteration, key.scenario, 0);
    const auto scenario = static_cast<int>(hash % static_cast<unsigned>(library.scenarios));
    std::ranges::copy(library.noise(scenario, stage), noise.begin());
}

class Sampler final : public TrajectorySampler {
public:
    Sampler(std::shared_ptr<const NoiseModel> model,
            ScenarioLibraries libraries,
            const ScenarioSource& source);

    void draw(int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override;

private:
    std::shared_ptr<const NoiseModel> model_;
    ScenarioLibraries libraries_;
    std::vector<int> groups_;
    std::array<Segment, 3> segments_;
    std::vector<std::uint32_t> primes_;

    [[nodiscard]] std::span<const double> opening(int iteration, int scenario, int stage) const;
    void draw_fresh(DrawKey key, Sampling method, std::span<double> noise) const;
};

/// Inflows keep the plain seed, as runs of Cobre 0.18.0 show; the other classes are salted.
std::uint64_t seed_of(NoiseClass noise_class,
                      ForwardScheme scheme,
                      std::int64_t seed,
                      std::string_view name) {
    switch (scheme) {
        case ForwardScheme::historical:
            return historical_base;
        case ForwardScheme::external:
            return external_base;
        default:
            return noise_class == NoiseClass::inflow ? seed_base(seed)
                                                     : cobre::class_seed(seed_base(seed), name);
    }
}

std::array<Segment, 3> segments(const NoiseLayout& layout,
                                const ScenarioLibraries& libraries,
                                const ScenarioSource& source) {
    const auto hydros = static_cast<std::size_t>(layout.hydros);
    const std::size_t buses = layout.buses.size();
    const auto segment = [&](NoiseClass noise_class,
                             std::size_t first,
                             std::size_t size,
                             ForwardScheme scheme,
                             const NoiseLibrary& library,
                             std::string_view name) {
        const std::uint64_t seed = seed_of(noise_class, scheme, source.seed.value_or(0), name);
        return Segment{noise_class, first, size, scheme, seed, &library};
    };
    return {segment(NoiseClass::inflow, 0, hydros, source.inflow, libraries.inflow, "inflow"),
            segment(NoiseClass::load, hydros, buses, source.load, libraries.load, "load"),
            segment(NoiseClass::source,
                    hydros + buses,
                    layout.sources.size(),
                    source.source,
                    libraries.source,
                    "ncs")};
}

Sampler::Sampler(std::shared_ptr<const NoiseModel> model,
                 ScenarioLibraries libraries,
                 const ScenarioSource& source)
    : model_(std::move(model)),
      libraries_(std::move(libraries)),
      groups_(noise_groups(model_->calendar)),
      segments_(segments(model_->layout, libraries_, source)) {
    std::size_t longest = 0;
    for (const Segment& each : segments_) {
        longest = std::max(longest, each.size);
    }
    primes_ = first_primes(longest);
}

std::span<const double> Sampler::opening(int iteration, int scenario, int stage) const {
    const auto index = static_cast<std::size_t>(stage);
    cobre::Generator stream(cobre::forward_seed(model_->tree_seed,
                                                static_cast<std::uint32_t>(iteration),
                                                static_cast<std::uint32_t>(scenario),
                                                static_cast<std::uint32_t>(stage)));
    const auto count = static_cast<std::uint32_t>(model_->tree.count[index]);
    return model_->tree.noise(stage, static_cast<int>(stream.below(count)));
}

void Sampler::draw_fresh(DrawKey key, Sampling method, std::span<double> noise) const {
    switch (method) {
        case Sampling::historical_residuals:  // beyond the tree there is no residual
        case Sampling::saa:
            return draw_saa(key, noise);
        case Sampling::lhs:
            return draw_lhs(key, noise);
        case Sampling::sobol:
            return draw_sobol(key, noise);
        case Sampling::halton:
            return draw_halton(key, primes_, noise);
    }
}

void Sampler::draw(
    int iteration, int scenario, int scenarios, int stage, std::span<double> noise) const {
    const auto index = static_cast<std::size_t>(stage);
    const std::span<const double> from_tree = opening(iteration, scenario, stage);
    for (const Segment& each : segments_) {
        const std::span<double> part = noise.subspan(each.first, each.size);
        if (part.empty()) {
            continue;
        }
        if (each.scheme == ForwardScheme::in_sample) {
            std::ranges::copy(from_tree.subspan(each.first, each.size), part.begin());
            continue;
        }
        const DrawKey key{each.seed,
                          static_cast<std::uint32_t>(iteration),
                          static_cast<std::uint32_t>(scenario),
                          static_cast<std::uint32_t>(scenarios),
                          static_cast<std::uint32_t>(groups_[index])};
        if (each.scheme != ForwardScheme::out_of_sample) {
            take_scenario(key, *each.library, stage, part);
            continue;
        }
        draw_fresh(key, model_->calendar.stages[index].sampling, part);
        model_->correlation.apply(stage, each.noise_class, noise);
    }
    for (const Segment& each : segments_) {
        if (each.scheme == ForwardScheme::out_of_sample) {
            model_->correlation.apply_across(stage, each.noise_class, noise);
        }
    }
}

bool is_in_sample(const ScenarioSource& source) {
    constexpr ForwardScheme in_sample = ForwardScheme::in_sample;
    return source.inflow == in_sample && source.load == in_sample && source.source == in_sample;
}

ForwardScheme scheme_of(const ScenarioSource& source, NoiseClass noise_class) {
    return noise_class == NoiseClass::inflow ? source.inflow
           : noise_class == NoiseClass::load ? source.load
                                             : source.source;
}

/// Classes that are correlated with each other have to be drawn alike.
void check_joined_classes(const NoiseCorrelation& correlation,
                          const ScenarioSource& source,
                          Problems& problems) {
    for (const std::vector<NoiseClass>& classes : correlation.joined_classes()) {
        const ForwardScheme first = scheme_of(source, classes.front());
        const bool are_alike = std::ranges::all_of(
            classes, [&](NoiseClass each) { return scheme_of(source, each) == first; });
        if (!are_alike) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::scenario_source,
                         "",
                         "a correlation group across classes needs the same scheme for each of "
                         "them");
            return;
        }
    }
}

}  // namespace

std::shared_ptr<const TrajectorySampler> make_sampler(std::shared_ptr<const NoiseModel> model,
                                                      ScenarioLibraries libraries,
                                                      const ScenarioSource& source,
                                                      Problems& problems) {
    if (!is_in_sample(source) && !source.seed) {
        problems.add(ProblemKind::invalid_value,
                     subject::scenario_source,
                     "",
                     "a scheme other than in_sample needs a seed");
    }
    check_joined_classes(model->correlation, source, problems);
    return std::make_shared<const Sampler>(std::move(model), std::move(libraries), source);
}

double transition_draw(std::int64_t seed, int iteration, int scenario, int stage) {
    constexpr std::uint64_t transitions = 0x6e7469736e617274;  // tells them apart from noise
    constexpr int fraction_bits = 53;
    const auto hash = cobre::forward_seed(seed_base(seed) ^ transitions,
                                          static_cast<std::uint32_t>(iteration),
                                          static_cast<std::uint32_t>(scenario),
                                          static_cast<std::uint32_t>(stage));
    return std::ldexp(static_cast<double>(hash >> (64 - fraction_bits)), -fraction_bits);
}

std::uint64_t seed_base(std::int64_t seed) {
    const auto bits = static_cast<std::uint64_t>(seed);
    return seed < 0 ? 0 - bits : bits;
}

}  // namespace lockstep::sddp
