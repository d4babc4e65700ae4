#include "sddp/process/realisation.hpp"

#include <algorithm>

#include "sddp/process/inflow_range.hpp"

namespace lockstep::sddp {

namespace {

void realise_inflows(const Process& process,
                     int stage,
                     std::span<const double> lags,
                     std::span<const double> noise,
                     Realisation& out) {
    const auto& model = process.inflow.stages[static_cast<std::size_t>(stage)];
    auto& inflow = out.inflow;
    const auto hydros = inflow.size();
    std::copy(model.base.begin(), model.base.end(), inflow.begin());
    for (std::size_t first = 0; first < lags.size(); first += hydros)
        for (std::size_t h = 0; h < hydros; ++h)
            inflow[h] += model.lag[first + h] * lags[first + h];
    const bool truncated = truncates(process.non_negativity);
    for (std::size_t h = 0; h < hydros; ++h) {
        out.shock[h] = model.scale[h] * noise[h];
        inflow[h] += out.shock[h];
        out.untruncated[h] = inflow[h];
        if (truncated && model.scale[h] > 0 && inflow[h] < 0)
            inflow[h] = 0;
    }
}

void realise_loads(const Problem& problem,
                   int stage,
                   std::span<const double> noise,
                   Realisation& out) {
    const auto t = static_cast<std::size_t>(stage);
    const auto blocks = static_cast<int>(problem.calendar.stages[t].blocks.size());
    auto next = noise.begin();
    std::size_t index = 0;
    for (const auto& bus : problem.system.buses) {
        double load = bus.mean_load_mw[t];
        if (bus.is_stochastic)
            load = std::max(0.0, load + bus.load_std_mw[t] * *next++);
        for (int k = 0; k < blocks; ++k)
            out.load[index++] = load * bus.load_factor(stage, k);
    }
}

void realise_sources(const Problem& problem,
                     int stage,
                     std::span<const double> noise,
                     Realisation& out) {
    const auto t = static_cast<std::size_t>(stage);
    const auto blocks = static_cast<int>(problem.calendar.stages[t].blocks.size());
    auto next = noise.begin();
    std::size_t index = 0;
    for (const auto& source : problem.system.sources) {
        double power = source.available_mw[t];
        if (source.is_stochastic)
            power = source.max_generation_mw *
                    std::clamp(source.mean[t] + source.std[t] * *next++, 0.0, 1.0);
        for (int k = 0; k < blocks; ++k)
            out.available[index++] = power * source.factor(stage, k) * source.in_service[t];
    }
}

}  // namespace

void realise(const Problem& problem,
             int stage,
             std::span<const double> incoming_lags,
             std::span<const double> noise,
             Realisation& out) {
    const auto blocks = problem.calendar.stages[static_cast<std::size_t>(stage)].blocks.size();
    const auto hydros = problem.system.hydros.size();
    const auto loads = problem.process.layout.buses.size();
    out.inflow.resize(hydros);
    out.untruncated.resize(hydros);
    out.shock.resize(hydros);
    out.load.resize(problem.system.buses.size() * blocks);
    out.available.resize(problem.system.sources.size() * blocks);
    realise_inflows(problem.process, stage, incoming_lags, noise.first(hydros), out);
    realise_loads(problem, stage, noise.subspan(hydros, loads), out);
    realise_sources(problem, stage, noise.subspan(hydros + loads), out);
}

void shift_lags(std::span<const double> incoming_lags,
                std::span<const double> inflow,
                std::span<double> outgoing) {
    if (outgoing.empty())
        return;
    std::copy(inflow.begin(), inflow.end(), outgoing.begin());
    std::copy(incoming_lags.begin(),
              incoming_lags.end() - static_cast<std::ptrdiff_t>(inflow.size()),
              outgoing.begin() + static_cast<std::ptrdiff_t>(inflow.size()));
}

}  // namespace lockstep::sddp
