#pragma once

#include <sys/types.h>

namespace lockstep::app {

/// A process that ends the ranks of a launch when the launcher has died.
///
/// A rank behind a shell is no child of the launcher, so no death signal of the kernel reaches it.
/// Each rank is therefore the leader of a process group, which the guardian knows before the rank
/// becomes its command; it kills the groups and takes away what they left in shared memory.
class LaunchGuardian {
public:
    /// Ranks that a launch may have.
    static constexpr int most_ranks = 4096;

    /// @throws IoError  no process or memory is left
    LaunchGuardian();
    /// The ranks have ended: the guardian ends too.
    ~LaunchGuardian();
    LaunchGuardian(const LaunchGuardian&) = delete;
    LaunchGuardian& operator=(const LaunchGuardian&) = delete;

    /// In a rank's new process, the leader of its group. Ends it where the launcher is dead.
    void enter(int rank) const noexcept;
    /// In the launcher, before it reaps the rank: the number may soon be that of another process.
    void leave(int rank) const noexcept;

private:
    struct Groups;

    Groups* groups_;  // shared with the guardian and the ranks
    pid_t process_ = 0;
    int line_ = -1;  // the launcher's death closes it
};

}  // namespace lockstep::app
