#include "comm/tcp/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/backends.hpp"
#include "comm/tcp/mailbox.hpp"
#include "comm/tcp/rendezvous.hpp"

namespace lockstep::comm::tcp {
namespace {

Connections::Place place_in(const Membership& membership, const FailureDetector& detector) {
    return {
        membership.fingerprint(), membership.rank_of(detector.settings().id), membership.members};
}

}  // namespace

std::shared_ptr<Connections> connect_members(FailureDetector& detector,
                                             const Membership& membership,
                                             const Options& options,
                                             Deadline deadline) {
    return std::make_shared<Connections>(
        detector, place_in(membership, detector), options.timeout_ms, deadline);
}

TcpCommunicator::TcpCommunicator(std::shared_ptr<FailureDetector> detector,
                                 std::shared_ptr<Connections> connections,
                                 Options options,
                                 Membership run)
    : detector_(std::move(detector)),
      options_(std::move(options)),
      membership_(std::move(run)),
      connections_(std::move(connections)) {}

void TcpCommunicator::abort(int code) {
    detector_->tell_abort(code);
    std::_Exit(code);
}

void TcpCommunicator::do_allgatherv(const CallStamp& stamp,
                                    std::span<const std::byte> send,
                                    std::span<std::byte> receive,
                                    const Layout& layout) {
    if (by_nodes_ && layout.total() * stamp.width >= by_nodes_from(options_.gather)) {
        measure_wait(stamp, [&] {
            const auto came =
                Exchange{stamp, Places(static_cast<std::size_t>(size()))}.over(*connections_);
            by_nodes_->run(send, receive, layout, stamp.width);
            return came;
        });
        return;
    }
    Places places;
    for (int rank = 0; rank < size(); ++rank) {
        places.push_back(part_of(receive, layout, stamp.width, rank));
    }
    if (!send.empty()) {
        std::memcpy(places[at(rank())].data(), send.data(), send.size());
    }
    exchange(stamp, std::move(places));
}

void TcpCommunicator::do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) {
    Places places(static_cast<std::size_t>(size()));
    places[at(root)] = buffer;
    exchange(stamp, std::move(places));
}

void TcpCommunicator::do_barrier(const CallStamp& stamp) {
    exchange(stamp, Places(static_cast<std::size_t>(size())));
}

void TcpCommunicator::exchange(const CallStamp& stamp, Places places) {
    const Exchange exchange{stamp, std::move(places), options_.may_go_around};
    measure_wait(stamp, [&] { return exchange.over(*connections_); });
}

// The transfer tells when the last rank had come.
template <typename F>
void TcpCommunicator::measure_wait(const CallStamp& stamp, F&& transfer) {
    const auto start = Clock::now();
    const Clock::time_point came = guard(stamp, transfer);
    add_wait(std::max(0.0, std::chrono::duration<double>(came - start).count()));
}

// A call that cannot end ends on all ranks.
template <typename F>
auto TcpCommunicator::guard(const CallStamp& stamp, F&& transfer) {
    try {
        return transfer();
    } catch (const LinkLost& loss) {
        lose_rank(stamp, loss.rank());
    } catch (const PeerFailed& loss) {  // on the way through the nodes
        lose_rank(stamp, loss.rank());
    } catch (const RankLost& loss) {
        lose(stamp, loss.cause());
    } catch (const CommError& error) {
        lose(stamp, {-1, error.what(), false});
    }
}

void TcpCommunicator::lose_rank(const CallStamp& stamp, int rank) {
    const auto ids = connections_->ids();
    lose(stamp, detector_->cause_of_loss(connections_->place().group, ids[at(rank)], ids));
}

void TcpCommunicator::lose(const CallStamp& stamp, const Cause& cause) {
    const int lost = connections_->place().rank_of(cause.id);
    detector_->tell(
        {Tag::failure, cause.id, connections_->place().group, stamp.sequence, cause.what});
    connections_->shut_down();
    if (can_recover()) {
        revoke_made();
    }
    if (cause.id < 0) {
        throw CommError(cause.what);
    }
    const auto message = fmt::format("rank {}{} {} while rank {} waits in {}",
                                     lost < 0 ? cause.id : lost,
                                     lost < 0 ? "" : fmt::format(" ({})", host(lost)),
                                     cause.what,
                                     rank(),
                                     to_string(stamp));
    if (!cause.is_loss || lost < 0) {
        throw CommError(message);
    }
    throw PeerFailed(message, lost);
}

// Who waits in it would wait for ranks that are through with it.
void TcpCommunicator::revoke_made() noexcept {
    for (const auto& revoke : *made_) {
        revoke();
    }
    made_->clear();
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
        Exchange{stamp, Places(static_cast<std::size_t>(size()))}.over(*connections_);
        Connections::Place place = connections_->place();
        place.group = place.derived_group(makings_);
        return create(std::move(place));
    });
}

std::unique_ptr<Communicator> TcpCommunicator::do_split_local() {
    make(Making::node, [](const Connections::Place&) {});
    auto node = share_node();
    return node ? std::move(node) : split_by_wires();
}

std::unique_ptr<Communicator> TcpCommunicator::split_by_wires() {
    return make(Making::node, [&](Connections::Place place) {
        const std::string own = place.members[at(place.rank)].node;
        const int id = detector_->settings().id;
        std::erase_if(place.members, [&](const Member& member) { return member.node != own; });
        place.rank = place.rank_of(id);
        return make_part(place, no_deadline);
    });
}

std::unique_ptr<Mailbox> TcpCommunicator::do_open_mailbox(std::size_t bytes) {
    return make(Making::mailbox, [&](const Connections::Place& place) {
        std::weak_ptr<Revocable> office;
        auto mailbox = tcp::open_mailbox(detector_, place, bytes, office);
        remember(office);
        return mailbox;
    });
}

std::shared_ptr<Connections> TcpCommunicator::connect_part(const Connections::Place& place,
                                                           Deadline deadline) {
    try {
        return std::make_shared<Connections>(*detector_, place, options_.timeout_ms, deadline);
    } catch (const LinkLost& loss) {
        const int id = place.members[at(loss.rank())].id;
        throw LinkLost(loss.what(), connections_->place().rank_of(id));
    }
}

// Collective over the members of the place.
std::unique_ptr<TcpCommunicator> TcpCommunicator::make_part(const Connections::Place& place,
                                                            Deadline deadline) {
    auto connections = connect_part(place, deadline);
    remember(connections);
    auto part = std::make_unique<TcpCommunicator>(detector_, std::move(connections), options_);
    part->made_ = made_;
    return part;
}

void TcpCommunicator::remember(const std::weak_ptr<Revocable>& made) {
    made_->push_back([made] {
        if (const auto held = made.lock()) {
            held->revoke();
        }
    });
}

std::vector<int> TcpCommunicator::do_recover() {
    connections_->shut_down();
    const Membership before = membership_;
    const Deadline deadline = after_ms(options_.recover_timeout_ms);
    while (!has_met_survivors(deadline)) {
    }
    makings_ = 0;
    std::vector<int> lost;
    for (int rank = 0; rank < before.size(); ++rank) {
        if (membership_.rank_of(before.member(rank).id) < 0) {
            lost.push_back(rank);
        }
    }
    return lost;
}

// False when one of the survivors died meanwhile: without it, then.
bool TcpCommunicator::has_met_survivors(Deadline deadline) {
    by_nodes_.reset();
    revoke_made();
    try {
        membership_ = meet_again(*detector_, membership_, deadline);
        // Who aborts says so before it is gone.
        if (const auto cause = detector_->abort()) {
            throw RankLost(*cause);
        }
        connections_ = connect_members(*detector_, membership_, options_, deadline);
        open_nodes(deadline);
        return true;
    } catch (const LinkLost&) {
        return false;
    } catch (const PeerFailed&) {
        return false;
    } catch (const RankLost& loss) {
        if (!loss.cause().is_loss) {
            throw;
        }
        return false;
    } catch (const CommError& error) {
        if (Clock::now() < deadline) {
            throw;
        }
        throw CommError(
            fmt::format("recover: the survivors did not meet within {} ms "
                        "(LOCKSTEP_TCP_RECOVER_TIMEOUT_MS): {}",
                        options_.recover_timeout_ms,
                        error.what()));
    }
}

}  // namespace lockstep::comm::tcp
