#include "comm/mpi/mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <deque>
#include <exception>
#include <thread>
#include <utility>

#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

constexpr std::size_t tag_bytes = sizeof(std::uint32_t);
constexpr std::size_t most_messages = 4096;  // to one rank, however short
constexpr auto patience = std::chrono::seconds(10);
constexpr std::chrono::microseconds longest_nap{1000};

struct Outgoing {
    std::vector<std::byte> bytes;  // the tag first
    MpiRequest* request = nullptr;
};

/// Messages under way to one rank, the oldest first.
struct Queue {
    std::deque<Outgoing> messages;
    std::size_t bytes = 0;
};

/// Sends are of the kind that ends when the receiver takes the message, so that what is in flight
/// is known without replies.
class MpiMailbox final : public Mailbox {
public:
    MpiMailbox(std::unique_ptr<MpiLink> link, const Communicator& owner, std::size_t room)
        : link_(std::move(link)),
          owner_(owner),
          room_(std::min(room, std::size_t{INT_MAX} - tag_bytes)),
          queues_(std::make_unique<std::vector<Queue>>(static_cast<std::size_t>(link_->size()))) {}
    ~MpiMailbox() override;

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override;
    std::optional<Message> poll() override;
    void forget(int rank) override { check_forgotten(rank, link_->size()); }

protected:
    void sleep(std::chrono::milliseconds limit) override;

private:
    void collect(Queue& queue);
    [[nodiscard]] bool has_delivered_all();
    bool take(Message& message);
    [[nodiscard]] bool drain();

    std::unique_ptr<MpiLink> link_;
    const Communicator& owner_;
    std::size_t room_;
    std::unique_ptr<std::vector<Queue>> queues_;  // to each rank
};

bool MpiMailbox::post(int to, std::uint32_t tag, std::span<const std::byte> bytes) {
    check_message(to, link_->size(), bytes.size(), room_);
    auto& queue = queues_->at(static_cast<std::size_t>(to));
    collect(queue);
    if (queue.bytes + bytes.size() > room_ || queue.messages.size() >= most_messages) {
        return false;
    }
    Outgoing message{std::vector<std::byte>(tag_bytes + bytes.size())};
    std::memcpy(message.bytes.data(), &tag, tag_bytes);
    std::ranges::copy(bytes, message.bytes.begin() + tag_bytes);
    link_->check(link_->table().begin_send(link_->comm(),
                                           to,
                                           message.bytes.data(),
                                           static_cast<int>(message.bytes.size()),
                                           &message.request),
                 "post");
    queue.bytes += bytes.size();
    queue.messages.push_back(std::move(message));
    return true;
}

std::optional<Message> MpiMailbox::poll() {
    Message message;
    if (!take(message)) {
        return {};
    }
    return message;
}

// MPI wakes nobody: it is asked again and again, less and less often.
void MpiMailbox::sleep(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    std::chrono::microseconds nap{20};
    bool found = false;
    while (!found && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(nap);
        nap = std::min(2 * nap, longest_nap);
        int from = 0;
        int count = 0;
        link_->check(link_->table().probe(link_->comm(), &found, &from, &count), "wait");
    }
}

// Drops what has been taken. A receiver takes in order.
void MpiMailbox::collect(Queue& queue) {
    while (!queue.messages.empty()) {
        const auto& oldest = queue.messages.front();
        bool is_done = false;
        link_->check(link_->table().test(oldest.request, &is_done), "post");
        if (!is_done) {
            return;
        }
        link_->table().free_request(oldest.request);
        queue.bytes -= oldest.bytes.size() - tag_bytes;
        queue.messages.pop_front();
    }
}

bool MpiMailbox::has_delivered_all() {
    for (auto& queue : *queues_) {
        collect(queue);
    }
    return std::ranges::all_of(*queues_, [](const Queue& queue) { return queue.messages.empty(); });
}

bool MpiMailbox::take(Message& message) {
    bool found = false;
    int count = 0;
    link_->check(link_->table().probe(link_->comm(), &found, &message.from, &count), "poll");
    if (!found) {
        return false;
    }
    message.bytes.resize(static_cast<std::size_t>(count));
    link_->check(link_->table().receive(link_->comm(), message.from, message.bytes.data(), count),
                 "poll");
    std::memcpy(&message.tag, message.bytes.data(), tag_bytes);
    message.bytes.erase(message.bytes.begin(), message.bytes.begin() + tag_bytes);
    return true;
}

// Takes what is still under way and drops it: a rank whose messages have all been taken says so by
// entering a barrier, and goes on taking until all have.
bool MpiMailbox::drain() {
    MpiRequest* barrier = nullptr;
    bool is_done = false;
    Message dropped;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!is_done && std::chrono::steady_clock::now() < end) {
        take(dropped);
        if (barrier == nullptr && has_delivered_all()) {
            link_->check(link_->table().begin_barrier(link_->comm(), &barrier), "close");
        }
        if (barrier != nullptr) {
            link_->check(link_->table().test(barrier, &is_done), "close");
        }
    }
    if (is_done) {
        link_->table().free_request(barrier);
    }
    return is_done;
}

MpiMailbox::~MpiMailbox() {
    bool is_clean = false;
    try {
        is_clean =
            link_->is_whole() && !owner_.is_broken() && std::uncaught_exceptions() == 0 && drain();
    } catch (const std::exception&) {  // the lost rank will show at the next collective
        is_clean = false;
    }
    if (is_clean) {
        return;
    }
    link_->doubt();
    static_cast<void>(queues_.release());  // MPI may read the messages yet
}

}  // namespace

std::unique_ptr<Mailbox> open_mpi_mailbox(std::unique_ptr<MpiLink> link,
                                          const Communicator& owner,
                                          std::size_t room) {
    return std::make_unique<MpiMailbox>(std::move(link), owner, room);
}

}  // namespace lockstep::comm
