#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/xpcs/cmc/consensus.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr std::ptrdiff_t most_draws = 1000;  // of a shard; more cost time and add little
constexpr double wider =
    1.5;  // than the rate alone: the normal factor has removed most of the shape
constexpr int degrees_of_freedom = 5;

double square_of(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) {
        sum += value * value;
    }
    return sum;
}

std::vector<double> mean_covariance(std::span<const Moments> shards) {
    std::vector<double> mean(shards.front().covariance.size(), 0.0);
    for (const Moments& shard : shards) {
        for (std::size_t entry = 0; entry < mean.size(); ++entry) {
            mean[entry] += shard.covariance[entry] / static_cast<double>(shards.size());
        }
    }
    return mean;
}

// Draws of one shard in coordinates in which the shards' mean covariance is the identity.
struct Kernels {
    std::size_t count = 0;
    std::vector<double> z;           // [n][count]
    std::vector<double> log_weight;  // [count], one over the shard's normal density there
};

Kernels kernels_of(MatrixView<const double> shard,
                   const Moments& moments,
                   const CovarianceFactor& pooled) {
    const CovarianceFactor own = CovarianceFactor::dense(moments.covariance);
    const std::size_t n = moments.mean.size();
    const std::ptrdiff_t every = (shard.rows() + most_draws - 1) / most_draws;
    Kernels kernels;
    kernels.count = at((shard.rows() + every - 1) / every);
    kernels.z.resize(n * kernels.count);
    std::vector<double> x(n);
    for (std::size_t draw = 0; draw < kernels.count; ++draw) {
        const auto row = shard.row(static_cast<std::ptrdiff_t>(draw) * every);
        x.assign(row.begin(), row.end());
        pooled.solve(x);
        for (std::size_t i = 0; i < n; ++i) {
            kernels.z[i * kernels.count + draw] = x[i];
            x[i] = row[i] - moments.mean[i];
        }
        own.solve(x);
        kernels.log_weight.push_back(0.5 * square_of(x));
    }
    return kernels;
}

// What all copies of the density share.
struct Shards {
    Shards(std::span<const MatrixView<const double>> draws, std::span<const Moments> moments)
        : product(product_of_normals(moments)),
          normal(product.mean, product.covariance),
          pooled(CovarianceFactor::dense(mean_covariance(moments))) {
        std::size_t fewest = at(most_draws);
        for (std::size_t s = 0; s < draws.size(); ++s) {
            kernels.push_back(kernels_of(draws[s], moments[s], pooled));
            fewest = std::min(fewest, kernels.back().count);
            most = std::max(most, kernels.back().count);
        }
        const auto n = static_cast<double>(product.mean.size());
        width = wider * math::pow(static_cast<double>(fewest), -1 / (4 + n));
    }

    Moments product;
    LinearCoordinates normal;
    CovarianceFactor pooled;
    std::vector<Kernels> kernels;
    std::size_t most = 0;
    double width = 1;
};

// Product of normals times, for each shard, the sum of its kernels over its normal density.
class ProductDensity final : public LogDensity {
public:
    explicit ProductDensity(const Shards& shards)
        : shards_(&shards),
          z_(shards.product.mean.size()),
          slope_(z_.size()),
          exponent_(shards.most) {}

    [[nodiscard]] int dimension() const override { return static_cast<int>(z_.size()); }

    double evaluate(std::span<const double> x) override { return value_at(x, false); }

    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double value = value_at(x, true);
        shards_->pooled.solve_transposed(slope_);
        shards_->normal.to_z(x, gradient);
        shards_->normal.factor().solve_transposed(gradient);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            gradient[i] = slope_[i] - gradient[i];
        }
        return value;
    }

private:
    double value_at(std::span<const double> x, bool with_slope) {
        shards_->normal.to_z(x, z_);
        double value = -0.5 * square_of(z_);
        std::copy(x.begin(), x.end(), z_.begin());
        shards_->pooled.solve(z_);
        std::fill(slope_.begin(), slope_.end(), 0.0);
        for (const Kernels& kernels : shards_->kernels) {
            value += log_sum_of(kernels);
            if (with_slope) {
                add_slope(kernels);
            }
        }
        return value;
    }

    // Leaves the kernels' shares of the sum in exponent_.
    double log_sum_of(const Kernels& kernels) {
        std::copy(kernels.log_weight.begin(), kernels.log_weight.end(), exponent_.begin());
        const double factor = -0.5 / (shards_->width * shards_->width);
        for (std::size_t i = 0; i < z_.size(); ++i) {
            const double* column = kernels.z.data() + i * kernels.count;
            for (std::size_t draw = 0; draw < kernels.count; ++draw) {
                const double distance = column[draw] - z_[i];
                exponent_[draw] += factor * distance * distance;
            }
        }
        const auto end = exponent_.begin() + static_cast<std::ptrdiff_t>(kernels.count);
        const double largest = *std::max_element(exponent_.begin(), end);
        double sum = 0;
        for (auto share = exponent_.begin(); share != end; ++share) {
            *share = math::exp(*share - largest);
            sum += *share;
        }
        std::for_each(exponent_.begin(), end, [=](double& share) { share /= sum; });
        return largest + math::log(sum / static_cast<double>(kernels.count));
    }

    void add_slope(const Kernels& kernels) {
        const double factor = 1 / (shards_->width * shards_->width);
        for (std::size_t i = 0; i < z_.size(); ++i) {
            const double* column = kernels.z.data() + i * kernels.count;
            for (std::size_t draw = 0; draw < kernels.count; ++draw) {
                slope_[i] += factor * exponent_[draw] * (column[draw] - z_[i]);
            }
        }
    }

    const Shards* shards_;
    std::vector<double> z_;
    std::vector<double> slope_;
    std::vector<double> exponent_;
};

}  // namespace

WeightedPoints density_product(std::span<const MatrixView<const double>> shards,
                               int points,
                               std::uint64_t seed,
                               std::uint32_t task,
                               runtime::ThreadTeam& threads) {
    std::vector<Moments> moments;
    for (const auto& shard : shards) {
        moments.push_back(moments_of(shard));
    }
    const Shards all(shards, moments);
    return importance_sample([&] { return std::make_unique<ProductDensity>(all); },
                             all.normal,
                             {.degrees_of_freedom = degrees_of_freedom, .points = points},
                             seed,
                             task,
                             threads);
}

}  // namespace lockstep::xpcs::cmc
