#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/runtime/channel.hpp"

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

/// The worker's end of the connection to its farm.
class Connection {
public:
    explicit Connection(int descriptor) : descriptor_(descriptor) {}

    /// @returns whether there is anybody to hear it
    [[nodiscard]] bool say(FrameKind kind, std::span<const std::byte> payload) const {
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
    /// Waits for the next frame; none: the farm has hung up.
    std::optional<Frame> hear() {
        Bytes chunk(chunk_bytes);
        auto frame = reader_.next();
        while (!frame && receive(chunk)) {
            frame = reader_.next();
        }
        return frame;
    }
    /// That came along with frames, once each; -1: none.
    [[nodiscard]] int take_descriptor() { return std::exchange(passed_, -1); }
    /// Goes on with another one, of which nothing has been heard.
    void change(int descriptor) {
        ::close(descriptor_);
        descriptor_ = descriptor;
        reader_ = {};
    }

private:
    bool receive(Bytes& chunk) {
        iovec bytes{chunk.data(), chunk.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof passed_)> space{};
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = space.data();
        message.msg_controllen = space.size();
        const auto count = ::recvmsg(descriptor_, &message, MSG_CMSG_CLOEXEC);
        if (count < 0) {
            return errno == EINTR;
        }
        if (const cmsghdr* head = CMSG_FIRSTHDR(&message);
            head != nullptr && head->cmsg_type == SCM_RIGHTS) {
            std::memcpy(&passed_, CMSG_DATA(head), sizeof passed_);
        }
        reader_.add(std::span(chunk).first(static_cast<std::size_t>(count)));
        return count > 0;
    }

    int descriptor_;
    int passed_ = -1;
    FrameReader reader_;
};

/// Of an allocator that Arrow brings and that sees to itself when a process forks.
constexpr std::string_view harmless_thread = "jemalloc_bg_thd";

bool is_harmless(const std::filesystem::path& thread) {
    std::ifstream file(thread / "comm");
    std::string name;
    return std::getline(file, name) && name == harmless_thread;
}

bool has_one_thread() {
    std::error_code ignored;
    std::filesystem::directory_iterator threads("/proc/self/task", ignored);
    return !ignored && std::count_if(begin(threads), end(threads), [](const auto& thread) {
                           return !is_harmless(thread.path());
                       }) == 1;
}

/// A copy of a process with threads would lack these and wait for what they hold. A thread gives
/// itself its name when it first runs.
bool can_be_copied() {
    constexpr int moments = 20;
    for (int moment = 0; moment < moments && !has_one_thread(); ++moment) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return has_one_thread();
}

/// Forks workers for the farm as long as that wants no work of this process itself.
/// @returns what it, or a worker that was forked, has to hear first; none: nobody wants anything
std::optional<Frame> fork_workers(Connection& connection) {
    const Bytes can_fork(can_be_copied() ? 1 : 0);
    if (!connection.say(FrameKind::ready, can_fork)) {
        return {};
    }
    while (auto frame = connection.hear()) {
        if (frame->kind == FrameKind::fork) {
            const int descriptor = connection.take_descriptor();
            const auto child = ::fork();
            if (child == 0) {
                connection.change(descriptor);
                return connection.say(FrameKind::ready, {}) ? connection.hear() : std::nullopt;
            }
            ::close(descriptor);
            if (!connection.say(FrameKind::forked, pack(std::int64_t{child}))) {
                return {};
            }
        } else if (frame->kind == FrameKind::end) {
            int status = 0;
            const auto child = static_cast<pid_t>(unpack_ticket(frame->payload));
            const bool runs = ::waitpid(child, &status, WNOHANG) == 0;
            if (!connection.say(FrameKind::ended, pack(std::int64_t{runs ? -1 : status}))) {
                return {};
            }
        } else {
            return frame;
        }
    }
    return {};
}

/// A worker process: one thread listens, so that a task can be told to stop and ends with its farm;
/// the other works.
class TaskServer {
public:
    TaskServer(const TaskFunctions& functions, Connection& connection)
        : functions_(functions), connection_(connection) {}

    void run(const Frame& first) {
        hear(first);
        std::thread listener([this] { listen(); });
        while (const auto assignment = inbox_.pop()) {
            const auto report = run_task(functions_, *assignment, 0, stop_);
            is_busy_ = false;
            static_cast<void>(connection_.say(FrameKind::report, pack(report)));
        }
        listener.join();
    }

private:
    void listen() {
        while (const auto frame = connection_.hear()) {
            hear(*frame);
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

    const TaskFunctions& functions_;
    Connection& connection_;
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
    Connection connection(descriptor);
    if (const auto first = fork_workers(connection)) {
        TaskServer(functions, connection).run(*first);
    }
    return 0;
}

}  // namespace lockstep::runtime
