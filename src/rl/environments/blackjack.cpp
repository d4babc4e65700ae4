#include "lockstep/rl/environments/blackjack.hpp"

#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr std::int32_t natural_score = 22;

double chance_of_card(std::int32_t card) {
    return card == 10 ? 4.0 / 13.0 : 1.0 / 13.0;
}

// A hand of which only the worth matters; an ace counts 1 in the total.
struct Hand {
    std::int32_t total;
    bool has_ace;

    [[nodiscard]] bool usable() const { return has_ace && total <= 11; }
    [[nodiscard]] std::int32_t sum() const { return usable() ? total + 10 : total; }
    [[nodiscard]] Hand with(std::int32_t card) const {
        return {total + card, has_ace || card == 1};
    }
};

using Scores = std::array<double, 23>;  // probability of what a dealer ends with, 0 when bust

void play_dealer(const Hand& hand, double probability, Scores& scores) {
    if (hand.sum() >= 17) {
        scores[at(hand.total > 21 ? 0 : hand.sum())] += probability;
        return;
    }
    for (std::int32_t card = 1; card <= 10; ++card) {
        play_dealer(hand.with(card), probability * chance_of_card(card), scores);
    }
}

Scores dealers_scores(std::int32_t shown) {
    const Hand one{shown, shown == 1};
    Scores scores{};
    for (std::int32_t card = 1; card <= 10; ++card) {
        const Hand two = one.with(card);
        if (two.sum() == 21) {
            scores[natural_score] += chance_of_card(card);
        } else {
            play_dealer(two, chance_of_card(card), scores);
        }
    }
    return scores;
}

// Hands that ask for an action: hard 4 to 21, soft 12 to 21, the natural.
bool is_hand(const Blackjack::Observation& stands) {
    return stands.dealer >= 1 && stands.sum >= (stands.usable_ace == 1 ? 12 : 4) &&
           stands.sum <= (stands.usable_ace == 1 ? 22 : 21);
}

Blackjack::Observation indices_of(std::int32_t state) {
    return {state / 22, state / 2 % 11, state % 2};
}

// Each first two cards with each card of the dealer.
void add_starts(ModelBuilder& builder) {
    std::map<std::int32_t, double> starts;
    for (std::int32_t dealer = 1; dealer <= 10; ++dealer) {
        for (std::int32_t first = 1; first <= 10; ++first) {
            for (std::int32_t second = 1; second <= 10; ++second) {
                const Hand hand = Hand{first, first == 1}.with(second);
                const auto state =
                    hand.sum() == 21
                        ? Blackjack::natural_state(dealer)
                        : Blackjack::state_of({hand.sum(), dealer, hand.usable() ? 1 : 0});
                starts[state] +=
                    chance_of_card(dealer) * chance_of_card(first) * chance_of_card(second);
            }
        }
    }
    for (const auto& [state, probability] : starts) {
        builder.add_start({state, probability});
    }
}

}  // namespace

Blackjack::Blackjack(BlackjackOptions options) : options_(options) {
    if (options.sab && options.natural) {
        throw InputError("options sab and natural: at most one of them may be on");
    }
}

ActionMask Blackjack::mask(int s) const noexcept {
    return is_hand(indices_of(s)) ? all_actions(2) : 0;
}

std::string Blackjack::describe() const {
    if (options_.sab) {
        return "Blackjack, Sutton and Barto's rules";
    }
    return options_.natural ? "Blackjack, a natural pays 1.5" : "Blackjack, a natural pays 1";
}

Blackjack::Observation Blackjack::observation(std::int32_t state) noexcept {
    Observation seen = indices_of(state);
    if (seen.sum == natural_score && seen.usable_ace == 1) {
        seen.sum = 21;
    }
    return seen;
}

double Blackjack::outcome(std::int32_t sum, bool natural, std::int32_t dealer) const noexcept {
    if (natural && options_.sab) {
        return dealer == natural_score ? 0 : 1;
    }
    const std::int32_t score = std::min(dealer, 21);
    if (natural && options_.natural && sum > score) {
        return 1.5;
    }
    return static_cast<double>(sum > score) - static_cast<double>(sum < score);
}

void Blackjack::add_hand(ModelBuilder& builder, std::int32_t state) const {
    const Observation seen = observation(state);
    const Scores scores = dealers_scores(seen.dealer);
    std::map<double, double> paid;
    for (std::int32_t score = 0; score <= natural_score; ++score) {
        paid[outcome(seen.sum, state == natural_state(seen.dealer), score)] += scores[at(score)];
    }
    for (const auto& [reward, probability] : paid) {
        if (probability > 0) {  // sums of all scores may round to above 1
            builder.add(state, 0, {std::min(probability, 1.0), state, reward, true});
        }
    }
    const Hand hand{seen.usable_ace == 1 ? seen.sum - 10 : seen.sum, seen.usable_ace == 1};
    for (std::int32_t card = 1; card <= 10; ++card) {
        const Hand next = hand.with(card);
        const bool bust = next.total > 21;
        builder.add(state,
                    1,
                    {chance_of_card(card),
                     state_of({next.sum(), seen.dealer, next.usable() ? 1 : 0}),
                     bust ? -1.0 : 0.0,
                     bust});
    }
}

std::string Blackjack::render_text(int s) const {
    const Observation seen = observation(s);
    return fmt::format("{}{} against {}\n",
                       seen.sum,
                       seen.usable_ace != 0 ? " with a usable ace" : "",
                       seen.dealer == 1 ? "an ace" : std::to_string(seen.dealer));
}

std::optional<Model> Blackjack::model() const {
    ModelBuilder builder(states(), actions());
    for (std::int32_t state = 0; state < states(); ++state) {
        if (is_hand(indices_of(state))) {
            add_hand(builder, state);
        }
    }
    add_starts(builder);
    return builder.build();
}

}  // namespace lockstep::rl
