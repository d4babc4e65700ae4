// Time series: derivatives run along with the recursion.
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "support/json_numbers.hpp"
#include "support/xpcs/posterior.hpp"

namespace lockstep::test {
namespace {

// Coordinates: mu, phi, theta, log sigma.
class ArmaPosterior final : public Posterior {
public:
    explicit ArmaPosterior(std::vector<double> y) : y_(std::move(y)) {}
    [[nodiscard]] int dimension() const override { return 4; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double mu = x[0];
        const double phi = x[1];
        const double theta = x[2];
        double e = y_[0] - mu - phi * mu;
        std::array<double, 3> slope{-1 - phi, -mu, 0};
        double squares = e * e;
        std::array<double, 3> sum{e * slope[0], e * slope[1], 0};
        for (std::size_t t = 1; t < y_.size(); ++t) {
            slope = {-1 - theta * slope[0], -y_[t - 1] - theta * slope[1], -e - theta * slope[2]};
            e = y_[t] - mu - phi * y_[t - 1] - theta * e;
            squares += e * e;
            for (std::size_t i = 0; i < 3; ++i) {
                sum[i] += e * slope[i];
            }
        }
        const double sigma = std::exp(x[3]);
        const double precision = 1 / (sigma * sigma);
        const auto n = static_cast<double>(y_.size());
        const double t = sigma * sigma / 6.25;
        gradient[0] = -precision * sum[0] - mu / 100;
        gradient[1] = -precision * sum[1] - phi / 4;
        gradient[2] = -precision * sum[2] - theta / 4;
        gradient[3] = precision * squares - n + 1 - 2 * t / (1 + t);
        return -0.5 * precision * squares - (n - 1) * x[3] - std::log1p(t) - mu * mu / 200 -
               phi * phi / 8 - theta * theta / 8;
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters = {x[0], x[1], x[2], std::exp(x[3])};
    }

private:
    std::vector<double> y_;
};

double logistic(double u) {
    return 1 / (1 + std::exp(-u));
}

// Coordinates: mu, log alpha0, logit alpha1, logit(beta1 / (1 - alpha1)).
class GarchPosterior final : public Posterior {
public:
    GarchPosterior(std::vector<double> y, double sigma1) : y_(std::move(y)), sigma1_(sigma1) {}
    [[nodiscard]] int dimension() const override { return 4; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double mu = x[0];
        const double alpha0 = std::exp(x[1]);
        const double alpha1 = logistic(x[2]);
        const double share = logistic(x[3]);
        const double beta1 = (1 - alpha1) * share;
        double variance = sigma1_ * sigma1_;
        std::array<double, 4> slope{};  // of the variance by mu, alpha0, alpha1, beta1
        std::array<double, 4> sum{};
        double value = 0;
        for (const double y : y_) {
            const double distance = y - mu;
            const double square = distance * distance;
            value -= 0.5 * (std::log(variance) + square / variance);
            const double by_variance = 0.5 * (square / variance - 1) / variance;
            sum[0] += distance / variance;
            for (std::size_t i = 0; i < 4; ++i) {
                sum[i] += by_variance * slope[i];
            }
            slope = {-2 * alpha1 * distance + beta1 * slope[0],
                     1 + beta1 * slope[1],
                     square + beta1 * slope[2],
                     variance + beta1 * slope[3]};
            variance = alpha0 + alpha1 * square + beta1 * variance;
        }
        const double alpha1_slope = alpha1 * (1 - alpha1);
        gradient[0] = sum[0];
        gradient[1] = alpha0 * sum[1] + 1;
        gradient[2] = alpha1_slope * (sum[2] - share * sum[3]) + (1 - 2 * alpha1) - alpha1;
        gradient[3] = (1 - alpha1) * share * (1 - share) * sum[3] + (1 - 2 * share);
        return value + x[1] + std::log(alpha1_slope) + std::log(1 - alpha1) +
               std::log(share * (1 - share));
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        const double alpha1 = logistic(x[2]);
        parameters = {x[0], std::exp(x[1]), alpha1, (1 - alpha1) * logistic(x[3])};
    }

private:
    std::vector<double> y_;
    double sigma1_;
};

}  // namespace

OwnedPosterior make_arma(const io::Json& data) {
    return std::make_unique<ArmaPosterior>(numbers(member(data, {"y"})));
}

OwnedPosterior make_garch(const io::Json& data) {
    return std::make_unique<GarchPosterior>(numbers(member(data, {"y"})),
                                            number(member(data, {"sigma1"})));
}

}  // namespace lockstep::test
