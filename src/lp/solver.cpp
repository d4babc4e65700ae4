#include "lockstep/lp/solver.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "lp/backends.hpp"
#include "lp/rescue_solver.hpp"

namespace lockstep::lp {

std::string_view to_string(Status status) {
    switch (status) {
        case Status::optimal:
            return "optimal";
        case Status::infeasible:
            return "infeasible";
        case Status::unbounded:
            return "unbounded";
        case Status::iteration_limit:
            return "iteration limit";
        case Status::numerical_failure:
            return "numerical failure";
    }
    throw AssertionError("to_string: unknown lp::Status");
}

std::string_view to_string(SolverKind kind) {
    switch (kind) {
        case SolverKind::highs:
            return "highs";
        case SolverKind::clp:
            return "clp";
    }
    throw AssertionError("to_string: unknown lp::SolverKind");
}

namespace {

void expect_in(const char* name, const std::optional<double>& value, double low, double high) {
    if (value && !(*value >= low && *value <= high)) {
        throw InputError(fmt::format("{} is {} (must be in [{}, {}])", name, *value, low, high));
    }
}

void validate(const HighsProfile& profile) {
    constexpr double any = std::numeric_limits<double>::max();
    expect_in("simplex_update_limit", profile.update_limit, 1, any);
    expect_in("cost_perturbation", profile.cost_perturbation, 0, any);
    expect_in("refactor_error_tolerance", profile.rebuild_tolerance, 0, any);
    expect_in("factor_pivot_threshold", profile.pivot_threshold, 8e-4, 0.5);
    expect_in("steepest_edge_devex_fallback_threshold", profile.devex_threshold, 1, any);
}

}  // namespace

void SolverOptions::validate() const {
    lp::validate(highs);

    for (const auto& [name, value] : {std::pair{"primal_tolerance", primal_tolerance},
                                      std::pair{"dual_tolerance", dual_tolerance}}) {
        if (!(value > 0 && std::isfinite(value))) {
            throw InputError(fmt::format("{} is {} (must be above 0 and finite)", name, value));
        }
    }
    if (iteration_limit < 1) {
        throw InputError(
            fmt::format("iteration_limit of a solver is {} (must be 1 or more)", iteration_limit));
    }
}

std::unique_ptr<Solver> make_solver(SolverKind kind, const SolverOptions& options) {
    return detail::make_rescue_solver(kind, options);
}

std::unique_ptr<Solver> detail::make_backend(SolverKind kind, const SolverOptions& options) {
    return kind == SolverKind::clp ? make_clp(options) : make_highs(options);
}

bool is_built(SolverKind kind) {
    return kind == SolverKind::highs || detail::clp_is_built();
}

SolverKind default_solver() {
    return is_built(SolverKind::clp) ? SolverKind::clp : SolverKind::highs;
}

void detail::expect_basis_size(const Basis& basis, int columns, int rows) {
    if (basis.column.size() != static_cast<std::size_t>(columns) ||
        basis.row.size() != static_cast<std::size_t>(rows)) {
        throw AssertionError(
            fmt::format("lp::Solver::set_basis: a basis of {} columns and {} rows for {} and {}",
                        basis.column.size(),
                        basis.row.size(),
                        columns,
                        rows));
    }
}

}  // namespace lockstep::lp
