#include "xpcs/cmc/metric_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double draws_of_prior = 5;
constexpr double enough_positions = 10;  // a coordinate
constexpr double share_of_diagonal = 1e-3;

}  // namespace

MetricEstimate::MetricEstimate(MetricKind kind, int dimension)
    : kind_(kind),
      mean_(at(dimension)),
      squares_(kind == MetricKind::dense ? at(dimension) * at(dimension) : at(dimension)),
      before_(at(dimension)) {}

void MetricEstimate::add(std::span<const double> x) {
    const std::size_t n = mean_.size();
    count_ += 1;
    for (std::size_t i = 0; i < n; ++i) {
        before_[i] = x[i] - mean_[i];
        mean_[i] += before_[i] / count_;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double after = x[i] - mean_[i];
        if (kind_ == MetricKind::diagonal) {
            squares_[i] += before_[i] * after;
            continue;
        }
        for (std::size_t j = 0; j <= i; ++j) {
            squares_[i * n + j] += before_[j] * after;
        }
    }
}

std::vector<double> MetricEstimate::shrunk_towards(std::span<const double> prior) const {
    std::vector<double> shrunk(prior.begin(), prior.end());
    if (count_ < 2) {
        return shrunk;
    }
    const double weight = count_ / (count_ + draws_of_prior);
    for (std::size_t i = 0; i < shrunk.size(); ++i) {
        shrunk[i] = weight * (squares_[i] / (count_ - 1)) + (1 - weight) * prior[i];
    }
    const std::size_t n = mean_.size();
    for (std::size_t i = 0; kind_ == MetricKind::dense && i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            shrunk[j * n + i] = shrunk[i * n + j];
        }
    }
    return shrunk;
}

std::vector<double> MetricEstimate::shrunk_in_its_units(std::span<const double> other) const {
    const std::size_t n = mean_.size();
    const bool enough = count_ >= enough_positions * static_cast<double>(n);
    std::vector<double> prior(other.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t entry = diagonal(i);
        const double variance = count_ < 2 ? 0 : squares_[entry] / (count_ - 1);
        prior[entry] = variance > 0 ? variance * (enough ? share_of_diagonal : 1) : other[entry];
    }
    return shrunk_towards(prior);
}

std::size_t MetricEstimate::diagonal(std::size_t i) const {
    return kind_ == MetricKind::dense ? i * (mean_.size() + 1) : i;
}

void MetricEstimate::clear() {
    count_ = 0;
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
}

void MetricEstimate::save(ByteWriter& writer) const {
    writer.add(count_);
    writer.add_array(mean_);
    writer.add_array(squares_);
}

void MetricEstimate::restore(ByteReader& reader) {
    count_ = reader.read<double>();
    auto mean = reader.read_array<double>();
    auto squares = reader.read_array<double>();
    if (mean.size() != mean_.size() || squares.size() != squares_.size()) {
        throw InputError("a saved chain has another dimension or metric");
    }
    mean_ = std::move(mean);
    squares_ = std::move(squares);
}

}  // namespace lockstep::xpcs::cmc
