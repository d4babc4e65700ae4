#include "runtime/farm/fork_server.hpp"

#include <chrono>

#include <poll.h>

namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds patience{10'000};  // a fork takes one

}  // namespace

ForkServer::State ForkServer::listen() {
    process_->receive();
    if (const auto frame = process_->next()) {
        state_ = !frame->payload.empty() ? State::ready : State::unable;
    } else if (process_->is_gone()) {
        state_ = State::gone;
    }
    return state_;
}

std::optional<pid_t> ForkServer::fork(int connection) {
    process_->pass(FrameKind::fork, connection);
    const auto frame = answer(FrameKind::forked);
    return frame ? std::optional(static_cast<pid_t>(unpack_ticket(frame->payload))) : std::nullopt;
}

std::optional<int> ForkServer::status_of(pid_t process) {
    process_->say(FrameKind::end, pack(std::int64_t{process}));
    const auto frame = answer(FrameKind::ended);
    if (!frame) {
        return -1;
    }
    const auto status = static_cast<int>(unpack_ticket(frame->payload));
    return status < 0 ? std::nullopt : std::optional(status);
}

std::optional<Frame> ForkServer::answer(FrameKind kind) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (state_ != State::gone) {
        if (auto frame = process_->next(); frame && frame->kind == kind) {
            return frame;
        }
        pollfd entry{fd(), POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(patience.count()));
        process_->receive();
        if (process_->is_gone() || std::chrono::steady_clock::now() > end) {
            state_ = State::gone;
        }
    }
    return {};
}

}  // namespace lockstep::runtime
