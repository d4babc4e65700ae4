#include "sddp/model/outcome_costs.hpp"

#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

// A column that is at least each outcome's cost less that of `from`, if there is one.
int add_excess(lp::ModelBuilder& builder, double floor, int from, int outcome) {
    const int excess = builder.add_column(0, floor, lp::infinity);
    const int row = builder.add_row(0, lp::infinity);
    builder.add_entry(row, excess, 1);
    builder.add_entry(row, outcome, -1);
    if (from >= 0) {
        builder.add_entry(row, from, 1);
    }
    return excess;
}

// θ >= … + λ·(η + Σ p·excess/α)
void add_tail(lp::ModelBuilder& builder,
              int future,
              std::span<const double> probability,
              std::span<const int> outcomes,
              const RiskMeasure& measure) {
    const int quantile = builder.add_column(0, -lp::infinity, lp::infinity);
    builder.add_entry(future, quantile, -measure.lambda);
    for (std::size_t w = 0; w < outcomes.size(); ++w) {
        const int excess = add_excess(builder, 0, quantile, outcomes[w]);
        builder.add_entry(future, excess, -measure.lambda * probability[w] / measure.alpha);
    }
}

void add_worst(lp::ModelBuilder& builder,
               int future,
               double floor,
               std::span<const int> outcomes,
               double weight) {
    const int worst = builder.add_column(0, floor, lp::infinity);
    builder.add_entry(future, worst, -weight);
    for (const int outcome : outcomes) {
        const int row = builder.add_row(0, lp::infinity);
        builder.add_entry(row, worst, 1);
        builder.add_entry(row, outcome, -1);
    }
}

}  // namespace

void split_future(StageLp& stage, std::span<const double> probability, const RiskMeasure& measure) {
    lp::ModelBuilder builder;
    builder.add(stage.model);
    const double floor = stage.model.column_lower[at(stage.theta)];
    const int future = builder.add_row(0, lp::infinity);
    builder.add_entry(future, stage.theta, 1);
    std::vector<int> outcomes;
    for (const double p : probability) {
        outcomes.push_back(builder.add_column(0, floor, lp::infinity));
        const double weight = 1 - measure.lambda - measure.worst_case;
        builder.add_entry(future, outcomes.back(), -weight * p);
    }
    if (measure.lambda > 0) {
        add_tail(builder, future, probability, outcomes, measure);
    }
    if (measure.worst_case > 0) {
        add_worst(builder, future, floor, outcomes, measure.worst_case);
    }
    stage.model = builder.build();
    stage.outcome_theta = std::move(outcomes);
}

}  // namespace lockstep::sddp
