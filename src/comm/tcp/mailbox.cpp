#include "comm/tcp/mailbox.hpp"

#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
constexpr int farewell_ms = 500;

/// The queues between this rank and one other.
class Counter {
public:
    Counter(Socket socket, std::size_t room) : socket_(std::move(socket)), reader_(room) {}

    [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
    /// The connection is gone; in good order when the other said so.
    [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }
    [[nodiscard]] bool has_said_farewell() const noexcept { return has_said_farewell_; }
    [[nodiscard]] bool has_output() const noexcept { return !is_gone_ && !output_.empty(); }
    /// Bytes on their way that the other has not polled.
    [[nodiscard]] std::size_t outstanding() const noexcept { return outstanding_; }

    void post(std::uint32_t tag, std::span<const std::byte> bytes) {
        outstanding_ += bytes.size();
        say({Tag::message, 0, tag}, bytes);
    }
    std::optional<Message> take(int from) {
        if (inbox_.empty()) {
            return {};
        }
        Message message{from, inbox_.front().header.info, std::move(inbox_.front().payload)};
        inbox_.pop_front();
        Packer credit;
        credit.number(static_cast<std::uint64_t>(message.bytes.size()));
        say({Tag::credit}, credit.take());
        return message;
    }
    void say(const FrameHeader& header, std::span<const std::byte> bytes) {
        const Bytes frame = frame_bytes(header, bytes);
        output_.insert(output_.end(), frame.begin(), frame.end());
        send();
    }

    void send() {
        if (has_output()) {
            guard([this] {
                const auto sent = socket_.send_some(output_);
                output_.erase(output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(sent));
            });
        }
    }
    void receive() {
        if (!is_gone_) {
            guard([this] {
                Bytes chunk(chunk_bytes);
                while (const std::size_t count = socket_.receive_some(chunk)) {
                    reader_.add(std::span(chunk).first(count));
                    while (auto frame = reader_.next()) {
                        sort(std::move(*frame));
                    }
                }
            });
        }
    }
    void hang_up() noexcept { socket_.shut_down(); }

private:
    template <typename F>
    void guard(F&& transfer) {
        try {
            transfer();
        } catch (const Disconnected&) {
            is_gone_ = true;
        }
    }
    void sort(Frame frame) {
        if (frame.header.tag == Tag::message) {
            inbox_.push_back(std::move(frame));
        } else if (frame.header.tag == Tag::credit) {
            outstanding_ -=
                static_cast<std::size_t>(Unpacker(frame.payload).number<std::uint64_t>());
        } else if (frame.header.tag == Tag::leave) {
            has_said_farewell_ = true;
        } else {
            throw CommError("tcp: a mailbox got what is no message");
        }
    }

    Socket socket_;
    FrameReader reader_;
    Bytes output_;
    std::deque<Frame> inbox_;
    std::size_t outstanding_ = 0;
    bool is_gone_ = false;
    bool has_said_farewell_ = false;
};

/// The counters of one rank. Its own thread posts and polls; the detector's sends what is left
/// over.
class PostOffice final : public BackgroundTask, public Revocable {
public:
    PostOffice(FailureDetector& detector, Connections::Place place, std::size_t room)
        : detector_(detector), place_(std::move(place)), room_(room) {
        const auto size = static_cast<int>(place_.members.size());
        counters_.resize(at(size));
        is_forgotten_.resize(at(size));
        for (int other = 0; other < place_.rank; ++other) {
            counter(other).emplace(
                open_link(detector, place_, Channel::mailbox, other, no_deadline), frame_room());
        }
        for (int other = place_.rank + 1; other < size; ++other) {
            counter(other).emplace(
                claim_link(detector, place_, Channel::mailbox, other, no_deadline), frame_room());
        }
    }

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) {
        check_message(to, static_cast<int>(counters_.size()), bytes.size(), room_);
        const std::lock_guard lock(mutex_);
        check_whole();
        if (to == place_.rank) {
            return post_to_self(tag, bytes);
        }
        Counter& target = *counter(to);
        target.receive();  // credit, perhaps
        if (target.is_gone()) {
            throw_gone(to);
        }
        if (target.outstanding() + bytes.size() > room_) {
            return false;
        }
        target.post(tag, bytes);
        if (target.has_output()) {
            detector_.wake();
        }
        return true;
    }

    // Ranks take turns, so that a busy one does not hide the others.
    std::optional<Message> poll() {
        const std::lock_guard lock(mutex_);
        check_whole();
        const auto size = static_cast<int>(counters_.size());
        int lost = -1;
        for (int step = 0; step < size; ++step) {
            turn_ = (turn_ + 1) % size;
            if (auto message = take_from(turn_)) {
                return message;
            }
            const auto& source = counter(turn_);
            if (source && source->is_gone() && !is_forgotten_[at(turn_)]) {
                lost = lost < 0 ? turn_ : std::min(lost, turn_);
            }
        }
        if (lost >= 0) {
            throw_gone(lost);
        }
        return {};
    }

    void forget(int rank) {
        check_forgotten(rank, static_cast<int>(counters_.size()));
        is_forgotten_[at(rank)] = true;
    }
    // Revocation and losses end the connections, which wakes as well.
    void sleep(std::chrono::milliseconds limit) {
        std::vector<pollfd> entries;
        {
            const std::lock_guard lock(mutex_);
            for (const auto& source : counters_) {
                if (source && !source->is_gone()) {
                    entries.push_back({source->fd(), POLLIN, 0});
                }
            }
        }
        ::poll(entries.data(), entries.size(), static_cast<int>(limit.count()));
    }

    void watch(std::vector<pollfd>& entries) override {
        const std::lock_guard lock(mutex_);
        for (const auto& target : counters_) {
            if (target && target->has_output()) {
                entries.push_back({target->fd(), POLLOUT, 0});
            }
        }
    }
    void serve() override {
        const std::lock_guard lock(mutex_);
        for (auto& target : counters_) {
            if (target) {
                target->send();
            }
        }
    }

    /// What was posted goes out, unless the receivers do not take it.
    void close() {
        const std::lock_guard lock(mutex_);
        const Deadline deadline = after_ms(farewell_ms);
        for (auto& target : counters_) {
            if (target) {
                target->say({Tag::leave}, {});
            }
        }
        for (auto& target : counters_) {
            while (target && target->has_output() && Clock::now() < deadline) {
                pollfd entry{target->fd(), POLLOUT, 0};
                ::poll(&entry, 1, slice_ms(deadline));
                target->send();
            }
        }
    }
    void revoke() noexcept override {
        const std::lock_guard lock(mutex_);
        is_revoked_ = true;
        for (auto& target : counters_) {
            if (target) {
                target->hang_up();
            }
        }
    }

private:
    [[nodiscard]] std::size_t frame_room() const noexcept {
        return std::max(room_, sizeof(std::uint64_t));
    }
    std::optional<Counter>& counter(int rank) { return counters_[at(rank)]; }

    bool post_to_self(std::uint32_t tag, std::span<const std::byte> bytes) {
        if (own_bytes_ + bytes.size() > room_) {
            return false;
        }
        own_bytes_ += bytes.size();
        own_.push_back({place_.rank, tag, {bytes.begin(), bytes.end()}});
        return true;
    }
    std::optional<Message> take_from(int rank) {
        if (rank != place_.rank) {
            counter(rank)->receive();
            return counter(rank)->take(rank);
        }
        if (own_.empty()) {
            return {};
        }
        Message message = std::move(own_.front());
        own_.pop_front();
        own_bytes_ -= message.bytes.size();
        return message;
    }
    void check_whole() const {
        if (is_revoked_) {
            throw CommError(revoked_words);
        }
    }
    [[noreturn]] void throw_gone(int rank) {
        const Member& member = place_.members[at(rank)];
        const bool in_order = counter(rank)->has_said_farewell();
        throw PeerFailed(fmt::format("rank {} ({}) {} while rank {} has a mailbox open with it",
                                     rank,
                                     member.host,
                                     in_order ? "has closed its mailbox" : "is gone",
                                     place_.rank),
                         rank);
    }

    FailureDetector& detector_;
    Connections::Place place_;
    std::size_t room_;
    std::mutex mutex_;                              // of all below
    std::vector<std::optional<Counter>> counters_;  // by rank, none for this one
    std::vector<bool> is_forgotten_;                // by rank
    std::deque<Message> own_;
    std::size_t own_bytes_ = 0;
    int turn_ = 0;
    bool is_revoked_ = false;
};

class TcpMailbox final : public Mailbox {
public:
    TcpMailbox(std::shared_ptr<FailureDetector> detector, std::shared_ptr<PostOffice> office)
        : detector_(std::move(detector)), office_(std::move(office)) {}
    ~TcpMailbox() override { office_->close(); }

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override {
        return office_->post(to, tag, bytes);
    }
    std::optional<Message> poll() override { return office_->poll(); }
    void forget(int rank) override { office_->forget(rank); }

protected:
    void sleep(std::chrono::milliseconds limit) override { office_->sleep(limit); }

private:
    std::shared_ptr<FailureDetector> detector_;
    std::shared_ptr<PostOffice> office_;
};

}  // namespace

std::unique_ptr<Mailbox> open_mailbox(const std::shared_ptr<FailureDetector>& detector,
                                      const Connections::Place& place,
                                      std::size_t room,
                                      std::weak_ptr<Revocable>& office) {
    auto made = std::make_shared<PostOffice>(*detector, place, room);
    detector->attach(std::weak_ptr<BackgroundTask>(made));
    office = made;
    return std::make_unique<TcpMailbox>(detector, std::move(made));
}

}  // namespace lockstep::comm::tcp
