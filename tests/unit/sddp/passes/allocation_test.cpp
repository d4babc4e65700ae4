#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "sddp/passes/engine.hpp"
#include "support/random_system.hpp"

namespace {

std::atomic<bool> is_counting = false;
std::atomic<long> allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (is_counting) {
        ++allocations;
    }
    void* block =
        alignment > alignof(std::max_align_t)
            ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
            : std::malloc(bytes == 0 ? 1 : bytes);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

}  // namespace

// Replaced for this program: every allocation of ours passes here. Not inlined: GCC takes a call
// for a pair that does not fit.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    return allocate(bytes, 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}

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
          stages_{build_stage_problem(problem, 0, {})},
          pool_(problem.hydro_count(), problem.process.inflow.lags),
          solver_(problem, stages_, {}, std::make_unique<IdleSolver>()),
          slopes_(static_cast<std::size_t>(problem.state_size())),
          active_(1) {
        for (int cut = 0; cut < 5; ++cut) {
            pool_.add(cut, std::vector<double>(slopes_.size(), -1.0), 1, cut);
        }
    }

    void run() {
        const auto hydros = static_cast<std::size_t>(problem_.hydro_count());
        const std::span<const double> incoming = state_;
        solver_.begin({0, &pool_, working_set_, nullptr, incoming.subspan(hydros)});
        for (int opening = 0; opening < problem_.process.tree.count[0]; ++opening) {
            realise(problem_,
                    0,
                    incoming.subspan(hydros),
                    problem_.process.tree.noise(0, opening),
                    realisation_);
            ASSERT_EQ(solver_.solve(incoming.first(hydros), realisation_), lp::Status::optimal);
            solver_.gradient(slopes_);
            solver_.mark_active(active_);
            tally_.add_forward(0, 0, solver_.take_work());
        }
    }

private:
    const Problem& problem_;
    std::vector<StageProblem> stages_;
    CutPool pool_;
    StageSolver solver_;
    Realisation realisation_;
    std::vector<double> slopes_;
    std::vector<double> state_ = std::vector<double>(slopes_.size(), 1.0);
    std::vector<std::uint64_t> active_;
    std::vector<int> working_set_{0, 2};
    WorkTally tally_{problem_.process.tree.count, 1};
};

TEST(AllocationTest, CountsAllocations) {
    is_counting = true;
    const std::vector<int> list(7);
    is_counting = false;
    EXPECT_GE(allocations.exchange(0), 1);
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

        allocations = 0;
        is_counting = true;
        unit.run();
        is_counting = false;

        EXPECT_EQ(allocations, 0) << "seed " << seed;
    }
}

}  // namespace
}  // namespace lockstep::sddp
