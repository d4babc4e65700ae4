#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sddp/passes/engine.hpp"

namespace lockstep::sddp {

/// Selects the cuts that LPs may take, from their values at the states that were visited.
///
/// Of each state the highest cuts found so far are kept, so that an iteration only has to look at
/// its own cuts and states; a cut that falls behind at a state never leads there again. All of it
/// follows from pools and states: after forget() the same comes out.
/// @par Source  [DeMatos2015]; [Guigues2017] for the oldest of the highest
class CutSelector {
public:
    CutSelector(const CutSelection& rule, int nodes) : rule_(rule), leaders_(at(nodes)) {}

    /// Selects after an iteration, where the rule says so.
    /// @return  a report of each node that was looked at
    /// Collective.
    std::vector<SelectionReport> select(Engine& engine, int iteration);

    /// What was learned of pools and states, because some were taken back.
    void forget();

private:
    using Leader = std::pair<double, int>;  // value and cut
    struct Node {
        int cuts = 0;                             // looked at so far
        int known = 0;                            // states looked at so far
        std::size_t futures = 1;                  // all outcomes together, and each
        std::vector<std::vector<Leader>> states;  // [known × futures]
    };

    [[nodiscard]] bool is_due(int iteration) const noexcept;
    void learn(const CutPool& pool, const CutSlopes& visited, Node& node) const;
    void enter(double value, int cut, std::vector<Leader>& leaders) const;
    [[nodiscard]] std::vector<std::uint8_t> chosen(const Node& node) const;
    std::vector<std::uint32_t> choose_own(Engine& engine, std::span<double> seconds);
    void select_highest(Engine& engine, int iteration, std::span<SelectionReport> reports);
    void select_recent(CutPool& pool, int iteration, SelectionReport& report) const;
    void evict(CutPool& pool, int iteration, SelectionReport& report) const;

    CutSelection rule_;
    std::vector<Node> leaders_;  // [nodes], of those that this rank looks at
};

}  // namespace lockstep::sddp
