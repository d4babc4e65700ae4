#include "app/rl/report/metrics.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lockstep::app {
namespace {

using io::Json;

double number(const Json& line, std::string_view name) {
    const auto* value = line.find(name);
    const auto found = value == nullptr ? std::nullopt : value->if_number();
    return found.value_or(std::numeric_limits<double>::quiet_NaN());
}

double amount(const Json& line, std::string_view name) {
    const auto* value = line.find(name);
    return value == nullptr ? 0.0 : value->if_number().value_or(0.0);
}

const Json::Array& list(const Json& line, std::string_view name) {
    static const Json::Array none;
    const auto* value = line.find(name);
    return value == nullptr || value->if_array() == nullptr ? none : *value->if_array();
}

}  // namespace

Metrics::Metrics(std::vector<Json> lines) : lines_(std::move(lines)) {}

// Evenly many of them, and the last.
std::vector<std::size_t> Metrics::shown() const {
    std::vector<std::size_t> rows;
    const auto stride = lines_.size() / most_points + 1;
    for (std::size_t row = (lines_.size() - 1) % stride; row < lines_.size(); row += stride) {
        rows.push_back(row);
    }
    return rows;
}

std::vector<double> Metrics::column(std::string_view name) const {
    std::vector<double> values;
    for (const auto row : shown()) {
        values.push_back(number(lines_[row], name));
    }
    return values;
}

std::vector<double> Metrics::shares(std::string_view name) const {
    std::vector<double> values;
    for (const auto row : shown()) {
        const auto before = row == 0 ? 0.0 : amount(lines_[row - 1], "seconds");
        const auto time = amount(lines_[row], "seconds") - before;
        values.push_back(time > 0 ? 100 * amount(lines_[row], name) / time : 0);
    }
    return values;
}

double Metrics::sum(std::string_view name) const {
    return std::accumulate(lines_.begin(), lines_.end(), 0.0, [&](double total, const Json& line) {
        return total + amount(line, name);
    });
}

std::size_t Metrics::rank_count() const {
    std::size_t most = 0;
    for (const auto& line : lines_) {
        most = std::max(most, list(line, "by_rank").size());
    }
    return most;
}

std::vector<double> Metrics::by_rank(std::string_view name) const {
    std::vector<double> totals(rank_count());
    for (const auto& line : lines_) {
        const auto& ranks = list(line, "by_rank");
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            totals[rank] += amount(ranks[rank], name);
        }
    }
    return totals;
}

double Metrics::learn_seconds() const {
    const auto seconds = by_rank("learn_s");
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::vector<double> Metrics::staleness_histogram() const {
    std::vector<double> counts;
    for (const auto& line : lines_) {
        const auto& ages = list(line, "staleness_histogram");
        counts.resize(std::max(counts.size(), ages.size()));
        for (std::size_t age = 0; age < ages.size(); ++age) {
            counts[age] += ages[age].if_number().value_or(0.0);
        }
    }
    return counts;
}

}  // namespace lockstep::app
