#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "lockstep/app/xpcs/lent_farm.hpp"
#include "lockstep/runtime/task_farm.hpp"
#include "lockstep/xpcs/shard_work.hpp"

namespace lockstep::app {

/// The tasks of a consensus, run by a farm that was lent.
class LentTasks {
public:
    /// Both are referred to.
    LentTasks(const LentFarm& farm, const xpcs::ShardWork& work)
        : farm_(farm), work_(work), settings_(work.settings()) {}

    /// For a farm of threads, which wait for who works. Refers to this.
    [[nodiscard]] runtime::TaskFunctions functions();
    /// @throws CommError  that of the farm, once it was gone
    void rethrow() const;

private:
    std::vector<std::byte> run(const std::string& function,
                               std::span<const std::byte> input,
                               const runtime::TaskContext& context);

    const LentFarm& farm_;
    const xpcs::ShardWork& work_;
    const std::vector<std::byte> settings_;  // the same in every task
    mutable std::mutex mutex_;
    std::exception_ptr loss_;
};

}  // namespace lockstep::app
