#include <vector>

#include <gtest/gtest.h>

#include "sddp/hydro/hydro_model.hpp"
#include "sddp/passes/engine.hpp"
#include "support/counted_allocations.hpp"
#include "support/random_system.hpp"

namespace lockstep::sddp {
namespace {

/// Answers every question with the same numbers: what is left is our own work.
class IdleSolver final : public lp::Solver {
public:
    std::string_view name() const noexcept override { return "idle"; }
    void load(const lp::Model& model) override {
        columns_ = model.columns();
        rows_ = model.rows();
        // θ above every cut, so that no cut is violated unless the test says so.
        primal_.assign(static_cast<std::size_t>(columns_), 1e12);
        reduced_.assign(static_cast<std::size_t>(columns_), 0.0);
        dual_.reserve(1000);
        dual_.assign(static_cast<std::size_t>(rows_), 1.0);
    }
    void set_basis(const lp::Basis&) override {}
    void get_basis(lp::Basis&) const override {}
    void set_row_bounds(int, double, double) override {}
    void set_column_bounds(int, double, double) override {}
    void set_row_bounds(int, std::span<const double>, std::span<const double>) override {}
    void set_column_bounds(int, std::span<const double>, std::span<const double>) override {}
    void set_cost(int, double) override {}
    void add_rows(const lp::RowBlock& rows) override {
        rows_ += rows.rows();
        dual_.resize(static_cast<std::size_t>(rows_), 1.0);
    }
    void delete_rows_from(int) override {}
    lp::Status solve() override { return lp::Status::optimal; }
    int rows() const noexcept override { return rows_; }
    int columns() const noexcept override { return columns_; }
    double objective() const override { return 1; }
    std::span<const double> primal() const override { return primal_; }
    std::span<const double> row_activity() const override { return dual_; }
    std::span<const double> dual() const override { return dual_; }
    std::span<const double> reduced_cost() const override { return reduced_; }
    std::int64_t iterations() const override { return 0; }
    int retries() const noexcept override { return 0; }

private:
    int rows_ = 0;
    int columns_ = 0;
    std::vector<double> primal_, dual_, reduced_;
};

/// A unit of the backward pass, solved as the pass does it.
class Unit {
public:
    explicit Unit(const Problem& problem)
        : problem_(problem),
          model_(problem, {}),
          pool_(problem.states()),
          solver_(model_, {}, std::make_unique<IdleSolver>()),
          slopes_(static_cast<std::size_t>(problem.state_size())),
          active_(1) {
        for (int cut = 0; cut < 5; ++cut) {
            pool_.add(cut, std::vector<double>(slopes_.size(), -1.0), 1, cut);
        }
    }

    void run() {
        const auto decided = static_cast<std::size_t>(problem_.states().decided);
        const std::span<const double> incoming = state_;
        solver_.begin({0, &pool_, working_set_, nullptr, incoming.subspan(decided)});
        for (int opening = 0; opening < problem_.process.tree.count[0]; ++opening) {
            model_.realise(0, incoming.subspan(decided), model_.noise(0, opening), outcome_);
            ASSERT_EQ(solver_.solve(incoming.first(decided), outcome_), lp::Status::optimal);
            solver_.gradient(slopes_);
            solver_.mark_active(active_);
            tally_.add_forward(0, 0, solver_.take_work());
        }
    }

private:
    const Problem& problem_;
    HydroModel model_;
    CutPool pool_;
    StageSolver solver_;
    HydroOutcome outcome_;
    std::vector<double> slopes_;
    std::vector<double> state_ = std::vector<double>(slopes_.size(), 1.0);
    std::vector<std::uint64_t> active_;
    std::vector<int> working_set_{0, 2};
    WorkTally tally_{problem_.process.tree.count, false, 1};
};

TEST(AllocationTest, CountsAllocations) {
    std::vector<int> list;
    EXPECT_GE(test::allocations_of([&] { list.resize(7); }), 1);
    EXPECT_EQ(list.size(), 7u);
}

TEST(AllocationTest, AUnitAllocatesNothingAfterTheFirst) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto problem = test::random_problem(seed);
        if (problem.stage_count() < 2) {
            continue;
        }
        Unit unit(problem);
        unit.run();

        EXPECT_EQ(test::allocations_of([&] { unit.run(); }), 0) << "seed " << seed;
    }
}

}  // namespace
}  // namespace lockstep::sddp
