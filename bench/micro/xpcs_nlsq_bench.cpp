// Least squares on published problems, and what a step costs beside the evaluations. Tables:
// evaluations of the cost and agreeing digits for each set of NIST and start, by the Jacobian and
// by normal equations, to the last digit and with the tolerances of users; evaluations for each
// problem of Moré, Garbow and Hillstrom; CPU microseconds of an iteration by the number of
// parameters.
//
// usage: bench_xpcs_nlsq [REPEATS]   of the timed fits, 200
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include "cpu_time.hpp"
#include "support/xpcs/more_garbow_hillstrom.hpp"
#include "support/xpcs/nist.hpp"

namespace {

using namespace lockstep;
using xpcs::nlsq::Fit;
using xpcs::nlsq::TrustRegionOptions;

TrustRegionOptions exact() {
    TrustRegionOptions options;
    options.gradient_tolerance = 0;
    options.cost_tolerance = 0;
    options.step_tolerance = 0;
    return options;
}

void print_nist() {
    std::puts("NIST       start  Jacobian, exact  normal equations  usual tolerances  bent steps");
    std::puts(
        "                  eval. digits     eval. digits      eval. digits      eval. digits");
    for (const std::string& name : test::nist_names()) {
        const test::NistSet set = test::nist_set(name);
        for (std::size_t s = 0; s < set.starts.size(); ++s) {
            const auto residuals = test::nist_residuals(set);
            test::GramObjective objective(*residuals);
            TrustRegionOptions bent = exact();
            bent.bent_steps = true;
            std::printf("%-10s %5zu", name.c_str(), s + 1);
            for (const Fit& fit : {minimise(*residuals, set.starts[s], {}, exact()),
                                   minimise(objective, set.starts[s], {}, exact()),
                                   minimise(*residuals, set.starts[s]),
                                   minimise(*residuals, set.starts[s], {}, bent)}) {
                std::printf("  %5d %5.1f    ",
                            fit.evaluations,
                            test::agreeing_digits(fit.x, set.certified));
            }
            std::puts("");
        }
    }
}

void print_collection() {
    std::puts(
        "\nMore, Garbow, Hillstrom      n  Jacobian: eval.  sum of squares   normal equations");
    for (const test::CollectedProblem& problem : test::collected_problems()) {
        const auto residuals = test::collected_residuals(problem);
        test::GramObjective objective(*residuals);
        std::printf("%-26s %3zu", problem.name.c_str(), problem.start.size());
        for (const Fit& fit :
             {minimise(*residuals, problem.start), minimise(objective, problem.start)}) {
            std::printf("  %8d  %14.6g", fit.evaluations, 2 * fit.cost);
        }
        std::puts("");
    }
}

/// A bent bowl whose evaluation costs next to nothing; neighbours are strongly correlated.
class Bowl : public xpcs::nlsq::Objective {
public:
    explicit Bowl(int parameters) : parameters_(parameters) {}
    [[nodiscard]] int parameters() const override { return parameters_; }
    bool evaluate(std::span<const double> x, xpcs::nlsq::NormalEquations& at) override {
        const std::size_t p = x.size();
        at.cost = 0.5;
        at.gradient.assign(p, 0);
        at.gram.assign(p * p, 0);
        for (std::size_t i = 0; i < p; ++i) {
            const double next = i + 1 < p ? x[i + 1] : 0;
            const double r = x[i] + 0.1 * x[i] * x[i] - 0.9 * next - 1;
            const double slope = 1 + 0.2 * x[i];
            at.cost += r * r / 2;
            at.gradient[i] += slope * r;
            at.gram[i * p + i] += slope * slope;
            if (i + 1 < p) {
                at.gradient[i + 1] -= 0.9 * r;
                at.gram[(i + 1) * p + i + 1] += 0.81;
                at.gram[i * p + i + 1] -= 0.9 * slope;
                at.gram[(i + 1) * p + i] -= 0.9 * slope;
            }
        }
        return true;
    }

private:
    int parameters_;
};

void print_overhead(int repeats) {
    std::puts("\nparameters  CPU microseconds of an iteration  iterations");
    for (const int parameters : {3, 7, 9, 19, 53}) {
        Bowl bowl(parameters);
        const std::vector<double> start(static_cast<std::size_t>(parameters), 3.0);
        const double begin = cpu_seconds();
        int iterations = 0;
        for (int i = 0; i < repeats; ++i) {
            iterations += minimise(bowl, start).iterations;
        }
        std::printf("%10d  %32.1f  %10.1f\n",
                    parameters,
                    1e6 * (cpu_seconds() - begin) / iterations,
                    static_cast<double>(iterations) / repeats);
    }
}

}  // namespace

int main(int argc, char** argv) {
    print_nist();
    print_collection();
    print_overhead(argc > 1 ? std::atoi(argv[1]) : 200);
}
