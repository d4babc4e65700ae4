#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <poll.h>

#include "comm/tcp/frame.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// What ranks tell each other beside the collectives.
struct News {
    Tag tag = Tag::leave;        ///< failure, dead, leave, move or abort
    int id = 0;                  ///< whom it is about; of a failure its culprit, -1: none
    std::uint64_t group = 0;     ///< of a failure: communicator
    std::uint64_t sequence = 0;  ///< of a failure: call; of an abort: exit code; of a death: Loss
    std::string why;
};
Bytes pack(const News& news);
/// @throws CommError  malformed
News unpack_news(const Frame& frame);

/// Connections by which rank 0 and each other rank hear whether the other lives. Not thread-safe.
///
/// Slow is not dead: a rank that computes, or a process that is stopped, may be silent as long as
/// it likes, for its kernel still acknowledges. Dead is who has closed the connection (the kernel
/// does so for a process that ends) or whose host does not acknowledge for dead_after_ms. At most
/// a few pings are under way unanswered, so that those to a stopped process never fill its stream.
class Heartbeat {
public:
    Heartbeat(int interval_ms, int dead_after_ms)
        : interval_ms_(interval_ms), dead_after_ms_(dead_after_ms) {}

    void connect(int id, Socket socket);
    void disconnect() { lines_.clear(); }
    /// Queues bytes for one rank, or news for all but one.
    void send(int id, std::span<const std::byte> bytes);
    void spread(const News& news, int except = -1);

    void watch(std::vector<pollfd>& entries) const;
    /// Sends and receives what can be without waiting.
    /// @returns what came, losses of connections among it, with the id of who said it
    struct Heard {
        int from;
        News news;
    };
    std::vector<Heard> serve();
    [[nodiscard]] bool has_output() const noexcept;
    [[nodiscard]] Deadline next_beat() const noexcept { return next_beat_; }

private:
    struct Line {
        int id;
        Socket socket;
        FrameReader reader{control_bytes};
        Bytes output;
        int unanswered = 0;
    };
    void beat();
    static void flush(Line& line);
    static void listen(Line& line, std::vector<Heard>& heard);
    static void take(Line& line, const Frame& frame, std::vector<Heard>& heard);

    int interval_ms_;
    int dead_after_ms_;
    Deadline next_beat_ = after_ms(interval_ms_);
    std::list<Line> lines_;
};

}  // namespace lockstep::comm::tcp
