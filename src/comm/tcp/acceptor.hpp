#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <poll.h>

#include "comm/tcp/handshake.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// Lets ranks in through the listening socket and keeps others out. Not thread-safe.
///
/// Who does not finish the handshake in time or says nonsense disturbs nobody, nor does a crowd:
/// it never waits for a place to become free, it drops whoever has stood there longest. A
/// rank says who it is as it comes, so of those who say nothing most are strangers.
class Acceptor {
public:
    /// Visitors that stand before it: who has not said who he is, and who has yet to prove
    /// it.
    static constexpr std::ptrdiff_t most_silent = 128;
    static constexpr std::ptrdiff_t most_unproven = 256;

    Acceptor(Descriptor listener, const Secret& secret, Reception::Judge judge);

    /// Adds what poll() has to wait for.
    void watch(std::vector<pollfd>& entries) const;
    /// Does what can be done without waiting.
    void serve();

    /// The link that a rank has opened; nothing: it has not come yet.
    [[nodiscard]] std::optional<Socket> claim(Channel channel, std::uint64_t group, int id);

    struct Joined {
        Hello hello;
        Socket socket;
    };
    /// A rank that has come to tell that it ends the run; nothing: none has since the last call.
    [[nodiscard]] std::optional<Hello> take_abort() { return std::exchange(abort_, {}); }

    /// Ranks that want to become members, by id; who hangs up is gone from here.
    [[nodiscard]] std::map<int, Joined>& joined() noexcept { return joined_; }
    [[nodiscard]] const std::map<int, Joined>& joined() const noexcept { return joined_; }
    /// Turns all of these away, and drops links that were opened before this epoch.
    void start_epoch(std::uint32_t epoch, const Rejection& rejection);

private:
    struct Visitor {
        Socket socket;
        Reception reception;
        Clock::time_point since;
    };
    void accept();
    void drop_oldest_beyond(std::ptrdiff_t most, bool has_greeted);
    bool is_done(Visitor& visitor) const;
    void let_in(Visitor visitor);
    void drop_who_hung_up();

    Descriptor listener_;
    const Secret& secret_;
    Reception::Judge judge_;
    Deadline open_again_{};        // after the system had no descriptor left
    std::list<Visitor> visitors_;  // the oldest first
    std::map<int, Joined> joined_;
    std::list<Joined> links_;
    std::optional<Hello> abort_;
};

}  // namespace lockstep::comm::tcp
