#include "lockstep/xpcs/nlsq/trust_region.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/xpcs/formula.hpp"
#include "support/xpcs/nist.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

using test::Dual;
using testing::HasSubstr;
using X = std::span<const Dual>;
using R = std::span<Dual>;

test::FormulaResiduals rosenbrock() {
    return {2, 2, [](X x, R r) {
                r[0] = 10 * (x[1] - x[0] * x[0]);
                r[1] = 1 - x[0];
            }};
}

std::string refusal(const std::vector<double>& start,
                    const Box& box,
                    const TrustRegionOptions& options = {}) {
    auto residuals = rosenbrock();
    try {
        minimise(residuals, start, box, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(TrustRegionTest, RefusesAStartOutsideTheBoxByName) {
    const Box box{{"D0", "alpha"}, {100, -2}, {1e5, 2}};
    EXPECT_EQ(refusal({50, 0}, box), "D0: the start 50 lies below the lower bound 100");
    EXPECT_EQ(refusal({200, 2.5}, box), "alpha: the start 2.5 lies above the upper bound 2");
    EXPECT_EQ(refusal({200, std::nan("")}, box), "alpha: the start nan is not a finite number");
    EXPECT_EQ(refusal({1, 1}, {{}, {0, 3}, {2, 2}}),
              "parameter 2: the bounds [3, 2] hold no number");
    EXPECT_EQ(refusal({1, 1}, {{}, {0}, {}}), "1 lower bounds for 2 parameters");
    EXPECT_EQ(refusal({1}, {}), "a start of 1 numbers for 2 parameters");
}

TEST(TrustRegionTest, RefusesOptionsOutOfRange) {
    TrustRegionOptions options;
    options.cost_tolerance = -1;
    EXPECT_THAT(refusal({1, 1}, {}, options), HasSubstr("a tolerance of -1"));
    options = {};
    options.max_evaluations = 0;
    EXPECT_THAT(refusal({1, 1}, {}, options), HasSubstr("at most 0 evaluations"));
    options = {};
    options.scale = {1};
    EXPECT_THAT(refusal({1, 1}, {}, options), HasSubstr("1 scales for 2 parameters"));
    options.scale = {1, 0};
    EXPECT_THAT(refusal({1, 1}, {}, options), HasSubstr("a scale of 0"));
    auto residuals = rosenbrock();
    EXPECT_THROW(minimise(residuals, std::vector{1.0, 1.0}, {}, {}, {Loss::Kind::huber, 0}),
                 InputError);
}

// The minimum of Rosenbrock's function where x0 <= 0.5 is at (0.5, 0.25).
TEST(TrustRegionTest, EndsExactlyOnTheBoundThatHolds) {
    auto residuals = rosenbrock();
    test::GramObjective objective(residuals);
    const Box box{{}, {-2, -2}, {0.5, 2}};
    for (const Fit& fit : {minimise(residuals, std::vector{-1.2, 1.0}, box),
                           minimise(objective, std::vector{-1.2, 1.0}, box)}) {
        EXPECT_TRUE(converged(fit.stop)) << text(fit.stop);
        EXPECT_EQ(fit.x[0], 0.5);
        EXPECT_NEAR(fit.x[1], 0.25, 1e-12);
        EXPECT_EQ(fit.bounds, (std::vector{AtBound::upper, AtBound::no}));
        EXPECT_NEAR(fit.cost, 0.125, 1e-14);
    }
}

TEST(TrustRegionTest, LeavesABoundThatItStartsOn) {
    auto residuals = rosenbrock();
    const Box box{{}, {-1.2, -2}, {2, 1}};
    const Fit fit = minimise(residuals, std::vector{-1.2, 1.0}, box);
    EXPECT_NEAR(fit.x[0], 1, 1e-9);
    EXPECT_NEAR(fit.x[1], 1, 1e-9);
}

TEST(TrustRegionTest, HoldsAParameterWhoseBoundsAreEqual) {
    auto residuals = rosenbrock();
    const Fit fit = minimise(residuals, std::vector{-1.2, 3.0}, {{}, {-5, 3}, {5, 3}});
    EXPECT_EQ(fit.x[1], 3);
    EXPECT_EQ(fit.determinacy.free, 1);
    EXPECT_NEAR(fit.gradient, 0, 1e-6);
}

TEST(TrustRegionTest, BoundsThatDoNotHoldChangeNothing) {
    for (const char* name : {"Misra1a", "Thurber", "Hahn1"}) {
        const test::NistSet set = test::nist_set(name);
        const auto free = test::nist_residuals(set);
        const auto boxed = test::nist_residuals(set);
        const std::size_t p = set.certified.size();
        const Box box{{}, std::vector(p, -1e9), std::vector(p, 1e9)};
        EXPECT_EQ(minimise(*free, set.starts[1]).x, minimise(*boxed, set.starts[1], box).x);
    }
}

TEST(TrustRegionTest, SaysWhyItEnded) {
    const std::vector start{-1.2, 1.0};
    const auto stop_with = [&](double gradient, double cost, double step) {
        auto residuals = rosenbrock();
        TrustRegionOptions options;
        options.gradient_tolerance = gradient;
        options.cost_tolerance = cost;
        options.step_tolerance = step;
        return minimise(residuals, start, {}, options).stop;
    };
    EXPECT_EQ(stop_with(0.999999, 0, 0), Stop::gradient);
    EXPECT_EQ(stop_with(0, 0, 0.1), Stop::step);
    EXPECT_EQ(stop_with(0, 0.999999, 0), Stop::gradient);  // residuals of 0 exactly
    const test::NistSet set = test::nist_set("Misra1a");
    const auto residuals = test::nist_residuals(set);
    TrustRegionOptions options;
    options.gradient_tolerance = 0;
    options.step_tolerance = 0;
    EXPECT_EQ(minimise(*residuals, set.starts[0], {}, options).stop, Stop::cost);
    EXPECT_THAT(std::string(text(Stop::cost)), HasSubstr("converged"));
}

TEST(TrustRegionTest, StopsAtTheLimitOfEvaluations) {
    auto residuals = rosenbrock();
    TrustRegionOptions options;
    options.max_evaluations = 5;
    const Fit fit = minimise(residuals, std::vector{-1.2, 1.0}, {}, options);
    EXPECT_EQ(fit.stop, Stop::evaluations);
    EXPECT_EQ(fit.evaluations, 5);
    EXPECT_LT(fit.cost, 12.1);
    EXPECT_EQ(residuals.evaluations, fit.evaluations + fit.linearisations);
}

TEST(TrustRegionTest, TheObserverHearsFallingCostsAndCanStop) {
    auto residuals = rosenbrock();
    TrustRegionOptions options;
    std::vector<double> costs;
    options.on_iteration = [&](const Iteration& iteration) {
        EXPECT_EQ(iteration.number, static_cast<int>(costs.size()));
        costs.push_back(iteration.cost);
        return costs.size() < 4;
    };
    const Fit fit = minimise(residuals, std::vector{-1.2, 1.0}, {}, options);
    EXPECT_EQ(fit.stop, Stop::caller);
    EXPECT_EQ(costs.size(), 4U);
    EXPECT_NEAR(costs.front(), 12.1, 1e-14);
    EXPECT_TRUE(std::is_sorted(costs.rbegin(), costs.rend()));
    EXPECT_EQ(fit.cost, costs.back());
}

TEST(TrustRegionTest, SaysThatTheStartHasNoCost) {
    test::FormulaResiduals residuals(1, 1, [](X x, R r) { r[0] = sqrt(x[0]) - 1; });
    const Fit fit = minimise(residuals, std::vector{-1.0});
    EXPECT_EQ(fit.stop, Stop::not_finite);
    EXPECT_FALSE(converged(fit.stop));
    EXPECT_EQ(fit.x, std::vector{-1.0});
}

// Full steps from 9 lead below 0, where there is no root.
TEST(TrustRegionTest, StepsBackFromWhereThereIsNoCost) {
    test::FormulaResiduals residuals(1, 1, [](X x, R r) { r[0] = 100 * (sqrt(x[0]) - 0.01); });
    const Fit fit = minimise(residuals, std::vector{9.0});
    EXPECT_TRUE(converged(fit.stop)) << text(fit.stop);
    EXPECT_NEAR(fit.x[0], 1e-4, 1e-12);
}

// The cost is finite everywhere, its slope nowhere between 1 and 2: steps that end there do not
// count.
TEST(TrustRegionTest, StepsBackFromWhereThereIsNoSlope) {
    for (const bool bent : {false, true}) {
        test::FormulaResiduals residuals(2, 1, [](X x, R r) {
            r[0] = x[0] - 1.5;
            r[1] = 0.1 * x[0] * x[0];
            if (x[0].value > 1 && x[0].value < 2) {
                r[0].slopes[0] = std::nan("");
            }
        });
        TrustRegionOptions options;
        options.bent_steps = bent;
        const Fit fit = minimise(residuals, std::vector{4.0}, {}, options);
        EXPECT_GE(fit.x[0], 2);
        EXPECT_LT(fit.x[0], 4);
        EXPECT_FALSE(converged(fit.stop)) << text(fit.stop);
    }
}

TEST(TrustRegionTest, EndsWhereTheJacobianOverflows) {
    test::FormulaResiduals residuals(2, 1, [](X x, R r) {
        r[0] = 1e160 * x[0];
        r[1] = 1e155 * x[0] - 1;
        r[0].value = 1;
    });
    test::GramObjective objective(residuals);
    EXPECT_EQ(minimise(objective, std::vector{1.0}).stop, Stop::not_finite);
}

TEST(TrustRegionTest, SaysThatDerivativesDoNotFitTheCost) {
    class Wrong : public Residuals {
    public:
        [[nodiscard]] std::ptrdiff_t count() const override { return 2; }
        [[nodiscard]] int parameters() const override { return 1; }
        bool evaluate(std::span<const double> x,
                      std::span<double> residuals,
                      std::span<double> jacobian) override {
            residuals[0] = x[0] - 5;
            residuals[1] = 1;
            if (!jacobian.empty()) {
                jacobian[0] = -1;
                jacobian[1] = 0;
            }
            return true;
        }
    } wrong;
    const Fit fit = minimise(wrong, std::vector{1.0});
    EXPECT_EQ(fit.stop, Stop::stalled);
    EXPECT_FALSE(converged(fit.stop));
    EXPECT_EQ(fit.x[0], 1);
}

TEST(TrustRegionTest, FewerResidualsThanParametersEndAtZero) {
    test::FormulaResiduals residuals(1, 2, [](X x, R r) { r[0] = x[0] * x[1] - 6; });
    const Fit fit = minimise(residuals, std::vector{1.0, 1.0});
    EXPECT_TRUE(converged(fit.stop));
    EXPECT_NEAR(fit.x[0] * fit.x[1], 6, 1e-9);
    EXPECT_EQ(fit.determinacy.rank, 1);
}

TEST(TrustRegionTest, NothingToFitIsAMinimum) {
    test::FormulaResiduals residuals(2, 1, [](X /*x*/, R r) { r[0] = r[1] = 1; });
    EXPECT_EQ(minimise(residuals, std::vector{1.0}).stop, Stop::gradient);
}

TEST(TrustRegionTest, GivenScalesReachTheSameMinimum) {
    const test::NistSet set = test::nist_set("Misra1a");
    TrustRegionOptions options;
    options.scale = {100, 1e-4};
    const auto residuals = test::nist_residuals(set);
    const Fit fit = minimise(*residuals, set.starts[1], {}, options);
    EXPECT_TRUE(converged(fit.stop));
    EXPECT_GE(test::agreeing_digits(fit.x, set.certified), 6);
}

struct LossRow {
    Loss::Kind kind;
    std::array<double, 3> x;
    double cost;
};

// scipy 1.17.1, least_squares(method='trf', x_scale='jac', f_scale=0.1, all tolerances 1e-15),
// which left gradients of 1e-9 to 1e-12.
TEST(TrustRegionTest, RobustLossesReachTheMinimaOfSciPy) {
    const std::vector<double> y{3.02, 2.31, 1.75, 1.32, 2.9, 0.72, 0.55, 0.41, -0.8, 0.24};
    const std::vector<LossRow> rows{
        {Loss::Kind::soft_l1,
         {3.2083671166173557, 0.48514858734646377, -0.19928690984221428},
         0.27958777582200356},
        {Loss::Kind::huber,
         {3.1869004137286763, 0.49248106652129187, -0.1752422470562618},
         0.2891594517742445},
        {Loss::Kind::cauchy,
         {3.0821696185342815, 0.5411432523351014, -0.05230147748627437},
         0.05423050015095497},
        {Loss::Kind::arctan,
         {3.073028928117462, 0.5454307794600156, -0.041671228367197305},
         0.01634246014435995}};
    for (const LossRow& row : rows) {
        test::FormulaResiduals residuals(10, 3, [&](X x, R r) {
            for (std::size_t i = 0; i < r.size(); ++i) {
                r[i] = x[0] * exp(-x[1] * (0.5 * static_cast<double>(i))) + x[2] - y[i];
            }
        });
        const Fit fit = minimise(residuals, std::vector{2.5, 0.4, 0.1}, {}, {}, {row.kind, 0.1});
        EXPECT_TRUE(converged(fit.stop)) << text(fit.stop);
        EXPECT_NEAR(fit.cost, row.cost, 1e-12);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(fit.x[i], row.x[i], 1e-6);
        }
    }
}

// Units that are powers of two change no rounding: the same iterates to the bit.
RC_GTEST_PROP(TrustRegionPropertyTest, UnitsOfParametersChangeNothing, ()) {
    const auto& names = test::nist_names();
    const test::NistSet set =
        test::nist_set(*rc::gen::elementOf(std::vector<std::string>(names.begin(), names.end())));
    RC_PRE(set.name != "Bennett5");
    const std::size_t p = set.certified.size();
    std::vector<double> units;
    for (std::size_t i = 0; i < p; ++i) {
        units.push_back(std::ldexp(1.0, *rc::gen::inRange(-30, 31)));
    }
    const auto plain = test::nist_residuals(set);
    const auto inner = test::nist_residuals(set);
    class Rescaled : public Residuals {
    public:
        Rescaled(Residuals& residuals, const std::vector<double>& units_of)
            : inner_(residuals), units_(units_of) {}
        [[nodiscard]] std::ptrdiff_t count() const override { return inner_.count(); }
        [[nodiscard]] int parameters() const override { return inner_.parameters(); }
        bool evaluate(std::span<const double> x,
                      std::span<double> residuals,
                      std::span<double> jacobian) override {
            std::vector<double> moved(x.begin(), x.end());
            for (std::size_t i = 0; i < moved.size(); ++i) {
                moved[i] *= units_[i];
            }
            const bool finite = inner_.evaluate(moved, residuals, jacobian);
            for (std::size_t k = 0; k < jacobian.size(); ++k) {
                jacobian[k] *= units_[k % units_.size()];
            }
            return finite;
        }

    private:
        Residuals& inner_;
        const std::vector<double>& units_;
    } rescaled(*inner, units);
    std::vector<double> start = set.starts[1];
    for (std::size_t i = 0; i < p; ++i) {
        start[i] /= units[i];
    }

    const Fit one = minimise(*plain, set.starts[1]);
    Fit other = minimise(rescaled, start);

    for (std::size_t i = 0; i < p; ++i) {
        other.x[i] *= units[i];
    }
    RC_ASSERT(other.x == one.x);
    RC_ASSERT(other.iterations == one.iterations);
    RC_ASSERT(other.determinacy.condition == one.determinacy.condition);
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
