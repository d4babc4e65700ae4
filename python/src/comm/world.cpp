#include "comm/world.hpp"

#include <mutex>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/process_environment.hpp"

namespace lockstep::python {

namespace {

struct Kept {
    std::mutex mutex;
    std::shared_ptr<comm::Communicator> ranks;
    pid_t process = 0;
};

// Never destroyed: what a process that ends without leave_world() holds is the system's to free.
Kept& kept() {
    static auto* one = new Kept;
    return *one;
}

void check_same(const Kept& known, std::string_view backend) {
    if (known.process != getpid()) {
        throw CommError(
            fmt::format("this process was forked from rank {}, and only that one can talk to the "
                        "other ranks; start processes by spawn",
                        known.ranks->rank()));
    }
    if (!backend.empty() && backend != "auto" && backend != known.ranks->backend()) {
        throw UsageError(
            fmt::format("this process has met its ranks over {}, so it cannot meet others over {}",
                        known.ranks->backend(),
                        backend));
    }
}

}  // namespace

std::shared_ptr<comm::Communicator> world(std::string_view backend) {
    if (backend == "local") {
        return comm::make_local();
    }
    auto& known = kept();
    const std::lock_guard lock(known.mutex);
    if (known.ranks) {
        check_same(known, backend);
        return known.ranks;
    }
    const auto config = comm::choose_backend(comm::process_environment(), backend);
    std::shared_ptr<comm::Communicator> made = comm::connect(config);
    if (config.backend != comm::BackendKind::local) {
        known.ranks = made;
        known.process = getpid();
    }
    return made;
}

std::shared_ptr<comm::Communicator> met_world() {
    auto& known = kept();
    const std::lock_guard lock(known.mutex);
    return known.process == getpid() ? known.ranks : nullptr;
}

void leave_world() {
    auto& known = kept();
    const std::lock_guard lock(known.mutex);
    if (known.process == getpid()) {
        known.ranks.reset();
        known.process = 0;
    }
}

}  // namespace lockstep::python
