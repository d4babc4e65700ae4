#include "sddp/hydro/process/realisation.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/inflow/inflow_range.hpp"
#include "sddp/hydro/process/inflow/inflow_step.hpp"

namespace lockstep::sddp {

namespace {

void realise_inflows(const Process& process,
                     int stage,
                     std::span<const double> lags,
                     std::span<const double> noise,
                     Realisation& out) {
    const auto& model = process.inflow.stages[at(stage)];
    auto& inflow = out.inflow;
    const auto hydros = inflow.size();
    expected_inflow(process.inflow, stage, lags, inflow);
    const bool truncated = truncates(process.non_negativity);
    for (std::size_t h = 0; h < hydros; ++h) {
        out.shock[h] = model.scale[h] * noise[h];
        inflow[h] += out.shock[h];
        out.untruncated[h] = inflow[h];
        if (truncated && model.scale[h] > 0 && inflow[h] < 0) {
            inflow[h] = 0;
        }
    }
}

/// Where the blocks of an entity stand in a list [entities × blocks].
std::span<double> blocks_of(std::vector<double>& list, int entity, std::size_t blocks) {
    return std::span<double>(list).subspan(at(entity) * blocks, blocks);
}

void set_load(const Bus& bus, int stage, double load_mw, std::span<double> out) {
    for (int k = 0; k < std::ssize(out); ++k) {
        out[at(k)] = load_mw * bus.load_factor(stage, k);
    }
}

/// `noise` is in the order of the layout, `out` in that of the system.
void realise_loads(const Problem& problem,
                   int stage,
                   std::span<const double> noise,
                   std::size_t blocks,
                   Realisation& out) {
    const auto& buses = problem.system.buses;
    for (int b = 0; b < std::ssize(buses); ++b) {
        const Bus& bus = buses[at(b)];
        set_load(bus, stage, bus.mean_load_mw[at(stage)], blocks_of(out.load, b, blocks));
    }
    for (std::size_t i = 0; i < noise.size(); ++i) {
        const int b = problem.process.layout.buses[i];
        const Bus& bus = buses[at(b)];
        const double load = bus.mean_load_mw[at(stage)] + bus.load_std_mw[at(stage)] * noise[i];
        set_load(bus, stage, std::max(0.0, load), blocks_of(out.load, b, blocks));
    }
}

void set_available(const NonControllable& source,
                   int stage,
                   double power_mw,
                   std::span<double> out) {
    for (int k = 0; k < std::ssize(out); ++k) {
        out[at(k)] = power_mw * source.factor(stage, k) * source.in_service[at(stage)];
    }
}

void realise_sources(const Problem& problem,
                     int stage,
                     std::span<const double> noise,
                     std::size_t blocks,
                     Realisation& out) {
    const auto& sources = problem.system.sources;
    for (int n = 0; n < std::ssize(sources); ++n) {
        const NonControllable& source = sources[at(n)];
        set_available(
            source, stage, source.available_mw[at(stage)], blocks_of(out.available, n, blocks));
    }
    for (std::size_t i = 0; i < noise.size(); ++i) {
        const int n = problem.process.layout.sources[i];
        const NonControllable& source = sources[at(n)];
        const double share = source.mean[at(stage)] + source.std[at(stage)] * noise[i];
        set_available(source,
                      stage,
                      source.max_generation_mw * std::clamp(share, 0.0, 1.0),
                      blocks_of(out.available, n, blocks));
    }
}

}  // namespace

void realise(const Problem& problem,
             int stage,
             std::span<const double> incoming_lags,
             std::span<const double> noise,
             Realisation& out) {
    const auto blocks = problem.calendar.stages[at(stage)].blocks.size();
    const auto hydros = problem.system.hydros.size();
    const auto loads = problem.process.layout.buses.size();
    out.inflow.resize(hydros);
    out.untruncated.resize(hydros);
    out.shock.resize(hydros);
    out.load.resize(problem.system.buses.size() * blocks);
    out.available.resize(problem.system.sources.size() * blocks);
    out.lags = recall_lags(problem.process.inflow, stage, incoming_lags, out.recalled);
    realise_inflows(problem.process, stage, out.lags, noise.first(hydros), out);
    realise_loads(problem, stage, noise.subspan(hydros, loads), blocks, out);
    realise_sources(problem, stage, noise.subspan(hydros + loads), blocks, out);
}

void shift_lags(std::span<const double> lags,
                std::span<const double> inflow,
                std::span<double> outgoing) {
    if (outgoing.empty()) {
        return;
    }
    std::copy(inflow.begin(), inflow.end(), outgoing.begin());
    std::copy(lags.begin(),
              lags.end() - static_cast<std::ptrdiff_t>(inflow.size()),
              outgoing.begin() + static_cast<std::ptrdiff_t>(inflow.size()));
}

}  // namespace lockstep::sddp
