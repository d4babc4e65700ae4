#include "app/sddp/failure.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/sddp/prepare.hpp"

namespace lockstep::app {
namespace {

// More names than this are no help; the MPS file has them all.
constexpr std::size_t most_rows_shown = 12;

std::string place(const sddp::Failure& failure) {
    auto text =
        failure.phase == sddp::Phase::simulation
            ? fmt::format("in the simulation, scenario {}", failure.scenario)
            : fmt::format(
                  "in the {} pass of iteration {}, trajectory {}",
                  failure.phase == sddp::Phase::lower_bound ? "bound" : to_string(failure.phase),
                  failure.iteration,
                  failure.scenario);
    if (failure.opening >= 0) {
        text += fmt::format(", opening {}", failure.opening);
    }
    return text;
}

std::string conflict(const std::vector<std::string>& rows) {
    if (rows.empty()) {
        return {};
    }
    const auto shown = std::min(rows.size(), most_rows_shown);
    const auto more = rows.size() - shown;
    return fmt::format(
        "\nThese cannot hold together: {}{}",
        fmt::join(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        more == 0 ? std::string() : fmt::format(" and {} more", more));
}

// Whether there is no solution, or none was found.
bool is_without_solution(const sddp::Failure& failure) {
    return failure.status == lp::Status::infeasible || failure.status == lp::Status::unbounded;
}

}  // namespace

std::filesystem::path infeasible_file(const std::filesystem::path& part,
                                      const sddp::Failure& failure) {
    return part / fmt::format("{}-{}.mps",
                              is_without_solution(failure) ? "infeasible" : "unsolved",
                              failure.stage);
}

bool is_infeasible_file(std::string_view name) {
    constexpr std::string_view after = ".mps";
    for (const std::string_view before : {"infeasible-", "unsolved-"}) {
        if (name.size() > before.size() + after.size() && name.starts_with(before) &&
            name.ends_with(after)) {
            name.remove_prefix(before.size());
            name.remove_suffix(after.size());
            return name.find_first_not_of("0123456789") == name.npos;
        }
    }
    return false;
}

std::string failure_text(const sddp::Failure& failure,
                         const sddp::Calendar& calendar,
                         const std::filesystem::path& mps) {
    return fmt::format("{} {}: {} {}{}\nIts LP is in {}; what was done before is written.",
                       stage_name(calendar, failure.stage),
                       is_without_solution(failure) ? "has no solution"
                                                    : "may have a solution, but none was found",
                       lp::to_string(failure.status),
                       place(failure),
                       conflict(failure.conflicting_rows),
                       mps.string());
}

}  // namespace lockstep::app
