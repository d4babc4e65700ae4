#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "xpcs/shards/work.hpp"

namespace lockstep::xpcs {

/// Draws of one shard in the frame's coordinates.
struct ShardDraws {
    std::vector<double> values{};  ///< [draws, dimension]; none: its tasks did not end well
    ShardFigures figures{};
};

/// The tasks of one consensus on a farm, and what came of them.
class ShardRun {
public:
    /// All are referred to.
    ShardRun(const ShardWork& work, const ConsensusOptions& how, SampleObserver* observer);

    /// Runs all tasks, from the start: earlier calls are forgotten.
    void on(runtime::TaskFarm& farm);

    /// What all ranks need of it.
    void save(ByteWriter& writer) const;
    void restore(ByteReader& reader);

    [[nodiscard]] const std::vector<ShardDraws>& drawn() const noexcept { return drawn_; }
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    /// Why the rest was not tried; empty: it was.
    [[nodiscard]] const std::string& abort_text() const noexcept { return abort_; }

private:
    void start_afresh();
    void by_importance(runtime::TaskFarm& farm);
    void by_chains(runtime::TaskFarm& farm);
    [[nodiscard]] std::vector<int> left_to_chains() const;
    template <typename Take>
    void run(runtime::TaskFarm& farm,
             std::string_view function,
             const std::vector<TaskPlace>& tasks,
             Take take);
    bool note_end(ShardFigures& figures, const runtime::TaskResult& result);
    void count(bool is_done, const runtime::TaskResult& result);
    void join_chains(int shard, const std::vector<TaskDraws>& chains);

    const ShardWork::State& work_;
    const ConsensusOptions& how_;
    SampleObserver* observer_;
    std::vector<ShardDraws> drawn_;  // [shards]
    int ended_ = 0;                  // tasks, whichever way
    int failed_ = 0;
    std::string last_error_;  // of these
    bool is_complete_ = true;
    std::string abort_;
};

}  // namespace lockstep::xpcs
