#include "app/checkpoints.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/lp/solver.hpp"

namespace lockstep::app {
namespace {

// What decides bits beside the case's files.
Digest options_digest(const formats::cobre::Case& input) {
    const auto& train = input.config.train;
    DigestBuilder builder;
    builder.add(input.training_digest[0]);
    builder.add(input.training_digest[1]);
    builder.add(lp::to_string(train.solver));
    builder.add(train.tolerances.primal_tolerance);
    builder.add(train.tolerances.dual_tolerance);
    for (const bool option : {train.speed.lazy_cuts,
                              train.speed.ordered_openings,
                              train.speed.warm_start,
                              train.speed.substitute_evaporation})
        builder.add(option);
    return builder.digest();
}

class StoredState final : public runtime::EngineState {
public:
    explicit StoredState(runtime::Snapshot snapshot) : snapshot_(std::move(snapshot)) {}
    [[nodiscard]] int iteration() const override { return static_cast<int>(snapshot_.iteration()); }
    [[nodiscard]] int parts() const override { return snapshot_.parts(); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        return snapshot_.part(index);
    }

private:
    runtime::Snapshot snapshot_;
};

}  // namespace

Checkpoints::Checkpoints(const std::filesystem::path& output,
                         const formats::cobre::Case& input,
                         RunObserver& observer)
    : directory_(output / folder),
      store_(directory_, {"sddp", input.model_digest, options_digest(input)}),
      observer_(observer) {}

void Checkpoints::keep(comm::Communicator& ranks, const runtime::EngineState& state) {
    std::string problem;
    const bool is_kept = store_.save(
        ranks,
        state.iteration(),
        state.parts(),
        [&](int index) { return state.part(index); },
        problem);
    if (!is_kept)
        observer_.on_notice(
            fmt::format("the checkpoint of iteration {} was not written{}{}; the one before stays",
                        state.iteration(),
                        problem.empty() ? " by another rank" : ": ",
                        problem));
}

std::unique_ptr<runtime::EngineState> Checkpoints::newest(comm::Communicator& ranks) {
    std::vector<std::string> passed_over;
    auto snapshot = store_.load(ranks, passed_over);
    for (const auto& sentence : passed_over)
        observer_.on_notice(sentence);
    if (!snapshot) {
        observer_.on_notice(fmt::format("no checkpoint in {}, training begins at iteration 1",
                                        directory_.string()));
        return nullptr;
    }
    observer_.on_notice(fmt::format("training goes on after iteration {} ({})",
                                    snapshot->iteration(),
                                    snapshot->folder().string()));
    return std::make_unique<StoredState>(*std::move(snapshot));
}

}  // namespace lockstep::app
