#include "comm/mpi_mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <exception>
#include <list>
#include <utility>

#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

constexpr std::size_t tag_bytes = sizeof(std::uint32_t);
constexpr auto patience = std::chrono::seconds(10);

struct Outgoing {
    int to = 0;
    std::vector<std::byte> bytes;  // the tag first
    MpiRequest* request = nullptr;
    [[nodiscard]] std::size_t length() const { return bytes.size() - tag_bytes; }
};

/// Sends are of the kind that ends when the receiver takes the message, so that what is in flight
/// is known without replies.
class MpiMailbox final : public Mailbox {
public:
    MpiMailbox(std::unique_ptr<MpiLink> link, const Communicator& owner, std::size_t room)
        : link_(std::move(link)),
          owner_(owner),
          room_(std::min(room, std::size_t{INT_MAX} - tag_bytes)),
          in_flight_(static_cast<std::size_t>(link_->size())) {}
    ~MpiMailbox() override;

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override;
    std::optional<Message> poll() override;

private:
    void collect_sent();
    bool take(Message& message);
    [[nodiscard]] bool drain();

    std::unique_ptr<MpiLink> link_;
    const Communicator& owner_;
    std::size_t room_;
    std::vector<std::size_t> in_flight_;  // bytes to each rank
    std::list<Outgoing> outgoing_;
};

bool MpiMailbox::post(int to, std::uint32_t tag, std::span<const std::byte> bytes) {
    check_message(to, link_->size(), bytes.size(), room_);
    collect_sent();
    auto& in_flight = in_flight_[static_cast<std::size_t>(to)];
    if (in_flight + bytes.size() > room_)
        return false;
    Outgoing message{to, std::vector<std::byte>(tag_bytes + bytes.size()), nullptr};
    std::memcpy(message.bytes.data(), &tag, tag_bytes);
    std::ranges::copy(bytes, message.bytes.begin() + tag_bytes);
    link_->check(link_->table().begin_send(link_->comm(),
                                           to,
                                           message.bytes.data(),
                                           static_cast<int>(message.bytes.size()),
                                           &message.request),
                 "post");
    in_flight += bytes.size();
    outgoing_.push_back(std::move(message));
    return true;
}

std::optional<Message> MpiMailbox::poll() {
    collect_sent();
    Message message;
    if (!take(message))
        return {};
    return message;
}

void MpiMailbox::collect_sent() {
    for (auto message = outgoing_.begin(); message != outgoing_.end();) {
        bool is_done = false;
        link_->check(link_->table().test(message->request, &is_done), "post");
        if (!is_done) {
            ++message;
            continue;
        }
        link_->table().free_request(message->request);
        in_flight_[static_cast<std::size_t>(message->to)] -= message->length();
        message = outgoing_.erase(message);
    }
}

bool MpiMailbox::take(Message& message) {
    bool found = false;
    int count = 0;
    link_->check(link_->table().probe(link_->comm(), &found, &message.from, &count), "poll");
    if (!found)
        return false;
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
        collect_sent();
        if (barrier == nullptr && outgoing_.empty())
            link_->check(link_->table().begin_barrier(link_->comm(), &barrier), "close");
        if (barrier != nullptr)
            link_->check(link_->table().test(barrier, &is_done), "close");
    }
    if (is_done)
        link_->table().free_request(barrier);
    return is_done;
}

MpiMailbox::~MpiMailbox() {
    bool is_clean = false;
    try {
        is_clean = !owner_.is_broken() && std::uncaught_exceptions() == 0 && drain();
    } catch (const std::exception&) {  // the lost rank will show at the next collective
        is_clean = false;
    }
    if (is_clean)
        return;
    link_->doubt();
    // MPI may read them yet.
    for (auto& message : outgoing_)
        static_cast<void>(new std::vector<std::byte>(std::move(message.bytes)));
}

}  // namespace

std::unique_ptr<Mailbox> open_mpi_mailbox(std::unique_ptr<MpiLink> link,
                                          const Communicator& owner,
                                          std::size_t room) {
    return std::make_unique<MpiMailbox>(std::move(link), owner, room);
}

}  // namespace lockstep::comm
