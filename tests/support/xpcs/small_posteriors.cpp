// Eight schools, a mixture of two normals, a Gaussian process, logistic regression.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "lockstep/runtime/fixed_sum.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include "support/json_numbers.hpp"
#include "support/xpcs/posterior.hpp"

namespace lockstep::test {
namespace {

// Coordinates: z of each school, mu, log tau.
class EightSchools final : public Posterior {
public:
    EightSchools(std::vector<double> y, std::vector<double> sigma)
        : y_(std::move(y)), sigma_(std::move(sigma)) {}
    [[nodiscard]] int dimension() const override { return static_cast<int>(y_.size()) + 2; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const std::size_t j = y_.size();
        const double mu = x[j];
        const double tau = std::exp(x[j + 1]);
        const double t = tau * tau / 25;
        double value = -mu * mu / 50 - std::log1p(t) + x[j + 1];
        gradient[j] = -mu / 25;
        gradient[j + 1] = 1 - 2 * t / (1 + t);
        for (std::size_t i = 0; i < j; ++i) {
            const double residual = (y_[i] - mu - tau * x[i]) / sigma_[i];
            const double slope = residual / sigma_[i];
            value -= 0.5 * (x[i] * x[i] + residual * residual);
            gradient[i] = -x[i] + tau * slope;
            gradient[j] += slope;
            gradient[j + 1] += tau * x[i] * slope;
        }
        return value;
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        const double mu = x[y_.size()];
        const double tau = std::exp(x[y_.size() + 1]);
        parameters.clear();
        for (std::size_t i = 0; i < y_.size(); ++i) {
            parameters.push_back(mu + tau * x[i]);
        }
        parameters.push_back(mu);
        parameters.push_back(tau);
    }

private:
    std::vector<double> y_;
    std::vector<double> sigma_;
};

// Coordinates: mu1, log(mu2 - mu1), log sigma1, log sigma2, logit theta.
class NormalMixture final : public Posterior {
public:
    explicit NormalMixture(std::vector<double> y) : y_(std::move(y)) {}
    [[nodiscard]] int dimension() const override { return 5; }
    [[nodiscard]] std::vector<double> centre() const override { return {-1, 1, 0, 0, 0}; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double gap = std::exp(x[1]);
        const double mu1 = x[0];
        const double mu2 = x[0] + gap;
        const double sigma1 = std::exp(x[2]);
        const double sigma2 = std::exp(x[3]);
        const double theta = 1 / (1 + std::exp(-x[4]));
        const double log1 = std::log(theta) - x[2];
        const double log2 = std::log(1 - theta) - x[3];
        double value = 0;
        double by_mu1 = 0;
        double by_mu2 = 0;
        double by_sigma1 = 0;
        double by_sigma2 = 0;
        double share1 = 0;
        for (const double y : y_) {
            const double z1 = (y - mu1) / sigma1;
            const double z2 = (y - mu2) / sigma2;
            const double a = log1 - 0.5 * z1 * z1;
            const double b = log2 - 0.5 * z2 * z2;
            const double low = std::exp(-std::abs(a - b));
            value += std::max(a, b) + std::log1p(low);
            const double p1 = a > b ? 1 / (1 + low) : low / (1 + low);
            const double p2 = 1 - p1;
            share1 += p1;
            by_mu1 += p1 * z1;
            by_mu2 += p2 * z2;
            by_sigma1 += p1 * (z1 * z1 - 1);
            by_sigma2 += p2 * (z2 * z2 - 1);
        }
        by_mu1 = by_mu1 / sigma1 - mu1 / 4;
        by_mu2 = by_mu2 / sigma2 - mu2 / 4;
        const auto n = static_cast<double>(y_.size());
        gradient[0] = by_mu1 + by_mu2;
        gradient[1] = by_mu2 * gap + 1;
        gradient[2] = by_sigma1 - sigma1 * sigma1 / 4 + 1;
        gradient[3] = by_sigma2 - sigma2 * sigma2 / 4 + 1;
        gradient[4] = share1 - n * theta + 5 * (1 - 2 * theta);
        return value + 5 * std::log(theta * (1 - theta)) -
               (mu1 * mu1 + mu2 * mu2 + sigma1 * sigma1 + sigma2 * sigma2) / 8 + x[1] + x[2] + x[3];
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters = {
            x[0], x[0] + std::exp(x[1]), std::exp(x[2]), std::exp(x[3]), 1 / (1 + std::exp(-x[4]))};
    }

private:
    std::vector<double> y_;
};

// Coordinates: log rho, log alpha, log sigma.
class GaussianProcess final : public Posterior {
public:
    GaussianProcess(const std::vector<double>& x, std::vector<double> y) : y_(std::move(y)) {
        for (const double a : x) {
            for (const double b : x) {
                distance2_.push_back((a - b) * (a - b));
            }
        }
        smooth_.resize(distance2_.size());
        covariance_.resize(distance2_.size());
    }
    [[nodiscard]] int dimension() const override { return 3; }
    [[nodiscard]] std::vector<double> centre() const override { return {1.5, 0.5, 0.3}; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const std::size_t n = y_.size();
        const double rho = std::exp(x[0]);
        const double alpha = std::exp(x[1]);
        const double sigma = std::exp(x[2]);
        for (std::size_t i = 0; i < smooth_.size(); ++i) {
            smooth_[i] = alpha * alpha * std::exp(-0.5 * distance2_[i] / (rho * rho));
            covariance_[i] = smooth_[i] + (i % (n + 1) == 0 ? sigma : 0);
        }
        const auto factor = xpcs::cmc::CovarianceFactor::dense(covariance_);
        const std::vector<double> inverse = factor.inverse();
        std::vector<double> weights = y_;
        factor.solve(weights);
        const double squares = runtime::fixed_dot(weights, weights);
        factor.solve_transposed(weights);
        double by_rho = 0;
        double by_alpha = 0;
        double by_sigma = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                const std::size_t ij = i * n + j;
                const double slope = 0.5 * (weights[i] * weights[j] - inverse[ij]);
                by_rho += slope * smooth_[ij] * distance2_[ij] / (rho * rho);
                by_alpha += slope * 2 * smooth_[ij];
                by_sigma += i == j ? slope * sigma : 0;
            }
        }
        gradient[0] = by_rho + 25 - 4 * rho;
        gradient[1] = by_alpha - alpha * alpha / 4 + 1;
        gradient[2] = by_sigma - sigma * sigma + 1;
        return -0.5 * squares - factor.log_determinant() + 25 * x[0] - 4 * rho - alpha * alpha / 8 +
               x[1] - 0.5 * sigma * sigma + x[2];
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters = {std::exp(x[0]), std::exp(x[1]), std::exp(x[2])};
    }

private:
    std::vector<double> y_;
    std::vector<double> distance2_;
    std::vector<double> smooth_;
    std::vector<double> covariance_;
};

// Standardised features, a constant last.
class GermanCredit final : public Posterior {
public:
    explicit GermanCredit(const std::vector<std::vector<double>>& rows) {
        const std::size_t features = rows.front().size() - 1;
        for (std::size_t j = 0; j < features; ++j) {
            std::vector<double> column;
            for (const std::vector<double>& row : rows) {
                column.push_back(row[j]);
            }
            columns_.push_back(standardised(std::move(column)));
        }
        columns_.emplace_back(rows.size(), 1.0);
        for (const std::vector<double>& row : rows) {
            y_.push_back(row.back() == 2 ? 1 : 0);
        }
        linear_.resize(rows.size());
    }
    [[nodiscard]] int dimension() const override { return static_cast<int>(columns_.size()); }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        std::fill(linear_.begin(), linear_.end(), 0.0);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            const double* column = columns_[j].data();
            for (std::size_t i = 0; i < linear_.size(); ++i) {
                linear_[i] += x[j] * column[i];
            }
        }
        double value = 0;
        for (std::size_t i = 0; i < linear_.size(); ++i) {
            const double eta = linear_[i];
            const double small = std::exp(-std::abs(eta));
            value += y_[i] * eta - std::max(eta, 0.0) - std::log1p(small);
            linear_[i] = y_[i] - (eta > 0 ? 1 / (1 + small) : small / (1 + small));
        }
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            gradient[j] = runtime::fixed_dot(linear_, columns_[j]) - x[j];
            value -= 0.5 * x[j] * x[j];
        }
        return value;
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters.assign(x.begin(), x.end());
    }

private:
    static std::vector<double> standardised(std::vector<double> column) {
        const auto n = static_cast<double>(column.size());
        const double mean = runtime::fixed_sum(column) / n;
        for (double& value : column) {
            value -= mean;
        }
        const double sd = std::sqrt(runtime::fixed_dot(column, column) / n);
        for (double& value : column) {
            value /= sd;
        }
        return column;
    }
    std::vector<std::vector<double>> columns_;
    std::vector<double> y_;
    std::vector<double> linear_;
};

}  // namespace

OwnedPosterior make_eight_schools(const io::Json& data) {
    return std::make_unique<EightSchools>(numbers(member(data, {"y"})),
                                          numbers(member(data, {"sigma"})));
}

OwnedPosterior make_normal_mixture(const io::Json& data) {
    return std::make_unique<NormalMixture>(numbers(member(data, {"y"})));
}

OwnedPosterior make_gaussian_process(const io::Json& data) {
    return std::make_unique<GaussianProcess>(numbers(member(data, {"x"})),
                                             numbers(member(data, {"y"})));
}

OwnedPosterior make_german_credit(const std::vector<std::vector<double>>& rows) {
    return std::make_unique<GermanCredit>(rows);
}

}  // namespace lockstep::test
