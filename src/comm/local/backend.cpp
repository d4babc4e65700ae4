#include <algorithm>
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>

#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

/// Messages of a rank to itself.
class LocalMailbox final : public Mailbox {
public:
    explicit LocalMailbox(std::size_t room) : room_(room) {}
    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override {
        check_message(to, 1, bytes.size(), room_);
        if (held_ + bytes.size() > room_) {
            return false;
        }
        held_ += bytes.size();
        queue_.push_back({0, tag, {bytes.begin(), bytes.end()}});
        return true;
    }
    std::optional<Message> poll() override {
        if (queue_.empty()) {
            return {};
        }
        auto message = std::move(queue_.front());
        queue_.pop_front();
        held_ -= message.bytes.size();
        return message;
    }
    void forget(int rank) override { check_forgotten(rank, 1); }

protected:
    // Nobody else writes; but a program that waits is to wait on any number of ranks.
    void sleep(std::chrono::milliseconds limit) override { std::this_thread::sleep_for(limit); }

private:
    std::size_t room_;
    std::size_t held_ = 0;
    std::deque<Message> queue_;
};

class LocalCommunicator final : public Communicator {
public:
    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int size() const noexcept override { return 1; }
    [[nodiscard]] std::string_view backend() const noexcept override { return "local"; }
    [[noreturn]] void abort(int code) override { std::_Exit(code); }
    [[nodiscard]] std::string host(int) const override { return own_host(); }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        std::ranges::copy(send, part_of(receive, layout, stamp.width, 0).begin());
    }
    void do_broadcast(const CallStamp&, std::span<std::byte>, int) override {}
    void do_barrier(const CallStamp&) override {}
    std::unique_ptr<Communicator> do_split_local() override { return make_local(); }
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override {
        return std::make_unique<LocalMailbox>(bytes);
    }
};

}  // namespace

std::unique_ptr<Communicator> make_local() {
    return std::make_unique<LocalCommunicator>();
}

}  // namespace lockstep::comm
