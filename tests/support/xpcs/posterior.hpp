#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::test {

/// A posterior with published reference draws, over unbounded coordinates.
class Posterior : public xpcs::cmc::LogDensity {
public:
    /// The parameters that the reference reports, in its order.
    virtual void report(std::span<const double> x, std::vector<double>& parameters) const = 0;
    /// Around where chains start.
    [[nodiscard]] virtual std::vector<double> centre() const {
        return std::vector<double>(static_cast<std::size_t>(dimension()), 0.0);
    }
    double evaluate(std::span<const double> x) override {
        scratch_.resize(x.size());
        return evaluate(x, scratch_);
    }
    using LogDensity::evaluate;

private:
    std::vector<double> scratch_;
};

using OwnedPosterior = std::unique_ptr<Posterior>;

/// @{ By their names in the data base.
OwnedPosterior make_regression(const std::string& name, const io::Json& data);
OwnedPosterior make_eight_schools(const io::Json& data);
OwnedPosterior make_normal_mixture(const io::Json& data);
OwnedPosterior make_arma(const io::Json& data);
OwnedPosterior make_garch(const io::Json& data);
OwnedPosterior make_gaussian_process(const io::Json& data);
OwnedPosterior make_lotka_volterra(const io::Json& data);
OwnedPosterior make_elimination(const io::Json& data);
OwnedPosterior make_german_credit(const std::vector<std::vector<double>>& rows);
/// @}

constexpr double reference_probabilities[] = {0.05, 0.25, 0.5, 0.75, 0.95};

/// What is known of a posterior.
struct ReferencePosterior {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<double> mean;
    std::vector<double> sd;
    /// [parameters][5] at 5, 25, 50, 75 and 95 %; empty where none were published.
    std::vector<std::vector<double>> quantiles;
    /// False where the posterior has no variance, so that only quantiles can be compared: the tails
    /// of K_m and V_m fall like the third power.
    std::vector<bool> has_sd;
    double effective_draws = 10000;  ///< that all of it was computed from
    double target_acceptance = 0.8;  ///< higher where the posterior narrows
    double start_spread = 1;         ///< lower where far starts end in another mode
};

/// Names of all 17, as their files in tests/data/xpcs/posteriordb/reference.
const std::vector<std::string>& posterior_names();
ReferencePosterior reference_of(const std::string& name);
OwnedPosterior make_posterior(const std::string& name);

}  // namespace lockstep::test
