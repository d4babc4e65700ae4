#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/options.hpp"

#include "array.hpp"

namespace lockstep::python {

/// Chooses actions and learns from transitions of environments that someone else steps, a batch a
/// call. Copy i draws from stream i of the seed, a number a call of choose().
class BatchLearner {
public:
    /// @param values  [states, actions] float64 to learn in; None: zeros, or initial_value
    /// @throws InputError  an algorithm that needs more than single transitions
    BatchLearner(int states, int actions, const rl::LearnOptions& options, nb::object values);

    /// @param out  [copies] int64, written
    /// @param masks  [copies, actions] bool; None: all are legal
    void choose(nb::handle observations, nb::handle out, nb::handle masks, bool is_greedy);
    /// A batch with a fault is refused as a whole; a value that is no number ends it where it is
    /// met.
    void learn(nb::handle observations,
               nb::handle actions,
               nb::handle rewards,
               nb::handle next_observations,
               nb::handle terminated,
               nb::handle truncated,
               nb::handle next_masks);

    /// More rows, with the initial value, behind those there are.
    /// @throws InputError  fewer rows, or values that were lent
    void grow(int states);

    [[nodiscard]] int states() const noexcept { return states_; }
    [[nodiscard]] int actions() const noexcept { return actions_; }
    [[nodiscard]] std::int64_t transitions() const noexcept { return transitions_; }
    [[nodiscard]] double exploration() const;
    [[nodiscard]] double error() const noexcept;
    [[nodiscard]] rl::QTable table() const;

private:
    struct Batch;

    void require_state(std::int64_t s, std::size_t i, const char* name) const;
    void require_states(std::span<const std::int64_t> states) const;
    void require_sound(const Batch& batch) const;
    [[noreturn]] void refuse(const Batch& batch) const;
    void choose_plainly(std::span<const std::int64_t> states, std::span<std::int64_t> chosen) const;
    template <typename LegalOf>
    void choose_any(std::span<const std::int64_t> states,
                    std::span<std::int64_t> chosen,
                    const LegalOf& legal_of) const;
    void find_cells(const Batch& batch, std::size_t first, std::size_t count);
    void find_step_sizes();
    template <typename LegalOf>
    void move_values(const Batch& batch, std::size_t first, const LegalOf& legal_of);
    void learn_in_turn(const Batch& batch);
    void learn_expected_in_turn(const Batch& batch);
    template <bool Expected>
    void learn_at_once(const Batch& batch);
    template <bool Expected>
    [[nodiscard]] double target(const Batch& batch, std::size_t i) const;

    int states_;
    int actions_;
    rl::LearnOptions options_;
    rl::Streams streams_;
    rl::Behaviour behaviour_;
    rl::StepSizes step_sizes_;
    std::vector<double> own_values_;
    std::optional<WritableNumbers<double>> lent_values_;
    std::vector<std::uint32_t> visits_;
    rl::CellsOf<double> cells_;
    std::uint64_t calls_ = 0;
    std::int64_t transitions_ = 0;
    double errors_ = 0;  // sum of |target - value|
    std::vector<rl::DrawBlock> blocks_;
    // Of the batch that is learned, an entry a transition.
    std::vector<std::ptrdiff_t> cells_of_batch_;
    std::vector<std::uint32_t> visits_of_batch_;
    std::vector<double> sizes_;
    std::vector<double> changes_;
};

}  // namespace lockstep::python
