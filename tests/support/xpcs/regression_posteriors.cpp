// Linear regressions: y ~ Normal(X b, sigma) with normal or flat b. Coordinates: b, log sigma.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "lockstep/runtime/fixed_sum.hpp"

#include "support/json_numbers.hpp"
#include "support/xpcs/posterior.hpp"

namespace lockstep::test {
namespace {

enum class SigmaPrior { flat, half_cauchy, half_normal };

struct Regression {
    std::vector<std::vector<double>> columns;  // [K][N]
    std::vector<double> y;
    std::vector<double> prior_mean;  // [K]
    std::vector<double> prior_sd;    // [K]; empty: flat
    SigmaPrior sigma_prior = SigmaPrior::flat;
    double sigma_scale = 1;
};

class RegressionPosterior final : public Posterior {
public:
    explicit RegressionPosterior(Regression regression)
        : given_(std::move(regression)), residual_(given_.y.size()) {}

    [[nodiscard]] int dimension() const override {
        return static_cast<int>(given_.columns.size()) + 1;
    }

    using Posterior::evaluate;
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const std::size_t k = given_.columns.size();
        const auto n = static_cast<double>(given_.y.size());
        const double sigma = std::exp(x[k]);
        residual_ = given_.y;
        for (std::size_t j = 0; j < k; ++j) {
            const double* column = given_.columns[j].data();
            const double b = x[j];
            for (std::size_t i = 0; i < residual_.size(); ++i) {
                residual_[i] -= b * column[i];
            }
        }
        const double precision = 1 / (sigma * sigma);
        const double chi_square = precision * runtime::fixed_dot(residual_, residual_);
        double value = -0.5 * chi_square - n * x[k] + x[k];
        gradient[k] = chi_square - n + 1;
        for (std::size_t j = 0; j < k; ++j) {
            gradient[j] = precision * runtime::fixed_dot(residual_, given_.columns[j]);
            if (!given_.prior_sd.empty()) {
                const double z = (x[j] - given_.prior_mean[j]) / given_.prior_sd[j];
                value -= 0.5 * z * z;
                gradient[j] -= z / given_.prior_sd[j];
            }
        }
        return value + add_sigma_prior(sigma, gradient[k]);
    }

    void report(std::span<const double> x, std::vector<double>& parameters) const override {
        parameters.assign(x.begin(), x.end());
        parameters.back() = std::exp(x.back());
    }

private:
    [[nodiscard]] double add_sigma_prior(double sigma, double& gradient) const {
        const double t = sigma * sigma / (given_.sigma_scale * given_.sigma_scale);
        switch (given_.sigma_prior) {
            case SigmaPrior::half_cauchy:
                gradient -= 2 * t / (1 + t);
                return -std::log1p(t);
            case SigmaPrior::half_normal:
                gradient -= t;
                return -0.5 * t;
            case SigmaPrior::flat:
                break;
        }
        return 0;
    }

    Regression given_;
    std::vector<double> residual_;
};

std::vector<double> combine(const std::vector<double>& a,
                            const std::vector<double>& b,
                            double (*f)(double, double)) {
    std::vector<double> values;
    std::transform(a.begin(), a.end(), b.begin(), std::back_inserter(values), f);
    return values;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
    return combine(a, b, [](double x, double y) { return x * y; });
}

std::vector<double> logarithm(std::vector<double> values) {
    for (double& value : values) {
        value = std::log(value);
    }
    return values;
}

std::vector<double> ones(std::size_t n) {
    return std::vector<double>(n, 1.0);
}

// The data of one model.
class Columns {
public:
    explicit Columns(const io::Json& data) : data_(&data) {}
    std::vector<double> operator[](const char* key) const { return numbers(member(*data_, {key})); }
    double scalar(const char* key) const { return number(member(*data_, {key})); }
    std::vector<double> is(const char* key, double value) const {
        std::vector<double> values = (*this)[key];
        for (double& entry : values) {
            entry = entry == value ? 1 : 0;
        }
        return values;
    }

private:
    const io::Json* data_;
};

void same_prior(Regression& model, double sd) {
    model.prior_mean.assign(model.columns.size(), 0.0);
    model.prior_sd.assign(model.columns.size(), sd);
}

Regression autoregression(const Columns& data) {
    const std::vector<double> y = data["y"];
    constexpr std::ptrdiff_t lags = 5;
    Regression model;
    model.y.assign(y.begin() + lags, y.end());
    model.columns.push_back(ones(model.y.size()));
    for (std::ptrdiff_t lag = 1; lag <= lags; ++lag) {
        model.columns.emplace_back(y.begin() + lags - lag, y.end() - lag);
    }
    same_prior(model, 10);
    model.sigma_prior = SigmaPrior::half_cauchy;
    model.sigma_scale = 2.5;
    return model;
}

Regression kid_scores(const Columns& data, bool interaction) {
    Regression model;
    model.y = data["kid_score"];
    model.columns = {ones(model.y.size()), data["mom_hs"], data["mom_iq"]};
    if (interaction) {
        model.columns.push_back(product(data["mom_hs"], data["mom_iq"]));
    }
    model.sigma_prior = SigmaPrior::half_cauchy;
    model.sigma_scale = 2.5;
    return model;
}

Regression earnings(const Columns& data) {
    Regression model;
    model.y = logarithm(data["earn"]);
    model.columns = {
        ones(model.y.size()), data["height"], data["male"], product(data["height"], data["male"])};
    return model;
}

Regression mesquite(const Columns& data) {
    const auto area = product(data["diam1"], data["diam2"]);
    Regression model;
    model.y = logarithm(data["weight"]);
    model.columns = {
        ones(model.y.size()),
        logarithm(product(area, data["canopy_height"])),
        logarithm(area),
        logarithm(combine(data["diam1"], data["diam2"], [](double x, double y) { return x / y; })),
        logarithm(data["total_height"]),
        data["group"]};
    return model;
}

Regression bayesian_regression(const io::Json& data) {
    Regression model;
    model.y = numbers(member(data, {"y"}));
    for (const io::Json& row : array(member(data, {"X"}))) {
        const std::vector<double> values = numbers(row);
        model.columns.resize(values.size());
        for (std::size_t j = 0; j < values.size(); ++j) {
            model.columns[j].push_back(values[j]);
        }
    }
    same_prior(model, 10);
    model.sigma_prior = SigmaPrior::half_normal;
    model.sigma_scale = 10;
    return model;
}

Regression temperatures(const Columns& data) {
    Regression model;
    model.y = data["y"];
    model.columns = {ones(model.y.size()), data["x"]};
    model.prior_mean = {data.scalar("pmualpha"), data.scalar("pmubeta")};
    model.prior_sd = {data.scalar("psalpha"), data.scalar("psbeta")};
    return model;
}

Regression elections(const Columns& data) {
    Regression model;
    model.y = data["partyid7"];
    model.columns = {ones(model.y.size()),
                     data["real_ideo"],
                     data["race_adj"],
                     data.is("age_discrete", 2),
                     data.is("age_discrete", 3),
                     data.is("age_discrete", 4),
                     data["educ1"],
                     data["gender"],
                     data["income"]};
    return model;
}

Regression regression_of(const std::string& name, const io::Json& data) {
    const Columns columns(data);
    if (name == "arK-arK") {
        return autoregression(columns);
    }
    if (name == "earnings-logearn_interaction") {
        return earnings(columns);
    }
    if (name == "mesquite-logmesquite_logvash") {
        return mesquite(columns);
    }
    if (name == "kilpisjarvi_mod-kilpisjarvi") {
        return temperatures(columns);
    }
    if (name == "nes1992-nes") {
        return elections(columns);
    }
    if (name == "sblrc-blr" || name == "sblri-blr") {
        return bayesian_regression(data);
    }
    return kid_scores(columns, name == "kidiq-kidscore_interaction");
}

}  // namespace

OwnedPosterior make_regression(const std::string& name, const io::Json& data) {
    return std::make_unique<RegressionPosterior>(regression_of(name, data));
}

}  // namespace lockstep::test
