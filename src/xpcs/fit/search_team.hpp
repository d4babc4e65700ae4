#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/many.hpp"

#include "xpcs/fit/local_fit.hpp"

namespace lockstep::xpcs {

/// Costs and local fits of many points. Where the data are small each thread of each rank works on
/// points of its own; where they are large all work on one point after the other. The same bits
/// either way.
class SearchTeam {
public:
    /// All are referred to.
    /// @param together  a fit by the whole team
    /// @param goes_on  asked between points that all work on, collectively
    /// @param most_small  pairs over all angles of data that are small
    SearchTeam(const FitProblem& problem,
               LocalFit& together,
               runtime::Team& team,
               std::function<bool()> goes_on,
               std::size_t most_small = usual_most_small);

    // Above it the parts of one sum keep a team busy, and data that every thread goes through at
    // its own pace would not stay in the caches.
    static constexpr std::size_t usual_most_small = 1U << 20U;

    void evaluate(std::span<const double> points, std::span<double> costs);
    std::vector<nlsq::Fit> fit(std::span<const double> starts);

private:
    template <typename F>
    void in_tasks(std::ptrdiff_t count, std::ptrdiff_t width, std::span<double> results, F&& body);
    [[nodiscard]] std::size_t size() const { return problem_.start.size(); }

    const FitProblem& problem_;
    LocalFit& together_;
    runtime::Team& team_;
    std::function<bool()> goes_on_;
    bool is_small_;
    std::vector<std::unique_ptr<LocalFit>> alone_;  // [threads]
};

}  // namespace lockstep::xpcs
