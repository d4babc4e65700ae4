#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"
#include "comm/tcp_exchange.hpp"
#include "comm/tcp_mailbox.hpp"
#include "comm/tcp_rendezvous.hpp"

namespace lockstep::comm {
namespace tcp {
namespace {

/// What was made from a communicator and from those that were made from it.
using Made = std::vector<std::weak_ptr<Revocable>>;

struct Options {
    int timeout_ms;
    bool may_go_around;
};

/// Which making of something shared the ranks are in.
enum class Making : std::uint64_t { node = 1, mailbox };

std::span<std::byte> part_of(std::span<std::byte> receive,
                             const Layout& layout,
                             std::size_t width,
                             int rank) {
    if (layout.count(rank) == 0)  // an empty part may start anywhere
        return {};
    return receive.subspan(static_cast<std::size_t>(layout.offset(rank)) * width,
                           static_cast<std::size_t>(layout.count(rank)) * width);
}

Wires::Place place_in(const Membership& membership, const Keeper& keeper) {
    return {membership.fingerprint(), membership.rank_of(keeper.settings().id), membership.members};
}

class TcpCommunicator final : public Communicator {
public:
    /// Collective over the members.
    /// @param run  the membership that it is the whole of, so that it survives losses; empty: a
    /// part
    TcpCommunicator(std::shared_ptr<Keeper> keeper,
                    Wires::Place place,
                    Options options,
                    Deadline deadline,
                    Membership run = {})
        : keeper_(std::move(keeper)),
          options_(options),
          membership_(std::move(run)),
          wires_(std::make_shared<Wires>(*keeper_, std::move(place), options.timeout_ms, deadline)),
          made_(std::make_shared<Made>()) {}

    [[nodiscard]] int rank() const noexcept override { return wires_->rank(); }
    [[nodiscard]] int size() const noexcept override { return wires_->size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "tcp"; }
    [[noreturn]] void abort(int code) override {
        keeper_->tell(
            {Tag::abort, keeper_->settings().id, 0, static_cast<std::uint64_t>(code & 0xff), ""});
        keeper_->flush();
        std::_Exit(code);
    }
    [[nodiscard]] std::string host(int rank) const override {
        return wires_->place().members[static_cast<std::size_t>(rank)].host;
    }
    [[nodiscard]] bool can_recover() const noexcept override { return membership_.epoch > 0; }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        std::vector<std::span<std::byte>> places;
        for (int rank = 0; rank < size(); ++rank)
            places.push_back(part_of(receive, layout, stamp.width, rank));
        if (!send.empty())
            std::memcpy(places[static_cast<std::size_t>(rank())].data(), send.data(), send.size());
        exchange(stamp, std::move(places));
    }
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override {
        std::vector<std::span<std::byte>> places(static_cast<std::size_t>(size()));
        places[static_cast<std::size_t>(root)] = buffer;
        exchange(stamp, std::move(places));
    }
    void do_barrier(const CallStamp& stamp) override {
        exchange(stamp, std::vector<std::span<std::byte>>(static_cast<std::size_t>(size())));
    }
    std::unique_ptr<Communicator> do_split_local() override;
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override;
    std::vector<int> do_recover() override;

private:
    void exchange(const CallStamp& stamp, std::vector<std::span<std::byte>> places);
    template <typename F>
    auto make(Making making, F&& create);
    template <typename F>
    auto guard(const CallStamp& stamp, F&& transfer);
    [[noreturn]] void lose(const CallStamp& stamp, const Cause& cause);

    std::shared_ptr<Keeper> keeper_;
    Options options_;
    Membership membership_;  // of the whole run; epoch 0: a part of it
    std::shared_ptr<Wires> wires_;
    std::shared_ptr<Made> made_;
    std::uint64_t makings_ = 0;
};

// A call that cannot end ends on all ranks.
template <typename F>
auto TcpCommunicator::guard(const CallStamp& stamp, F&& transfer) {
    try {
        return transfer();
    } catch (const LinkLost& loss) {
        const auto ids = wires_->ids();
        lose(stamp,
             keeper_->cause_of_loss(
                 wires_->place().group, ids[static_cast<std::size_t>(loss.rank())], ids));
    } catch (const RankLost& loss) {
        lose(stamp, loss.cause());
    } catch (const CommError& error) {
        lose(stamp, {-1, error.what(), false});
    }
}

void TcpCommunicator::exchange(const CallStamp& stamp, std::vector<std::span<std::byte>> places) {
    const Exchange exchange{stamp, std::move(places), options_.may_go_around};
    const auto start = Clock::now();
    const auto came = guard(stamp, [&] { return exchange.over(*wires_); });
    add_wait(std::max(0.0, std::chrono::duration<double>(came - start).count()));
}

void TcpCommunicator::lose(const CallStamp& stamp, const Cause& cause) {
    const int lost = wires_->place().rank_of(cause.id);
    keeper_->tell({Tag::failure, cause.id, wires_->place().group, stamp.sequence, cause.what});
    wires_->shut_down();
    if (cause.id < 0)
        throw CommError(cause.what);
    const auto message = fmt::format("rank {}{} {} while rank {} waits in {}",
                                     lost < 0 ? cause.id : lost,
                                     lost < 0 ? "" : fmt::format(" ({})", host(lost)),
                                     cause.what,
                                     rank(),
                                     to_string(stamp));
    if (!cause.is_loss || lost < 0)
        throw CommError(message);
    throw PeerFailed(message, lost);
}

// Ranks that make different things notice, as in calls.
template <typename F>
auto TcpCommunicator::make(Making making, F&& create) {
    const CallStamp stamp{.kind = CallStamp::Kind::barrier,
                          .width = 1,
                          .sequence = makings_++,
                          .length = 0,
                          .detail = static_cast<std::uint64_t>(making)};
    return guard(stamp, [&] {
        Exchange{stamp, std::vector<std::span<std::byte>>(static_cast<std::size_t>(size()))}.over(
            *wires_);
        Wires::Place place = wires_->place();
        place.group = place.derived_group(makings_);
        return create(std::move(place));
    });
}

std::unique_ptr<Communicator> TcpCommunicator::do_split_local() {
    return make(Making::node, [&](Wires::Place place) {
        const std::string own = place.members[static_cast<std::size_t>(place.rank)].node;
        const int id = keeper_->settings().id;
        std::erase_if(place.members, [&](const Member& member) { return member.node != own; });
        place.rank = place.rank_of(id);
        auto node = std::make_unique<TcpCommunicator>(keeper_, place, options_, no_deadline);
        node->made_ = made_;
        made_->push_back(node->wires_);
        return node;
    });
}

std::unique_ptr<Mailbox> TcpCommunicator::do_open_mailbox(std::size_t bytes) {
    return make(Making::mailbox, [&](const Wires::Place& place) {
        std::weak_ptr<Revocable> office;
        auto mailbox = tcp::open_mailbox(keeper_, place, bytes, office);
        made_->push_back(office);
        return mailbox;
    });
}

std::vector<int> TcpCommunicator::do_recover() {
    for (const auto& made : *made_)
        if (const auto held = made.lock())
            held->revoke();
    made_->clear();
    wires_->shut_down();
    const Membership before = membership_;
    while (true)
        try {
            membership_ = meet_again(*keeper_, membership_);
            wires_ = std::make_shared<Wires>(
                *keeper_, place_in(membership_, *keeper_), options_.timeout_ms, no_deadline);
            break;
        } catch (const LinkLost&) {
            // One of the survivors died meanwhile: without it, then.
        } catch (const RankLost& loss) {
            if (!loss.cause().is_loss)
                throw;
        }
    makings_ = 0;
    std::vector<int> lost;
    for (int rank = 0; rank < before.size(); ++rank)
        if (membership_.rank_of(before.member(rank).id) < 0)
            lost.push_back(rank);
    return lost;
}

}  // namespace
}  // namespace tcp

std::unique_ptr<Communicator> make_tcp(const TcpConfig& config) {
    const tcp::Options options{config.timeout_ms, config.algorithm != TcpConfig::Algorithm::star};
    auto [keeper, membership] = tcp::meet(config);
    auto place = tcp::place_in(membership, *keeper);
    return std::make_unique<tcp::TcpCommunicator>(std::move(keeper),
                                                  std::move(place),
                                                  options,
                                                  tcp::after_ms(config.connect_timeout_ms),
                                                  std::move(membership));
}

}  // namespace lockstep::comm
