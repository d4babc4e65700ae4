#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

struct BlackjackOptions {
    /// Sutton and Barto's rule: a natural (ace and ten as the first two cards) beats all but a
    /// natural.
    bool sab = true;
    /// A natural that wins pays 1.5; not together with sab.
    bool natural = false;
};

/// Blackjack with cards put back, against a dealer who hits below 17. Actions: 0 stick, 1 hit.
/// Pays 1, 0 or -1 at the end.
///
/// State: (sum · 11 + dealer's card) · 2 + usable ace, which is what Gymnasium shows, with one
/// difference: a natural stands at sum 22 with a usable ace, which no other hand can have, because
/// it is worth more than the 21 as which it is shown. So states say all that matters, and the model
/// is exact. observation() is what Gymnasium shows.
/// @par Source  [SuttonBarto2018], example 5.1; Blackjack-v1 of Gymnasium 1.4, in the order of its
/// draws
class Blackjack {
public:
    struct Episode : PlainEpisode {
        std::int32_t total = 0;  ///< of the player's cards, an ace counting 1
        std::int32_t cards = 0;  ///< the player's
        std::int32_t shown = 0;  ///< the dealer's card
        std::int32_t hidden = 0;
        bool has_ace = false;
    };
    struct Observation {
        std::int32_t sum;
        std::int32_t dealer;
        std::int32_t usable_ace;
        friend bool operator==(const Observation&, const Observation&) = default;
    };

    /// @throws InputError  both options
    explicit Blackjack(BlackjackOptions options = {});

    [[nodiscard]] int states() const noexcept { return 32 * 11 * 2; }
    [[nodiscard]] int actions() const noexcept { return 2; }
    [[nodiscard]] ActionMask mask(int s) const noexcept;
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::optional<Model> model() const;

    [[nodiscard]] static Observation observation(std::int32_t state) noexcept;
    [[nodiscard]] static std::int32_t state_of(const Observation& seen) noexcept {
        return (seen.sum * 11 + seen.dealer) * 2 + seen.usable_ace;
    }
    [[nodiscard]] static std::int32_t natural_state(std::int32_t dealer) noexcept {
        return state_of({22, dealer, 1});
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        Episode hand;
        hand.shown = card(draws);
        hand.hidden = card(draws);
        take(hand, card(draws));
        take(hand, card(draws));
        draw_picture(hand.shown, draws);
        return hand;
    }

    template <Draws D>
    Step step(Episode& hand, int action, D& draws) const {
        if (action == 0) {
            const double reward = outcome(hand, dealers_score(hand, draws));
            return {hand.state, reward, true, false};
        }
        take(hand, card(draws));
        const bool bust = hand.total > 21;
        return {hand.state, bust ? -1.0 : 0.0, bust, false};
    }

private:
    // What a dealer ends with: 0 when bust, natural_score for an ace and a ten.
    static constexpr std::int32_t natural_score = 22;

    template <Draws D>
    static std::int32_t card(D& draws) {
        return std::min(static_cast<std::int32_t>(draws.below(13)) + 1, 10);
    }
    // The suit and figure that Gymnasium draws for its picture of the dealer's card.
    template <Draws D>
    static void draw_picture(std::int32_t shown, D& draws) {
        static_cast<void>(draws.below(4));
        if (shown == 10) {
            static_cast<void>(draws.below(3));
        }
    }

    static void take(Episode& hand, std::int32_t value) noexcept {
        hand.total += value;
        hand.has_ace |= value == 1;
        ++hand.cards;
        const bool usable = hand.has_ace && hand.total <= 11;
        const std::int32_t sum = usable ? hand.total + 10 : hand.total;
        hand.state = usable && sum == 21 && hand.cards == 2
                         ? natural_state(hand.shown)
                         : state_of({sum, hand.shown, static_cast<std::int32_t>(usable)});
    }

    template <Draws D>
    static std::int32_t dealers_score(const Episode& hand, D& draws) {
        std::int32_t total = hand.shown + hand.hidden;
        bool has_ace = hand.shown == 1 || hand.hidden == 1;
        if (has_ace && total == 11) {
            return natural_score;
        }
        while ((has_ace && total <= 11 ? total + 10 : total) < 17) {
            const std::int32_t drawn = card(draws);
            total += drawn;
            has_ace |= drawn == 1;
        }
        if (total > 21) {
            return 0;
        }
        return has_ace && total <= 11 ? total + 10 : total;
    }

    [[nodiscard]] double outcome(const Episode& hand, std::int32_t dealer) const noexcept {
        return outcome(
            observation(hand.state).sum, hand.state == natural_state(hand.shown), dealer);
    }
    [[nodiscard]] double outcome(std::int32_t sum,
                                 bool natural,
                                 std::int32_t dealer) const noexcept;
    void add_hand(ModelBuilder& builder, std::int32_t state) const;

    BlackjackOptions options_;
};

}  // namespace lockstep::rl
