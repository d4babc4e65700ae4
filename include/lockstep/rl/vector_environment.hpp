#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/numpy_random.hpp"

namespace lockstep::rl {

/// When the copies of a vector environment begin a new episode. Names and meaning are Gymnasium's.
enum class Autoreset {
    next_step,  ///< the step after the end ignores its action, resets, and pays 0
    same_step,  ///< the step that ends an episode: its last state is kept aside
    disabled,   ///< when the caller says so, by reset(copies)
};

/// The engine's random numbers of copy i at its n-th call: item first + i, step n.
class StreamSource {
public:
    explicit StreamSource(const Streams& streams, std::uint32_t first = 0)
        : streams_(streams), first_(first) {}
    [[nodiscard]] StepDraws draws(std::size_t copy, std::uint64_t call) const noexcept {
        return streams_.at(first_ + static_cast<std::uint32_t>(copy), call);
    }

private:
    Streams streams_;
    std::uint32_t first_;
};

/// Gymnasium's random numbers: copy i has the generator of seed + i, which runs on over resets.
class NumpySource {
public:
    NumpySource(std::size_t copies, std::uint64_t seed) {
        for (std::size_t i = 0; i < copies; ++i) {
            generators_.emplace_back(seed + i);
        }
    }
    [[nodiscard]] NumpyRandom& draws(std::size_t copy, std::uint64_t /*call*/) noexcept {
        return generators_[copy];
    }

private:
    std::vector<NumpyRandom> generators_;
};

/// What a call of VectorEnvironment returned, a value a copy.
struct StepArrays {
    std::vector<std::int32_t>
        states;  ///< to act on next: after an automatic reset, its first state
    std::vector<double> rewards;
    std::vector<std::uint8_t> terminated;
    std::vector<std::uint8_t> truncated;
    /// The true successors: what who learns bootstraps from. They differ from `states` where
    /// same_step has reset.
    std::vector<std::int32_t> successors;
    /// 1 where an action was taken: a transition to learn from. 0 for a reset and a copy that
    /// stands.
    std::vector<std::uint8_t> stepped;
};

/// Copies of an environment, stepped together: states in, actions out, as arrays.
template <Environment E, typename Source = StreamSource>
class VectorEnvironment {
public:
    VectorEnvironment(E rules, std::size_t copies, Source source, Autoreset autoreset)
        : rules_(std::move(rules)),
          source_(std::move(source)),
          autoreset_(autoreset),
          episodes_(copies),
          over_(copies, 0),
          arrays_{std::vector<std::int32_t>(copies),
                  std::vector<double>(copies),
                  std::vector<std::uint8_t>(copies),
                  std::vector<std::uint8_t>(copies),
                  std::vector<std::int32_t>(copies),
                  std::vector<std::uint8_t>(copies)} {}

    [[nodiscard]] const E& rules() const noexcept { return rules_; }
    [[nodiscard]] std::size_t copies() const noexcept { return episodes_.size(); }
    [[nodiscard]] ActionMask mask(std::size_t copy) const noexcept {
        return legal_actions(rules_, episodes_[copy]);
    }

    /// Begins a new episode in every copy.
    const StepArrays& reset() {
        for (std::size_t copy = 0; copy < copies(); ++copy) {
            begin(copy, source_.draws(copy, calls_));
        }
        ++calls_;
        return arrays_;
    }

    /// Begins a new episode in these copies, and leaves the others.
    const StepArrays& reset(std::span<const std::size_t> which) {
        for (const std::size_t copy : which) {
            begin(copy, source_.draws(copy, calls_));
        }
        ++calls_;
        return arrays_;
    }

    /// Takes an action in every copy. Where an episode has ended and autoreset is disabled, the
    /// copy stands still: reset it.
    const StepArrays& step(std::span<const std::int32_t> actions) {
        for (std::size_t copy = 0; copy < copies(); ++copy) {
            advance(copy, actions[copy], source_.draws(copy, calls_));
        }
        ++calls_;
        return arrays_;
    }

private:
    template <typename D>
    void begin(std::size_t copy, D&& draws) {
        episodes_[copy] = rules_.reset(draws);
        write(copy, {episodes_[copy].state, 0, false, false});
        arrays_.stepped[copy] = 0;
    }

    void write(std::size_t copy, const Step& step) {
        arrays_.states[copy] = step.next;
        arrays_.successors[copy] = step.next;
        arrays_.rewards[copy] = step.reward;
        arrays_.terminated[copy] = static_cast<std::uint8_t>(step.terminated);
        arrays_.truncated[copy] = static_cast<std::uint8_t>(step.truncated);
        over_[copy] = static_cast<std::uint8_t>(step.ended());
    }

    template <typename D>
    void advance(std::size_t copy, int action, D&& draws) {
        if (over_[copy] != 0) {
            arrays_.rewards[copy] = 0;
            arrays_.stepped[copy] = 0;
            if (autoreset_ == Autoreset::next_step) {
                begin(copy, draws);
            }
            return;
        }
        write(copy, rules_.step(episodes_[copy], action, draws));
        arrays_.stepped[copy] = 1;
        if (over_[copy] != 0 && autoreset_ == Autoreset::same_step) {
            episodes_[copy] = rules_.reset(draws);
            arrays_.states[copy] = episodes_[copy].state;
            over_[copy] = 0;
        }
    }

    E rules_;
    Source source_;
    Autoreset autoreset_;
    std::vector<typename E::Episode> episodes_;
    std::vector<std::uint8_t> over_;
    std::uint64_t calls_ = 0;
    StepArrays arrays_;
};

}  // namespace lockstep::rl
