#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"
#include "comm/call_clock.hpp"

namespace lockstep::comm {
namespace {

/// Where the threads of a run meet.
class Hub {
public:
    explicit Hub(int ranks)
        : stamps_(static_cast<std::size_t>(ranks)),
          sources_(static_cast<std::size_t>(ranks)),
          gone_(static_cast<std::size_t>(ranks)),
          is_recovering_(static_cast<std::size_t>(ranks)) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(sources_.size()); }

    /// One collective of `rank`: shows its bytes to all ranks, runs `take` once everyone has shown
    /// his, and returns when everyone has taken. Every rank compares the calls, so that all throw
    /// or none.
    template <typename F>
    void exchange(int rank, const CallStamp& stamp, std::span<const std::byte> source, F&& take) {
        const auto call = to_string(stamp);
        stamps_[at(rank)] = stamp;
        sources_[at(rank)] = source;
        wait_for_all(rank, call);
        check_stamps(stamps_);
        take();
        wait_for_all(rank, call);
    }

    [[nodiscard]] std::span<const std::byte> source(int rank) const { return sources_[at(rank)]; }

    /// What rank 0 makes, or what it throws in vain, on every rank. Collective.
    template <typename T, typename F>
    std::shared_ptr<T> share(int rank, F&& make) {
        if (rank == 0) {
            try {
                shared_ = std::make_shared<T>(make());
            } catch (...) {
                vain_ = std::current_exception();
            }
        }
        wait_for_all(rank, "the making of something shared");
        auto shared = std::static_pointer_cast<T>(shared_);
        const auto vain = vain_;
        wait_for_all(rank, "the making of something shared");
        if (rank == 0) {
            shared_.reset();
            vain_ = nullptr;
        }
        if (vain) {
            std::rethrow_exception(vain);
        }
        return shared;
    }

    /// The lowest rank that takes part no longer, but for those that are forgotten; -1: all do.
    [[nodiscard]] int lowest_gone(const std::set<int>& forgotten) {
        const std::lock_guard lock(mutex_);
        for (int rank = 0; rank < size(); ++rank) {
            if (!gone_[at(rank)].empty() && !forgotten.contains(rank)) {
                return rank;
            }
        }
        return -1;
    }
    /// @throws PeerFailed  `other` takes part no longer
    void check_present(int rank, int other) {
        const std::lock_guard lock(mutex_);
        const auto& reason = gone_[at(other)];
        if (!reason.empty()) {
            throw PeerFailed(fmt::format("{} while rank {} exchanges messages", reason, rank),
                             other);
        }
    }
    [[nodiscard]] bool has_recovered() {
        const std::lock_guard lock(mutex_);
        return next_ != nullptr;
    }

    /// `rank` takes part no longer: who waits for it, now or later, throws with this reason.
    void leave(int rank, const std::string& reason) {
        const std::lock_guard lock(mutex_);
        gone_[at(rank)] = fmt::format("rank {} {}", rank, reason);
        if (first_gone_ < 0) {
            first_gone_ = rank;
        }
        if (next_) {
            next_->leave(new_rank(rank), reason);
        }
        for (const auto& weak : children_) {
            if (const auto child = weak.lock()) {
                child->leave(rank, reason);
            }
        }
        changed_.notify_all();
    }

    /// A hub of the same ranks. Collective.
    std::shared_ptr<Hub> split(int rank) {
        const auto child = share<std::shared_ptr<Hub>>(rank, [&] {
            auto made = std::make_shared<Hub>(size());
            const std::lock_guard lock(mutex_);
            std::erase_if(children_, [](const auto& weak) { return weak.expired(); });
            children_.push_back(made);
            return made;
        });
        return *child;
    }

    struct Survival {
        std::shared_ptr<Hub> hub;
        int rank = 0;
        std::vector<int> lost;
    };
    /// Waits until every rank has come here or is gone.
    Survival recover(int rank) {
        std::unique_lock lock(mutex_);
        is_recovering_[at(rank)] = true;
        changed_.notify_all();
        changed_.wait(lock, [&] {
            for (std::size_t other = 0; other < gone_.size(); ++other) {
                if (!is_recovering_[other] && gone_[other].empty()) {
                    return false;
                }
            }
            return true;
        });
        if (!next_) {
            next_ = std::make_shared<Hub>(new_rank(size()));
        }
        Survival survival{next_, new_rank(rank), {}};
        for (int other = 0; other < size(); ++other) {
            if (!is_recovering_[at(other)]) {
                survival.lost.push_back(other);
            }
        }
        return survival;
    }

private:
    [[nodiscard]] int new_rank(int rank) const {
        return static_cast<int>(
            std::count(is_recovering_.begin(), is_recovering_.begin() + rank, true));
    }

    void wait_for_all(int rank, const std::string& call) {
        std::unique_lock lock(mutex_);
        const std::uint64_t round = round_;
        if (first_gone_ < 0 && ++waiting_ == size()) {
            waiting_ = 0;
            ++round_;
            changed_.notify_all();
            return;
        }
        changed_.wait(lock, [&] { return round_ != round || first_gone_ >= 0; });
        // A round that is complete counts even if somebody left right after it.
        if (round_ == round) {
            throw PeerFailed(
                fmt::format("{} while rank {} waits in {}", gone_[at(first_gone_)], rank, call),
                first_gone_);
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t round_ = 0;
    int waiting_ = 0;
    int first_gone_ = -1;
    std::vector<CallStamp> stamps_;
    std::vector<std::span<const std::byte>> sources_;
    std::vector<std::string> gone_;  // why a rank takes part no longer
    std::vector<bool> is_recovering_;
    std::shared_ptr<void> shared_;
    std::exception_ptr vain_;
    std::shared_ptr<Hub> next_;  // of the survivors
    std::vector<std::weak_ptr<Hub>> children_;
};

/// Queues of all pairs of ranks.
class Post {
public:
    Post(int ranks, std::size_t room)
        : room_(room),
          queues_(static_cast<std::size_t>(ranks)),
          held_(queues_.size(), std::vector<std::size_t>(queues_.size())) {}

    bool put(int to, Message message) {
        const std::lock_guard lock(mutex_);
        auto& held = held_from(message.from, to);
        if (held + message.bytes.size() > room_) {
            return false;
        }
        held += message.bytes.size();
        queues_[at(to)].push_back(std::move(message));
        has_come_.notify_all();
        return true;
    }
    void wait_for_any(int rank, std::chrono::milliseconds limit) {
        std::unique_lock lock(mutex_);
        has_come_.wait_for(lock, limit, [&] { return !queues_[at(rank)].empty(); });
    }
    std::optional<Message> take(int rank) {
        const std::lock_guard lock(mutex_);
        auto& queue = queues_[at(rank)];
        if (queue.empty()) {
            return {};
        }
        auto message = std::move(queue.front());
        queue.pop_front();
        held_from(message.from, rank) -= message.bytes.size();
        return message;
    }
    [[nodiscard]] std::size_t room() const noexcept { return room_; }

private:
    std::size_t& held_from(int from, int to) { return held_[at(to)][at(from)]; }

    std::size_t room_;
    std::mutex mutex_;
    std::condition_variable has_come_;
    std::vector<std::deque<Message>> queues_;     // by receiver
    std::vector<std::vector<std::size_t>> held_;  // bytes by receiver and sender
};

class InProcessMailbox final : public Mailbox {
public:
    InProcessMailbox(std::shared_ptr<Hub> hub, std::shared_ptr<Post> post, int rank)
        : hub_(std::move(hub)), post_(std::move(post)), rank_(rank) {}

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override {
        check_message(to, hub_->size(), bytes.size(), post_->room());
        check_whole();
        hub_->check_present(rank_, to);
        return post_->put(to, {rank_, tag, {bytes.begin(), bytes.end()}});
    }
    // A sender may post once more between the look into the queue and its end.
    std::optional<Message> poll() override {
        check_whole();
        if (auto message = post_->take(rank_)) {
            return message;
        }
        const int gone = hub_->lowest_gone(forgotten_);
        auto message = gone < 0 ? std::nullopt : post_->take(rank_);
        if (gone >= 0 && !message) {
            hub_->check_present(rank_, gone);
        }
        return message;
    }
    void forget(int rank) override {
        check_forgotten(rank, hub_->size());
        forgotten_.insert(rank);
    }

protected:
    void sleep(std::chrono::milliseconds limit) override {
        post_->wait_for_any(rank_, std::min(limit, look_interval));
    }

private:
    static constexpr std::chrono::milliseconds look_interval{10};  // between looks for losses

    void check_whole() const {
        if (hub_->has_recovered()) {
            throw CommError("mailbox: its communicator has recovered since; open another one");
        }
    }

    std::shared_ptr<Hub> hub_;
    std::shared_ptr<Post> post_;
    int rank_;
    std::set<int> forgotten_;
};

class CommonMemory final : public SharedMemory {
public:
    explicit CommonMemory(std::shared_ptr<AlignedVector<std::byte>> bytes)
        : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept override { return *bytes_; }
    [[nodiscard]] bool is_shared() const noexcept override { return true; }

private:
    std::shared_ptr<AlignedVector<std::byte>> bytes_;
};

void copy_to(std::span<const std::byte> source, std::span<std::byte> target, std::int64_t start) {
    if (!source.empty()) {  // an empty part may start anywhere
        std::ranges::copy(source, target.begin() + start);
    }
}

using Fate = std::function<bool(int rank, std::int64_t collective)>;

/// Ends the thread of a rank that is to vanish; no std::exception, so that nobody takes it for one
/// of the program's.
struct Death {};

/// A rank over all its communicators.
class Life {
public:
    Life(int rank, Fate dies) : rank_(rank), dies_(std::move(dies)) {}
    /// Into the next collective.
    void go_on() {
        if (dies_ && dies_(rank_, collectives_++)) {
            throw Death();
        }
    }

private:
    int rank_;  // at the start
    Fate dies_;
    std::int64_t collectives_ = 0;
};

class InProcessCommunicator final : public Communicator {
public:
    InProcessCommunicator(std::shared_ptr<Hub> hub, int rank, std::shared_ptr<Life> life)
        : hub_(std::move(hub)), rank_(rank), life_(std::move(life)) {}

    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int size() const noexcept override { return hub_->size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "in-process"; }
    [[noreturn]] void abort(int code) override { std::_Exit(code); }
    [[nodiscard]] std::string host(int) const override { return own_host(); }
    [[nodiscard]] bool can_recover() const noexcept override { return true; }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        exchange(stamp, send, [&] {
            for (int rank = 0; rank < size(); ++rank) {
                copy_to(hub_->source(rank), receive, layout.offset(rank) * stamp.width);
            }
        });
    }
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override {
        exchange(stamp, buffer, [&] {
            if (rank_ != root) {
                copy_to(hub_->source(root), buffer, 0);
            }
        });
    }
    void do_barrier(const CallStamp& stamp) override {
        exchange(stamp, {}, [] {});
    }
    std::unique_ptr<Communicator> do_split_local() override {
        return std::make_unique<InProcessCommunicator>(hub_->split(rank_), rank_, life_);
    }
    std::unique_ptr<SharedMemory> do_allocate(std::size_t bytes) override {
        return std::make_unique<CommonMemory>(
            hub_->share<AlignedVector<std::byte>>(rank_, [&] { return zeroed_bytes(bytes); }));
    }
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override {
        auto post = hub_->share<std::shared_ptr<Post>>(
            rank_, [&] { return std::make_shared<Post>(size(), bytes); });
        return std::make_unique<InProcessMailbox>(hub_, *post, rank_);
    }
    std::vector<int> do_recover() override {
        auto survival = hub_->recover(rank_);
        hub_ = std::move(survival.hub);
        rank_ = survival.rank;
        return survival.lost;
    }

private:
    template <typename F>
    void exchange(const CallStamp& stamp, std::span<const std::byte> source, F&& take) {
        life_->go_on();
        const auto start = clock_.now();
        hub_->exchange(rank_, stamp, source, [&] {
            add_wait(clock_.seconds_since(start));
            take();
        });
    }

    std::shared_ptr<Hub> hub_;
    int rank_;
    std::shared_ptr<Life> life_;
    const CallClock& clock_ = CallClock::shared();
};

/// How a rank's body ended.
struct Outcome {
    std::exception_ptr exception;
    bool is_comm_error = false;
};

Outcome run_rank(const std::shared_ptr<Hub>& hub,
                 int rank,
                 const std::function<void(Communicator&)>& body,
                 const Fate& dies) {
    InProcessCommunicator communicator(hub, rank, std::make_shared<Life>(rank, dies));
    try {
        body(communicator);
        hub->leave(rank, "ended");
        return {};
    } catch (const Death&) {
        hub->leave(rank, "vanished");
        return {};
    } catch (const CommError& error) {
        hub->leave(rank, fmt::format("failed ({})", error.what()));
        return {std::current_exception(), true};
    } catch (const std::exception& error) {
        hub->leave(rank, fmt::format("failed ({})", error.what()));
        return {std::current_exception(), false};
    } catch (...) {
        hub->leave(rank, "failed");
        return {std::current_exception(), false};
    }
}

void rethrow_most_telling(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) {
        if (outcome.exception && !outcome.is_comm_error) {
            std::rethrow_exception(outcome.exception);
        }
    }
    for (const Outcome& outcome : outcomes) {
        if (outcome.exception) {
            std::rethrow_exception(outcome.exception);
        }
    }
}

}  // namespace

void run_in_process(int ranks,
                    const std::function<void(Communicator&)>& body,
                    const std::function<bool(int rank, std::int64_t collective)>& dies) {
    if (ranks < 1) {
        throw InputError(fmt::format("ranks is {}, must be 1 or more", ranks));
    }
    const auto hub = std::make_shared<Hub>(ranks);
    std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
    {
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < ranks; ++rank) {
                threads.emplace_back(
                    [&, rank] { outcomes[at(rank)] = run_rank(hub, rank, body, dies); });
            }
        } catch (...) {
            hub->leave(static_cast<int>(threads.size()), "could not be started");
            throw;
        }
    }
    rethrow_most_telling(outcomes);
}

}  // namespace lockstep::comm
