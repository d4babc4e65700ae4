#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/runtime/rounds.hpp"

#include "rl/learn/table_store.hpp"
#include "rl/learn/training_report.hpp"
#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {

/// One call of learn(): rounds of a mode until the steps are done.
class Training final : private runtime::Rounds {
public:
    using MakeMode = std::function<std::unique_ptr<LearningMode>(const ModeContext&)>;
    Training(const World& world,
             const LearnOptions& options,
             runtime::Team& team,
             LearnObserver& observer,
             const MakeMode& make_mode,
             const runtime::EngineState* resume_from);
    LearnResult run();

private:
    /// What the ranks tell each other after a round; the first one's wishes count, but for stop.
    struct Note {
        std::uint8_t wants_report;
        std::uint8_t wants_checkpoint;
        std::uint8_t wants_check;
        std::uint8_t wants_stop;
    };

    void begin(std::int64_t round) override;
    void work() override;
    void confirm() override;
    void commit() override;
    bool is_over() override;
    void drop() override;
    void repartition() override;

    [[nodiscard]] double elapsed() const { return earlier_seconds_ + clock_.seconds(); }
    [[nodiscard]] Note own_note();
    void resume(const runtime::EngineState& state);
    void check();
    void report(bool is_last);
    void checkpoint();

    const LearnOptions& options_;
    runtime::Team& team_;
    LearnObserver& observer_;
    TableStore table_;
    std::unique_ptr<LearningMode> mode_;
    TrainingReport reports_;

    std::int64_t round_ = 0;  // the last that is final
    std::int64_t transitions_ = 0;
    std::vector<Note> notes_;  // [ranks]
    LearnReport last_;

    Stopwatch clock_;
    double earlier_seconds_ = 0;  // of the runs before this was resumed
    double last_checkpoint_ = 0;
    std::int64_t checkpointed_ = 0;  // transitions
    std::int64_t checked_ = 0;       // round
    std::int64_t checks_ = 0;        // since the report before
    double io_seconds_ = 0;          // since the report before
};

}  // namespace lockstep::rl
