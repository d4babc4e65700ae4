// Posteriors over the parameters of rate equations, which are solved by Runge-Kutta steps together
// with the derivatives of the solution.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "support/json_numbers.hpp"
#include "support/xpcs/posterior.hpp"

namespace lockstep::test {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// One classical step of y' = f(t, y).
template <std::size_t N, typename F>
void step(std::array<double, N>& y, double t, double h, F f) {
    const auto moved = [&](const std::array<double, N>& slope, double by) {
        std::array<double, N> place = y;
        for (std::size_t i = 0; i < N; ++i) {
            place[i] += by * slope[i];
        }
        return place;
    };
    const auto k1 = f(t, y);
    const auto k2 = f(t + h / 2, moved(k1, h / 2));
    const auto k3 = f(t + h / 2, moved(k2, h / 2));
    const auto k4 = f(t + h, moved(k3, h));
    for (std::size_t i = 0; i < N; ++i) {
        y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
}

// Hares u and lynxes v. Coordinates: logarithms of theta[4], u(0), v(0), sigma[2].
class LotkaVolterra final : public Posterior {
public:
    LotkaVolterra(std::vector<std::array<double, 2>> log_observed)
        : log_observed_(std::move(log_observed)) {}
    [[nodiscard]] int dimension() const override { return 8; }
    [[nodiscard]] std::vector<double> centre() const override {
        return {-0.5, -3.5, -0.2, -3.5, 3.3, 1.5, -1, -1};
    }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        std::array<double, 4> theta{};
        for (std::size_t i = 0; i < 4; ++i) {
            theta[i] = std::exp(x[i]);
        }
        double value = priors(x, theta, gradient);
        // u, v and their derivatives by the six first coordinates.
        State state{};
        state[0] = std::exp(x[4]);
        state[1] = std::exp(x[5]);
        state[2 + 4] = state[0];
        state[8 + 5] = state[1];
        for (std::size_t year = 0; year < log_observed_.size(); ++year) {
            if (year > 0) {
                constexpr int steps = 20;
                for (int s = 0; s < steps; ++s) {
                    step(state, 0, 1.0 / steps, [&](double, const State& y) {
                        return slope(y, theta);
                    });
                }
            }
            if (!(state[0] > 0 && state[1] > 0)) {
                return minus_infinity;
            }
            for (std::size_t animal = 0; animal < 2; ++animal) {
                const double precision = std::exp(-2 * x[6 + animal]);
                const double distance = log_observed_[year][animal] - std::log(state[animal]);
                value -= 0.5 * precision * distance * distance + x[6 + animal];
                gradient[6 + animal] += precision * distance * distance - 1;
                for (std::size_t i = 0; i < 6; ++i) {
                    gradient[i] += precision * distance / state[animal] * state[2 + 6 * animal + i];
                }
            }
        }
        return value;
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters.clear();
        for (const double coordinate : x) {
            parameters.push_back(std::exp(coordinate));
        }
    }

private:
    using State = std::array<double, 14>;

    static State slope(const State& y, const std::array<double, 4>& theta) {
        const double u = y[0];
        const double v = y[1];
        State d{};
        d[0] = (theta[0] - theta[1] * v) * u;
        d[1] = (theta[3] * u - theta[2]) * v;
        const std::array<double, 6> force_u{theta[0] * u, -theta[1] * u * v, 0, 0, 0, 0};
        const std::array<double, 6> force_v{0, 0, -theta[2] * v, theta[3] * u * v, 0, 0};
        for (std::size_t i = 0; i < 6; ++i) {
            const double su = y[2 + i];
            const double sv = y[8 + i];
            d[2 + i] = (theta[0] - theta[1] * v) * su - theta[1] * u * sv + force_u[i];
            d[8 + i] = theta[3] * v * su + (theta[3] * u - theta[2]) * sv + force_v[i];
        }
        return d;
    }

    static double priors(std::span<const double> x,
                         const std::array<double, 4>& theta,
                         std::span<double> gradient) {
        double value = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const double mean = i % 2 == 0 ? 1 : 0.05;
            const double sd = i % 2 == 0 ? 0.5 : 0.05;
            const double z = (theta[i] - mean) / sd;
            value += -0.5 * z * z + x[i];
            gradient[i] = -z / sd * theta[i] + 1;
        }
        for (std::size_t i = 4; i < 8; ++i) {  // log-normal: normal in the coordinate
            const double z = x[i] - (i < 6 ? std::log(10.0) : -1);
            value -= 0.5 * z * z;
            gradient[i] = -z;
        }
        return value;
    }

    std::vector<std::array<double, 2>> log_observed_;
};

// Absorption of first order, elimination of Michaelis-Menten. Coordinates: logarithms of k_a, K_m,
// V_m, sigma.
class Elimination final : public Posterior {
public:
    Elimination(double dose, double volume, std::vector<double> times, std::vector<double> observed)
        : dose_(dose), volume_(volume), times_(std::move(times)), observed_(std::move(observed)) {}
    [[nodiscard]] int dimension() const override { return 4; }
    [[nodiscard]] std::vector<double> centre() const override { return {-0.3, 0, 0, -2}; }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double k = std::exp(x[0]);
        const double km = std::exp(x[1]);
        const double vm = std::exp(x[2]);
        double value = 0;
        for (std::size_t i = 0; i < 4; ++i) {  // half-Cauchy(1) in the logarithm
            const double square = std::exp(2 * x[i]);
            value += x[i] - std::log1p(square);
            gradient[i] = 1 - 2 * square / (1 + square);
        }
        const auto slope = [&](double t, const State& y) {
            const double gain = dose_ * k / volume_ * std::exp(-k * t);
            const double share = y[0] / (km + y[0]);
            const double loss = vm / volume_ * share;
            const double by_c = -vm / volume_ * km / ((km + y[0]) * (km + y[0]));
            return State{gain - loss,
                         gain * (1 - k * t) + by_c * y[1],
                         loss * km / (km + y[0]) + by_c * y[2],
                         -loss + by_c * y[3]};
        };
        State state{};
        double t = 0;
        const double precision = std::exp(-2 * x[3]);
        for (std::size_t i = 0; i < times_.size(); ++i) {
            const int steps = i == 0 ? 40 : 10;
            const double h = (times_[i] - t) / steps;
            for (int s = 0; s < steps; ++s) {
                step(state, t + s * h, h, slope);
            }
            t = times_[i];
            if (!(state[0] > 0)) {
                return minus_infinity;
            }
            const double distance = std::log(observed_[i]) - std::log(state[0]);
            value -= 0.5 * precision * distance * distance + x[3];
            gradient[3] += precision * distance * distance - 1;
            for (std::size_t j = 0; j < 3; ++j) {
                gradient[j] += precision * distance / state[0] * state[1 + j];
            }
        }
        return value;
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters = {std::exp(x[0]), std::exp(x[1]), std::exp(x[2]), std::exp(x[3])};
    }

private:
    using State = std::array<double, 4>;  // C and its derivatives by the first coordinates

    double dose_;
    double volume_;
    std::vector<double> times_;
    std::vector<double> observed_;
};

}  // namespace

OwnedPosterior make_lotka_volterra(const io::Json& data) {
    std::vector<std::array<double, 2>> log_observed;
    const auto add = [&](const std::vector<double>& pair) {
        log_observed.push_back({std::log(pair[0]), std::log(pair[1])});
    };
    add(numbers(member(data, {"y_init"})));
    for (const io::Json& row : array(member(data, {"y"}))) {
        add(numbers(row));
    }
    return std::make_unique<LotkaVolterra>(std::move(log_observed));
}

OwnedPosterior make_elimination(const io::Json& data) {
    return std::make_unique<Elimination>(number(member(data, {"D"})),
                                         number(member(data, {"V"})),
                                         numbers(member(data, {"times"})),
                                         numbers(member(data, {"C_hat"})));
}

}  // namespace lockstep::test
