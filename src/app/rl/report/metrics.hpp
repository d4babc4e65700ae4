#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lockstep/io/json.hpp"

namespace lockstep::app {

/// The lines of metrics.jsonl as columns. NaN stands for what a line does not tell.
class Metrics {
public:
    /// A page shows no more points than this.
    static constexpr std::size_t most_points = 400;

    explicit Metrics(std::vector<io::Json> lines);

    [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
    /// Values of the lines that are shown.
    [[nodiscard]] std::vector<double> column(std::string_view name) const;
    /// A time of the lines as a share of the time since the line before [%].
    [[nodiscard]] std::vector<double> shares(std::string_view name) const;
    /// Over all lines.
    [[nodiscard]] double sum(std::string_view name) const;
    [[nodiscard]] std::size_t rank_count() const;
    /// [ranks], over all lines.
    [[nodiscard]] std::vector<double> by_rank(std::string_view name) const;
    /// Of all threads of all ranks.
    [[nodiscard]] double learn_seconds() const;
    /// [age in rounds], over all lines; empty where nothing was stale.
    [[nodiscard]] std::vector<double> staleness_histogram() const;

private:
    [[nodiscard]] std::vector<std::size_t> shown() const;

    std::vector<io::Json> lines_;
};

}  // namespace lockstep::app
