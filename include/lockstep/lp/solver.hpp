#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/lp/model.hpp"

namespace lockstep::lp {

/// How a solve ended.
///
/// optimal: the point, the duals and the bounds fit together within a few tolerances, or, where
/// numbers are so large that rounding exceeds those, within 1e-7 of the numbers (1e-6 where only
/// the other solver had an answer); objective and dual bound are as near. infeasible and unbounded,
/// no solution exists: reported only after a second solve from the slack basis, and when the other
/// solver finds no optimum either; unbounded never where the bounds of the columns alone keep the
/// objective from falling. numerical_failure, no solution was found though one may exist:
/// none of these, or numbers that no solver can take (see Solver).
enum class Status { optimal, infeasible, unbounded, iteration_limit, numerical_failure };

std::string_view to_string(Status status);

/// Where a variable (column or row activity) stands in a basis.
enum class VariableStatus : std::uint8_t { at_lower, basic, at_upper, free_at_zero };

/// Start or end of a simplex solve: exactly `rows` entries are basic.
struct Basis {
    std::vector<VariableStatus> column;
    std::vector<VariableStatus> row;
};

/// How HiGHS walks, in its own terms; what is empty is as our wrapper has it. Other solvers have no
/// such choices.
struct HighsProfile {
    enum class EdgeWeight : std::uint8_t { dantzig, devex, steepest_edge };
    std::optional<EdgeWeight> edge_weight{};
    bool scales = false;                        ///< scaling of its own
    bool prices_by_rows = false;                ///< never switching to columns
    std::optional<int> update_limit{};          ///< of a factorisation, >= 1
    double cost_perturbation = 0;               ///< multiplier, >= 0
    std::optional<double> rebuild_tolerance{};  ///< error that asks for a new factorisation, > 0
    std::optional<double> pivot_threshold{};    ///< in [8e-4, 0.5]
    std::optional<double> devex_threshold{};    ///< when steepest edge gives way to devex, >= 1
    friend bool operator==(const HighsProfile&, const HighsProfile&) = default;
};

/// The same meaning for every solver, but for the profile.
struct SolverOptions {
    double primal_tolerance = 1e-9;  ///< largest violation of a bound, absolute
    double dual_tolerance = 1e-9;    ///< largest wrong sign of a reduced cost, absolute
    std::int64_t iteration_limit = 1'000'000;
    HighsProfile highs{};
    friend bool operator==(const SolverOptions&, const SolverOptions&) = default;
    /// @throws InputError  a tolerance is not above 0, the limit below 1, or a number of the
    ///                     profile is none that HiGHS takes
    void validate() const;
};

/// Largest number of retries of a solve: six of Clp, further ones of its scaled model, HiGHS in
/// four ways.
inline constexpr int most_retries = 13;

/// A simplex solver that keeps one model and re-solves it after small changes.
///
/// Contract of repeatability: after load(), results are a function of the model, the options and
/// the calls made since load() alone, whatever the object did before. Between two solves without a
/// load() the solver may keep basis, factorisation and pricing weights (that is the point of it).
///
/// Signs: minimisation; a row's dual is the change of the objective per unit of that row's active
/// side, reduced cost = cost - Aᵀ dual. A binding >= row has a dual >= 0.
///
/// Bounds of 1e20 and beyond count as infinite; entries below 1e-12 may be dropped. Crossed bounds
/// make a model infeasible. A model with NaN, a cost of 1e20 or an entry of 1e15 is given to no
/// library: solve() then says numerical_failure. An assertion that fails inside a library does not
/// end the program; it is a solve without an answer.
///
/// Behind the solver of the wished kind stands the other one, where it was built: it is asked when
/// the first has no optimum.
///
/// Not thread-safe: one object a thread.
class Solver {
public:
    virtual ~Solver() = default;
    Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Takes a copy of `model`, forgets everything else; start basis: all rows basic.
    virtual void load(const Model& model) = 0;

    /// Start basis of the next solve. Too many or too few basic variables are repaired by the
    /// solver.
    /// @throws AssertionError  sizes differ from the present model's
    virtual void set_basis(const Basis& basis) = 0;

    /// Basis after the last solve, into `basis` (resized as needed).
    virtual void get_basis(Basis& basis) const = 0;

    virtual void set_row_bounds(int row, double lower, double upper) = 0;
    virtual void set_column_bounds(int column, double lower, double upper) = 0;
    virtual void set_cost(int column, double cost) = 0;

    /// Bounds of the rows first, first + 1, … (of as many as the spans hold); cheaper than one by
    /// one.
    virtual void set_row_bounds(int first,
                                std::span<const double> lower,
                                std::span<const double> upper) = 0;
    /// Bounds of the columns first, first + 1, …
    virtual void set_column_bounds(int first,
                                   std::span<const double> lower,
                                   std::span<const double> upper) = 0;

    /// Appends rows; the new rows are basic in the kept basis.
    virtual void add_rows(const RowBlock& rows) = 0;

    /// Removes all rows with index >= `first`.
    virtual void delete_rows_from(int first) = 0;

    /// Solves by the dual simplex method from the kept basis. Never throws for an outcome of the
    /// model.
    virtual Status solve() = 0;

    [[nodiscard]] virtual int rows() const noexcept = 0;
    [[nodiscard]] virtual int columns() const noexcept = 0;

    /// Results of the last solve; meaningful when it was optimal. Valid until the next call that
    /// changes the object.
    [[nodiscard]] virtual double objective() const = 0;
    [[nodiscard]] virtual std::span<const double> primal() const = 0;        ///< [columns]
    [[nodiscard]] virtual std::span<const double> row_activity() const = 0;  ///< [rows]
    [[nodiscard]] virtual std::span<const double> dual() const = 0;          ///< [rows]
    [[nodiscard]] virtual std::span<const double> reduced_cost() const = 0;  ///< [columns]

    /// Pivots of the last solve.
    [[nodiscard]] virtual std::int64_t iterations() const = 0;

    /// Further simplex runs that the last solve took because the first ended without a result that
    /// could be believed, those of the other solver included; 0 to most_retries.
    [[nodiscard]] virtual int retries() const noexcept = 0;
};

enum class SolverKind { highs, clp };

std::string_view to_string(SolverKind kind);

/// @throws NotBuiltError  the solver was left out of this build
std::unique_ptr<Solver> make_solver(SolverKind kind, const SolverOptions& options = {});

/// Whether make_solver(kind) works in this build.
bool is_built(SolverKind kind);

/// The faster one for many re-solves of small changes (docs/performance.md): Clp where it was
/// built, else HiGHS.
SolverKind default_solver();

}  // namespace lockstep::lp
