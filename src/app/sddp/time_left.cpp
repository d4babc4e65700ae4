#include "app/sddp/time_left.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lockstep::app {
namespace {

using Kind = sddp::StoppingRule::Kind;

// Iterations slow down as cuts pile up: only the latest tell the pace.
constexpr std::size_t pace_window = 8;

}  // namespace

TimeLeft::TimeLeft(const sddp::TrainOptions& options)
    : rules_(options.stopping),
      all_(options.stop_when_all),
      iteration_limit_(options.iteration_limit()) {}

void TimeLeft::add(const sddp::IterationReport& report) {
    done_ = report.iteration;
    elapsed_ = report.elapsed_seconds;
    recent_.push_back(report.wall_seconds);
    if (recent_.size() > pace_window) {
        recent_.pop_front();
    }
}

double TimeLeft::seconds_of(const sddp::StoppingRule& rule, double pace) const {
    if (rule.kind == Kind::iteration_limit) {
        return pace * std::max(0, rule.iterations - done_);
    }
    if (rule.kind == Kind::time_limit) {
        return std::max(0.0, rule.seconds - elapsed_);
    }
    return std::numeric_limits<double>::infinity();
}

std::optional<Forecast> TimeLeft::forecast() const {
    if (recent_.empty()) {
        return std::nullopt;
    }
    const auto pace =
        std::accumulate(recent_.begin(), recent_.end(), 0.0) / static_cast<double>(recent_.size());
    Forecast forecast;
    forecast.seconds = pace * std::max(0, iteration_limit_ - done_);
    auto latest = 0.0;  // when the last of the rules that must hold together holds
    auto together = false;
    for (const auto& rule : rules_) {
        const auto seconds = seconds_of(rule, pace);
        forecast.is_limit |= rule.kind == Kind::bound_stalling || rule.kind == Kind::gap;
        if (!all_) {
            forecast.seconds = std::min(forecast.seconds, seconds);
        }
        if (rule.kind != Kind::iteration_limit) {
            latest = std::max(latest, seconds);
            together = true;
        }
    }
    if (all_ && together) {
        forecast.seconds = std::min(forecast.seconds, latest);
    }
    return forecast;
}

}  // namespace lockstep::app
