#include "lockstep/runtime/rank_report.hpp"

#include <algorithm>

namespace lockstep::runtime {

RankReport rank_report(const comm::Traffic& now,
                       const comm::Traffic& before,
                       double seconds,
                       double io_seconds) {
    RankReport report;
    const double in_calls = now.seconds - before.seconds;
    // Some backends find only later that a rank waited.
    report.wait_seconds = std::min(now.wait_seconds - before.wait_seconds, in_calls);
    report.communication_seconds = in_calls - report.wait_seconds;
    report.compute_seconds =
        std::max(0.0, seconds - report.communication_seconds - report.wait_seconds);
    report.io_seconds = io_seconds;
    report.bytes_sent = now.bytes_sent - before.bytes_sent;
    report.bytes_received = now.bytes_received - before.bytes_received;
    return report;
}

}  // namespace lockstep::runtime
