#include "app/job/checkpoints.hpp"

#include <utility>

#include <fmt/format.h>

namespace lockstep::app {
namespace {

class StoredState final : public runtime::EngineState {
public:
    StoredState(std::string engine, runtime::Snapshot snapshot)
        : engine_(std::move(engine)), snapshot_(std::move(snapshot)) {}
    [[nodiscard]] const char* engine() const override { return engine_.c_str(); }
    [[nodiscard]] int iteration() const override { return static_cast<int>(snapshot_.iteration()); }
    [[nodiscard]] int parts() const override { return snapshot_.parts(); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        return snapshot_.part(index);
    }

private:
    std::string engine_;
    runtime::Snapshot snapshot_;
};

}  // namespace

Checkpoints::Checkpoints(const std::filesystem::path& output,
                         runtime::SnapshotKey key,
                         std::string step,
                         Observer& observer)
    : directory_(output / folder),
      step_(std::move(step)),
      store_(directory_, std::move(key)),
      observer_(observer) {}

void Checkpoints::keep(comm::Communicator& ranks, const runtime::EngineState& state) {
    std::string problem;
    const bool is_kept = store_.save(
        ranks,
        state.iteration(),
        state.parts(),
        [&](int index) { return state.part(index); },
        problem);
    if (!is_kept) {
        observer_.on_notice(
            Notice::trouble,
            fmt::format("the checkpoint of {} {} was not written{}{}; the one before stays",
                        step_,
                        state.iteration(),
                        problem.empty() ? " by another rank" : ": ",
                        problem));
    }
}

std::unique_ptr<runtime::EngineState> Checkpoints::newest(comm::Communicator& ranks) {
    std::vector<std::string> passed_over;
    auto snapshot = store_.load(ranks, passed_over);
    for (const auto& sentence : passed_over) {
        observer_.on_notice(Notice::trouble, sentence);
    }
    if (!snapshot) {
        observer_.on_notice(
            Notice::news,
            fmt::format(
                "no checkpoint in {}, the work begins at {} 1", directory_.string(), step_));
        return nullptr;
    }
    observer_.on_notice(
        Notice::news,
        fmt::format(
            "goes on after {} {} ({})", step_, snapshot->iteration(), snapshot->folder().string()));
    return std::make_unique<StoredState>(store_.key().engine, *std::move(snapshot));
}

}  // namespace lockstep::app
