#include "app/xpcs/batch/rank_mail.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/model/physics.hpp"

namespace lockstep::app {
namespace {

constexpr std::size_t room = std::size_t{256} << 10;
constexpr std::size_t longest = room / 2;

constexpr std::uint32_t entry_tag = 1;
constexpr std::uint32_t trouble_tag = 2;
constexpr std::uint32_t end_tag = 3;

bool is_physical(const std::string& name) {
    const auto parameters = xpcs::parameters_of(xpcs::Motion::laminar_flow);
    return std::ranges::any_of(parameters, [&](const auto& p) { return p.name == name; });
}

/// Without the scales of hundreds of angles, where there are such: those come with the last
/// exchange.
std::string text_of(formats::xpcs::BatchEntry entry) {
    auto text = formats::xpcs::entries_text({entry});
    if (text.size() > longest) {
        std::erase_if(entry.values, [](const auto& of) { return !is_physical(of.name); });
        std::erase_if(entry.posterior, [](const auto& of) { return !is_physical(of.name); });
        text = formats::xpcs::entries_text({std::move(entry)});
    }
    return text;
}

}  // namespace

RankMail::RankMail(comm::Communicator& ranks)
    : is_first_(ranks.rank() == 0),
      is_lost_(at(ranks.size()), false),
      is_open_(at(ranks.size()), true) {
    is_open_[0] = false;
    if (ranks.size() > 1) {
        box_ = ranks.open_mailbox(room);
    }
}

void RankMail::put(std::uint32_t tag, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text.substr(0, longest)));
    waiting_.push_back({tag, {bytes.begin(), bytes.end()}});
    post_waiting();
}

void RankMail::send(const BatchEvent& event) {
    if (is_first_) {
        return;
    }
    if (event.ended) {
        put(entry_tag, text_of(*event.ended));
    } else {
        put(trouble_tag, event.trouble);
    }
}

void RankMail::end() {
    if (!is_first_ && !std::exchange(has_ended_, true)) {
        put(end_tag, {});
    }
}

void RankMail::post_waiting() {
    try {
        while (!is_broken_ && !waiting_.empty() &&
               box_->post(0, waiting_.front().tag, waiting_.front().bytes)) {
            waiting_.pop_front();
        }
    } catch (const CommError& error) {
        hear(error);
    }
}

// Told twice of one rank: this transport does not go on without it.
void RankMail::hear(const CommError& error) {
    const auto* const loss = dynamic_cast<const comm::PeerFailed*>(&error);
    const int rank = loss == nullptr ? -1 : loss->rank();
    // Without the first rank there is nobody to tell.
    if (rank < 1 || rank >= std::ssize(is_lost_) || is_lost_[at(rank)]) {
        is_broken_ = true;
        return;
    }
    is_lost_[at(rank)] = true;
    is_open_[at(rank)] = false;
    box_->forget(rank);
}

std::optional<BatchEvent> RankMail::receive(std::chrono::milliseconds limit) {
    if (box_ == nullptr || is_broken_) {
        return {};
    }
    post_waiting();
    try {
        const auto message = box_->wait(limit);
        if (!message) {
            return {};
        }
        const auto* const characters =
            static_cast<const char*>(static_cast<const void*>(message->bytes.data()));
        const std::string text(characters, message->bytes.size());
        if (message->tag == trouble_tag) {
            return BatchEvent{nullptr, text};
        }
        if (message->tag == entry_tag) {
            BatchEvent event;
            event.ended = std::make_unique<formats::xpcs::BatchEntry>(
                formats::xpcs::parse_entries(text).front());
            return event;
        }
        is_open_[at(message->from)] = false;
    } catch (const CommError& error) {
        hear(error);
    }
    return {};
}

bool RankMail::is_done() const noexcept {
    return is_broken_ ||
           (is_first_ ? std::ranges::count(is_open_, true) == 0 : has_ended_ && waiting_.empty());
}

}  // namespace lockstep::app
