#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/aligned.hpp"

namespace lockstep::app {
struct PolicyShape;
struct CutsAfter;
}  // namespace lockstep::app

namespace lockstep::python {

/// The active cuts after a node, side by side: θ >= intercept + slopes·state.
class CutMatrix {
public:
    /// @param slopes  [states × stride]
    CutMatrix(std::size_t cuts,
              std::size_t states,
              std::span<const double> intercept,
              std::span<const double> slopes);
    explicit CutMatrix(const app::CutsAfter& node);

    [[nodiscard]] std::size_t cuts() const noexcept { return cuts_; }
    [[nodiscard]] std::size_t states() const noexcept { return states_; }
    /// Slopes by one state lie side by side, those by the next so much further.
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    [[nodiscard]] std::span<const double> intercept() const noexcept {
        return {intercept_.data(), cuts_};
    }
    [[nodiscard]] const AlignedVector<double>& slopes() const noexcept { return slopes_; }

    /// The largest cut at a state, or `least`; the bits of app::PolicyReader.
    [[nodiscard]] double price(const double* state, double least) const;
    /// Of every cut.
    [[nodiscard]] std::vector<double> values(const double* state) const;

private:
    CutMatrix(std::size_t cuts, std::size_t states);

    std::size_t cuts_;
    std::size_t states_;
    std::size_t stride_;               ///< cuts, rounded up to whole rows of eight
    AlignedVector<double> intercept_;  ///< [stride]; -∞ beyond the cuts
    AlignedVector<double> slopes_;     ///< [states × stride]
};

/// A node of a policy.
struct PolicyNode {
    int id = 0;  ///< of the stage, or of the node where the case has a graph
    int stage_id = 0;
    std::string name;
    bool is_last = false;
    CutMatrix cuts;
};

/// What a policy says of states.
struct CostToGo {
    struct Number {
        std::string name;
        std::string unit;
        double start = 0;  ///< before the first stage
    };
    std::vector<PolicyNode> nodes;
    std::vector<Number> state;
    std::vector<std::pair<int, std::string>> hydros;
    double least_cost = 0;

    /// @throws InputError  there is no such node, or nothing comes after it
    [[nodiscard]] const PolicyNode& at(int id) const;
    [[nodiscard]] std::size_t place_of(int id) const;

    /// Cuts that no other exceeds at a state, to rounding; none where the least cost is.
    [[nodiscard]] std::vector<std::size_t> binding(const PolicyNode& node,
                                                   const double* at_state) const;
};

CostToGo cost_to_go(const app::PolicyShape& shape);

}  // namespace lockstep::python
