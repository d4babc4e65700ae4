#pragma once

#include <ctime>

/// CPU seconds of this process so far.
inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU seconds that some work takes.
template <typename Work>
double timed(Work&& work) {
    const double before = cpu_seconds();
    work();
    return cpu_seconds() - before;
}
