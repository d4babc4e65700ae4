#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include <sched.h>

#include "lockstep/runtime/thread_team.hpp"

#include "runtime/cpu_quota.hpp"

namespace lockstep::runtime {
namespace {

int allowed_cpus() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    // More than 1024 CPUs do not fit the mask.
    return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int usable_cpus() {
    std::ostringstream membership;
    membership << std::ifstream("/proc/self/cgroup").rdbuf();
    const auto quota = cpu_quota("/sys/fs/cgroup", membership.str());
    const int allowed = allowed_cpus();
    const double granted = quota ? std::ceil(*quota) : allowed;
    return std::max(1, static_cast<int>(std::min<double>(granted, allowed)));
}

}  // namespace lockstep::runtime
