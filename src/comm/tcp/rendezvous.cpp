#include "comm/tcp/rendezvous.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"
#include "comm/launch_registry.hpp"
#include "comm/tcp/reach.hpp"
#include "comm/tcp/token.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr std::size_t longest_membership = std::size_t{1} << 30;

Guard guard_of(const TcpConfig& config) {
    return {config.token, config.token_file, config.trusts_network};
}

void check_guarded(const TcpConfig& config, const Address& at) {
    check_guarded(guard_of(config), fmt::format("rank {}", config.rank), at);
}

FailureDetector::Settings settings_of(const TcpConfig& config) {
    return {config.rank,
            config.size,
            secret_of(guard_of(config)),
            config.heartbeat_ms,
            config.dead_after_ms};
}

Member own_member(const TcpConfig& config, const Address& listening) {
    const auto& part = config.nodes.part;
    return {config.rank,
            own_host(),
            part.empty() ? own_node() : fmt::format("{}/{}", own_node(), part),
            own_cores(),
            listening.host(),
            listening.port()};
}

Member member_of(const Hello& hello) {
    return {
        static_cast<int>(hello.id), hello.host, hello.node, hello.cores, hello.address, hello.port};
}

// Where rank 0 listens: one address, never all of them unless asked for.
Descriptor open_rendezvous(const TcpConfig& config, Deadline deadline) {
    const std::string& name =
        config.bind_address.empty() ? config.coordinator : config.bind_address;
    const auto addresses = retry(deadline, [&] { return resolve(name, config.port); });
    try {
        return listen_on(addresses.front());
    } catch (const CommError& error) {
        throw CommError(
            fmt::format("{}; LOCKSTEP_TCP_BIND_ADDR says where rank 0 listens when "
                        "that is not the address of the coordinator",
                        error.what()));
    }
}

std::vector<int> missing_ranks(const std::map<int, Hello>& joined, int size) {
    std::vector<int> missing;
    for (int rank = 1; rank < size; ++rank) {
        if (!joined.contains(rank)) {
            missing.push_back(rank);
        }
    }
    return missing;
}

void give_up_without_ended(FailureDetector& detector, const TcpConfig& config) {
    try {
        check_nobody_ended(config.launch_registry, config.rank);
    } catch (const EndedEarly& error) {
        detector.refuse({Reason::given_up, error.what()});
        throw;
    }
}

void wait_for_all(FailureDetector& detector,
                  const TcpConfig& config,
                  const Address& at,
                  Deadline deadline) {
    std::uint64_t seen = 0;
    while (true) {
        const auto missing = missing_ranks(detector.joined(), config.size);
        if (missing.empty()) {
            return;
        }
        if (Clock::now() >= deadline) {
            const auto text = fmt::format("of {} ranks these did not come to {} within {} ms: {}",
                                          config.size,
                                          to_string(at),
                                          config.connect_timeout_ms,
                                          fmt::join(missing, ", "));
            detector.refuse({Reason::given_up, text});
            throw CommError("tcp: " + text);
        }
        give_up_without_ended(detector, config);
        detector.wait_for_change(
            seen, config.launch_registry < 0 ? deadline : std::min(deadline, after_ms(100)));
    }
}

// Others reach a rank that listens everywhere by the coordinator's name.
Address reachable(const Address& listening, const TcpConfig& config, Deadline deadline) {
    const std::string host = listening.host();
    if (host != "0.0.0.0" && host != "::") {
        return listening;
    }
    return retry(deadline, [&] { return resolve(config.coordinator, listening.port()).front(); });
}

Meeting meet_as_first(const TcpConfig& config, Deadline deadline) {
    Descriptor listener = open_rendezvous(config, deadline);
    const Address at = address_of(listener);
    check_guarded(config, at);
    auto detector = std::make_shared<FailureDetector>(std::move(listener), settings_of(config));
    wait_for_all(*detector, config, at, deadline);
    Membership membership{1, {own_member(config, reachable(at, config, deadline))}};
    for (const auto& [id, hello] : detector->joined()) {
        membership.members.push_back(member_of(hello));
    }
    if (membership.size() != config.size) {
        throw CommError("tcp: a rank has ended before all had met");
    }
    detector->lead(membership);
    return {std::move(detector), std::move(membership)};
}

Membership receive_membership(const Socket& socket, int id, Deadline deadline) {
    const Frame frame = receive_frame(socket, longest_membership, deadline);
    check_header(frame.header, {Tag::membership, 0, 0, frame.payload.size()});
    Membership membership = unpack_membership(frame.payload);
    if (membership.rank_of(id) < 0) {
        throw CommError("tcp: this rank is not among those that have met");
    }
    return membership;
}

// A rank listens at the address by which it reaches the coordinator.
Meeting join_first(const TcpConfig& config, Deadline deadline) {
    Socket socket = connect_to_any(resolve(config.coordinator, config.port), deadline);
    Address own = socket.local_address();
    check_guarded(config, own);
    own.set_port(0);
    Descriptor listener = listen_on(own);
    const Member member = own_member(config, address_of(listener));
    auto detector = std::make_shared<FailureDetector>(std::move(listener), settings_of(config));
    Hello hello = detector->hello(Purpose::join);
    hello.host = member.host;
    hello.node = member.node;
    hello.cores = member.cores;
    hello.address = member.address;
    hello.port = member.port;
    introduce(socket, hello, detector->settings().secret, deadline);
    // Rank 0 knows when it has waited long enough; its clock may have started later.
    Membership membership = receive_membership(
        socket, config.rank, deadline + std::chrono::milliseconds(config.connect_timeout_ms));
    detector->follow(membership, std::move(socket));
    return {std::move(detector), std::move(membership)};
}

using Losses = std::map<int, Loss>;

/// Watches whether a rank lives that has not come yet.
class Monitor {
public:
    explicit Monitor(const Member& member) : member_(member) {}

    /// What has become of it; nothing: it lives.
    /// @throws Rejected  the rank lives, and has gone on without this one
    std::optional<Loss> look(const FailureDetector& detector) {
        try {
            if (!socket_.is_open()) {
                call(detector);
            }
            listen();
            return {};
        } catch (const Rejected&) {
            throw;
        } catch (const Disconnected& loss) {
            return loss_by(loss);
        } catch (const CommError&) {
            return Loss::gone;  // another program has got its port
        }
    }

private:
    void call(const FailureDetector& detector) {
        socket_ = Socket::connect(address_of(member_), after_ms(detector.settings().dead_after_ms));
        socket_.send_some(frame_bytes({Tag::hello}, pack(detector.hello(Purpose::monitor))));
        reader_ = FrameReader(control_bytes);
    }
    // A connection that ends is made anew: that fails once the rank is gone.
    void listen() {
        try {
            std::array<std::byte, 1024> bytes{};
            reader_.add(std::span(bytes).first(socket_.receive_some(bytes)));
        } catch (const Disconnected&) {
            socket_.close();
            return;
        }
        while (const auto frame = reader_.next()) {
            if (frame->header.tag == Tag::reject) {
                throw Rejected(unpack_rejection(frame->payload));
            }
        }
    }

    const Member& member_;
    Socket socket_;
    FrameReader reader_{control_bytes};
};

// Where the network is broken both sides take each other for lost; only one may go on: the larger,
// or of equal halves that of the lowest rank.
void check_may_go_on(const Membership& old, const Membership& next, const Losses& losses) {
    const bool is_certain =
        std::ranges::all_of(losses, [](const auto& entry) { return entry.second == Loss::gone; });
    const bool has_lowest = next.rank_of(old.members.front().id) == 0;
    if (!is_certain && 2 * next.size() + (has_lowest ? 1 : 0) <= old.size()) {
        throw CommError(fmt::format(
            "tcp: {} of {} ranks cannot tell whether the others live on beyond a broken "
            "network, so they do not go on without them",
            next.size(),
            old.size()));
    }
}

std::string rank_words(const Membership& old, int id) {
    const int rank = old.rank_of(id);
    return fmt::format("rank {} ({})", rank, old.member(rank).host);
}

// The ranks that have come, and those that live elsewhere.
struct Gathering {
    Membership next;
    std::vector<std::string> missing;
};
Gathering gather(const FailureDetector& detector,
                 const Membership& old,
                 std::map<int, Monitor>& monitors,
                 Losses& losses) {
    const auto joined = detector.joined();
    Gathering gathering{{old.epoch, {}}, {}};
    for (const Member& member : old.members) {
        const auto found = joined.find(member.id);
        if (found != joined.end()) {
            gathering.next.epoch = std::max(gathering.next.epoch, found->second.epoch);
        }
        if (found != joined.end() || member.id == detector.settings().id) {
            gathering.next.members.push_back(member);
        } else if (!losses.contains(member.id)) {
            gathering.missing.push_back(rank_words(old, member.id));
            if (const auto loss =
                    monitors.try_emplace(member.id, member).first->second.look(detector)) {
                losses.emplace(member.id, *loss);
            }
        }
    }
    return gathering;
}

Membership lead_again(FailureDetector& detector,
                      const Membership& old,
                      Losses losses,
                      Deadline deadline) {
    std::map<int, Monitor> monitors;
    std::uint64_t seen = 0;
    while (true) {
        Gathering gathering = gather(detector, old, monitors, losses);
        if (gathering.missing.empty()) {
            check_may_go_on(old, gathering.next, losses);
            ++gathering.next.epoch;
            detector.lead(gathering.next);
            return std::move(gathering.next);
        }
        if (Clock::now() >= deadline) {
            throw CommError(fmt::format("{} did not come, but is not dead",
                                        fmt::join(gathering.missing, ", ")));
        }
        detector.wait_for_change(seen, std::min(deadline, after_ms(50)));
    }
}

// The membership that the candidate leads; nothing: it is lost, as `loss` says.
std::optional<Membership> follow_again(FailureDetector& detector,
                                       const Membership& old,
                                       const Member& candidate,
                                       Loss& loss,
                                       Deadline deadline) {
    while (true) {
        Socket socket;
        try {
            socket =
                Socket::connect(address_of(candidate), after_ms(detector.settings().dead_after_ms));
        } catch (const Disconnected& disconnected) {
            loss = loss_by(disconnected);
            return {};
        }
        try {
            socket.watch(detector.settings().dead_after_ms, true);
            introduce(socket, detector.hello(Purpose::join), detector.settings().secret, deadline);
            Membership membership = receive_membership(socket, detector.settings().id, deadline);
            detector.follow(membership, std::move(socket));
            return membership;
        } catch (const Disconnected&) {
            // It is dead if it does not listen any more.
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        } catch (const Rejected&) {
            throw;
        } catch (const CommError&) {
            if (Clock::now() >= deadline) {
                throw CommError(
                    fmt::format("{} does not bring the survivors together, but is not dead",
                                rank_words(old, candidate.id)));
            }
            loss = Loss::gone;  // another program has got its port
            return {};
        }
    }
}

}  // namespace

Meeting meet(const TcpConfig& config) {
    const Deadline deadline = after_ms(config.connect_timeout_ms);
    if (config.size == 1) {
        Descriptor listener = listen_on(resolve("127.0.0.1", 0).front());
        const Member own = own_member(config, address_of(listener));
        auto detector = std::make_shared<FailureDetector>(std::move(listener), settings_of(config));
        Membership alone{1, {own}};
        detector->lead(alone);
        return {std::move(detector), std::move(alone)};
    }
    if (config.rank == 0) {
        return meet_as_first(config, deadline);
    }
    try {
        return retry(deadline, [&] {
            check_nobody_ended(config.launch_registry, config.rank);
            return join_first(config, deadline);
        });
    } catch (const Rejected&) {
        throw;
    } catch (const EndedEarly&) {
        throw;
    } catch (const CommError& error) {
        throw CommError(fmt::format("tcp: rank {} did not meet rank 0 at {}:{} within {} ms: {}",
                                    config.rank,
                                    config.coordinator,
                                    config.port,
                                    config.connect_timeout_ms,
                                    error.what()));
    }
}

Membership meet_again(FailureDetector& detector, const Membership& old, Deadline deadline) {
    Losses losses;
    for (const Member& member : old.members) {
        if (const auto loss = detector.loss_of(member.id)) {
            losses.emplace(member.id, *loss);
        }
    }
    detector.move();
    for (const Member& candidate : old.members) {
        if (candidate.id == detector.settings().id) {
            break;
        }
        if (losses.contains(candidate.id)) {
            continue;
        }
        Loss loss{};
        if (auto membership = follow_again(detector, old, candidate, loss, deadline)) {
            return *membership;
        }
        losses.emplace(candidate.id, loss);
    }
    return lead_again(detector, old, std::move(losses), deadline);
}

}  // namespace lockstep::comm::tcp
