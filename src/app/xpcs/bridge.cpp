#include "app/xpcs/bridge.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::app {
namespace {

/// Of all chains together.
std::vector<Figure> figures_of(const xpcs::SampleProgress& progress) {
    const auto& chains = progress.chains;
    std::int64_t divergences = 0;
    double acceptance = 0;
    std::int64_t leapfrogs = 0;
    for (const auto& chain : chains) {
        divergences += chain.divergences;
        acceptance += chain.acceptance / static_cast<double>(chains.size());
        leapfrogs += chain.leapfrogs;
    }
    return {{"acceptance", acceptance, "1", "acceptance", "Mean over the draws so far"},
            {"divergences",
             static_cast<double>(divergences),
             "",
             "divergent",
             "Draws whose trajectories left the posterior"},
            {"effective_size",
             progress.effective_size,
             "",
             "ESS",
             "Effective size of the draws so far, in the worst direction"},
            {"leapfrogs", static_cast<double>(leapfrogs), "", "", "Gradients so far"}};
}

}  // namespace

void XpcsBridge::on_search(const xpcs::SearchProgress& progress) {
    kept_.guard([&] {
        Progress told;
        told.phase = "fit";
        told.step = "point";
        told.done = progress.evaluations;
        told.seconds = watch_.seconds();
        told.figures = {
            {"chi_squared", progress.chi_squared, "#", "chi2", "The least that was found so far"},
            {"run", static_cast<double>(progress.run), "", "run", "Of the search by evolution"}};
        job_.tell(told);
    });
}

void XpcsBridge::on_iteration(const xpcs::FitProgress& progress) {
    kept_.guard([&] {
        history_.push_back({progress.iteration, progress.chi_squared, progress.gradient});
        Progress told;
        told.phase = "fit";
        told.step = "iteration";
        told.done = progress.iteration;
        told.seconds = watch_.seconds();
        told.figures = {
            {"chi_squared", progress.chi_squared, "#", "chi2", "Sum of squared residuals over σ²"},
            {"gradient", progress.gradient, "#", "gradient", "Cosine; 0 at the minimum"}};
        job_.tell(told);
    });
}

void XpcsBridge::on_progress(const xpcs::SampleProgress& progress) {
    kept_.guard([&] {
        Progress told;
        told.phase = progress.is_of_shards ? "shards" : "posterior";
        told.step = progress.is_of_shards ? "task" : progress.is_importance ? "point" : "iteration";
        told.done = progress.done;
        told.total = progress.total;
        told.seconds = watch_.seconds();
        if (!progress.chains.empty()) {
            told.figures = figures_of(progress);
        }
        job_.tell(told);
    });
}

void XpcsBridge::on_checkpoint(const runtime::EngineState& state) {
    if (keeper_) {
        keeper_(state);
    }
}

void XpcsBridge::begin() {
    history_.clear();
    watch_ = {};
}

void XpcsBridge::settle() {
    job_.section([&] { comm::agree(job_.ranks(), [&] { kept_.rethrow(); }); });
}

}  // namespace lockstep::app
