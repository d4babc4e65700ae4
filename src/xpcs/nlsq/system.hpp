#pragma once

#include <optional>
#include <vector>

#include "lockstep/xpcs/nlsq/loss.hpp"
#include "lockstep/xpcs/nlsq/objective.hpp"
#include "lockstep/xpcs/nlsq/residuals.hpp"

#include "xpcs/nlsq/dense.hpp"
#include "xpcs/nlsq/linear_model.hpp"

namespace lockstep::xpcs::nlsq {

/// What a trust region asks of a sum of squares, in whatever form it is given.
class System {
public:
    virtual ~System() = default;
    System() = default;
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    [[nodiscard]] virtual int parameters() const = 0;
    /// The cost at x; none where it is not finite.
    virtual std::optional<double> cost_at(const Vector& x) = 0;
    /// The linear model at the x of the last call of cost_at, which had a cost; none where it is
    /// not finite.
    virtual std::optional<LinearModel> linearise() = 0;
    [[nodiscard]] virtual bool can_bend() const { return false; }
    /// Jᵀ times the second derivative of the residuals along v, at the x of the last linear model;
    /// none where it is not finite. One evaluation, and only where can_bend().
    virtual std::optional<Vector> bend(const Vector& /*x*/, const Vector& /*v*/) {
        return std::nullopt;
    }
};

class ObjectiveSystem : public System {
public:
    explicit ObjectiveSystem(Objective& objective) : objective_(objective) {}
    [[nodiscard]] int parameters() const override { return objective_.parameters(); }
    std::optional<double> cost_at(const Vector& x) override;
    std::optional<LinearModel> linearise() override;

private:
    Objective& objective_;
    NormalEquations at_;
};

class ResidualSystem : public System {
public:
    ResidualSystem(Residuals& residuals, const Loss& loss);
    [[nodiscard]] int parameters() const override { return residuals_.parameters(); }
    std::optional<double> cost_at(const Vector& x) override;
    std::optional<LinearModel> linearise() override;
    [[nodiscard]] bool can_bend() const override {
        return loss_.kind == Loss::Kind::linear && has_jacobian_;
    }
    std::optional<Vector> bend(const Vector& x, const Vector& v) override;

private:
    void weigh();

    Residuals& residuals_;
    Loss loss_;
    Vector x_;
    double cost_ = 0;
    std::vector<double> r_;         // [count]
    std::vector<double> base_;      // [count] r at the last linear model
    bool has_jacobian_ = false;     // of the last linear model
    std::vector<double> jacobian_;  // [count, parameters]
    Matrix system_;                 // [J r], weighted
};

}  // namespace lockstep::xpcs::nlsq
