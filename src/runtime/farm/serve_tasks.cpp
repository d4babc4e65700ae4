#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "lockstep/runtime/channel.hpp"

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

/// A worker process: one thread listens, so that a task can be told to stop and ends with its farm;
/// the other works.
class TaskServer {
public:
    TaskServer(const TaskFunctions& functions, int descriptor)
        : functions_(functions), descriptor_(descriptor) {}

    void run() {
        if (!say(FrameKind::ready, {})) {
            return;
        }
        std::thread listener([this] { listen(); });
        while (const auto assignment = inbox_.pop()) {
            const auto report = run_task(functions_, *assignment, 0, stop_);
            is_busy_ = false;
            say(FrameKind::report, pack(report));
        }
        listener.join();
    }

private:
    void listen() {
        FrameReader reader;
        Bytes chunk(chunk_bytes);
        for (;;) {
            const auto count = ::read(descriptor_, chunk.data(), chunk.size());
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                break;
            }
            reader.add(std::span(chunk).first(static_cast<std::size_t>(count)));
            while (auto frame = reader.next()) {
                hear(*frame);
            }
        }
        if (is_busy_) {
            std::_Exit(0);  // nobody wants the result
        }
        inbox_.close();
    }
    void hear(const Frame& frame) {
        if (frame.kind == FrameKind::task) {
            auto assignment = unpack_assignment(frame.payload);
            ticket_ = assignment.ticket;
            stop_ = false;
            is_busy_ = true;
            inbox_.push(std::move(assignment));
        } else if (frame.kind == FrameKind::stop && unpack_ticket(frame.payload) == ticket_) {
            stop_ = true;
        }
    }
    bool say(FrameKind kind, std::span<const std::byte> payload) {
        const auto frame = frame_bytes(kind, payload);
        for (std::size_t sent = 0; sent < frame.size();) {
            const auto count = ::send(descriptor_, &frame[sent], frame.size() - sent, MSG_NOSIGNAL);
            if (count < 0 && errno != EINTR) {
                return false;
            }
            sent += count < 0 ? 0 : static_cast<std::size_t>(count);
        }
        return true;
    }

    const TaskFunctions& functions_;
    int descriptor_;
    Channel<Assignment> inbox_{1};
    std::int64_t ticket_ = -1;  // of the listener
    std::atomic<bool> stop_ = false;
    std::atomic<bool> is_busy_ = false;
};

}  // namespace

int serve_tasks(const TaskFunctions& functions, int descriptor) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, SIG_IGN);
    }
    TaskServer(functions, descriptor).run();
    return 0;
}

}  // namespace lockstep::runtime
