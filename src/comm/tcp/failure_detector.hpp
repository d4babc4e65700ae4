#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/base/error.hpp"

#include "comm/tcp/acceptor.hpp"
#include "comm/tcp/heartbeat.hpp"
#include "comm/tcp/membership.hpp"

namespace lockstep::comm::tcp {

/// Why a call cannot go on.
struct Cause {
    int id = -1;          ///< whose fault; -1: nobody's
    std::string what;     ///< "is gone", "ended", …; a whole sentence when it is nobody's
    bool is_loss = true;  ///< the rank is gone, so that the survivors may go on without it
};

/// Another rank is lost, for a reason that is known.
class RankLost : public CommError {
public:
    explicit RankLost(Cause cause);
    [[nodiscard]] const Cause& cause() const noexcept { return cause_; }

private:
    Cause cause_;
};

/// Work of others that the detector's thread does when their descriptors are ready.
class BackgroundTask {
public:
    virtual ~BackgroundTask() = default;
    BackgroundTask() = default;
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;
    virtual void watch(std::vector<pollfd>& entries) = 0;
    virtual void serve() = 0;
};

/// A rank's background thread: opens the acceptor, exchanges heartbeats, knows who is dead. All
/// functions may be called from any thread.
class FailureDetector {
public:
    struct Settings {
        int id = 0;
        int size = 1;
        Secret secret;
        int heartbeat_ms = 2000;
        int dead_after_ms = 10000;
    };
    FailureDetector(Descriptor listener, Settings settings);
    /// Tells the others that this rank ends in good order.
    ~FailureDetector();
    FailureDetector(const FailureDetector&) = delete;
    FailureDetector& operator=(const FailureDetector&) = delete;

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    /// This rank's part of a handshake.
    [[nodiscard]] Hello hello(Purpose purpose) const;

    /// Ranks that ask to become members, with the membership that each knows.
    [[nodiscard]] std::map<int, Hello> joined() const;
    /// Waits until something has changed since `seen`, which it brings up to date.
    void wait_for_change(std::uint64_t& seen, Deadline deadline) const;
    /// Makes the ranks that joined members, and tells them.
    void lead(const Membership& membership);
    /// Makes this rank a member of what another leads.
    void follow(const Membership& membership, Socket leader);
    /// Turns away who has joined.
    void refuse(const Rejection& rejection);
    /// This rank looks for survivors: the others no longer hear of it here.
    void move();

    /// The link that another member opens.
    /// @param ids  members of the communicator
    /// @throws RankLost  it never will
    Socket claim(
        Channel channel, std::uint64_t group, int id, std::span<const int> ids, Deadline deadline);

    /// Tells all ranks.
    void tell(const News& news);
    /// Waits until the news are on their way, or half a second.
    void flush();
    /// Ends the run on all ranks, those too that look for survivors and hear no news.
    void tell_abort(int code);

    /// What is known to keep a call of a communicator from ending.
    /// @param ids  its members
    [[nodiscard]] std::optional<Cause> cause(std::uint64_t group,
                                             std::uint64_t sequence,
                                             std::span<const int> ids) const;
    /// Who has ended the run, if it was ended.
    [[nodiscard]] std::optional<Cause> abort() const;
    /// Why a link to `id` ended; waits a moment for news that say so.
    [[nodiscard]] Cause cause_of_loss(std::uint64_t group, int id, std::span<const int> ids) const;
    /// What has become of a rank, if it is known to be lost.
    [[nodiscard]] std::optional<Loss> loss_of(int id) const;

    /// Rings at news.
    void attach(const std::shared_ptr<Bell>& bell);
    void attach(std::weak_ptr<BackgroundTask> task);
    void wake() const noexcept { wake_.ring(); }
    /// Grows with the news.
    [[nodiscard]] std::uint64_t news_count() const noexcept { return news_count_; }

private:
    struct Fate {
        Tag tag;  // dead, leave or move
        std::string why;
        Loss loss = Loss::gone;
    };
    void run();
    void serve();
    [[nodiscard]] std::vector<Member> members_after_losses() const;
    static Fate fate_by(const News& news);
    void learn(const News& news, int from);
    void start_epoch(const Membership& membership, const Rejection& rejection);
    [[nodiscard]] std::optional<Rejection> judge(const Hello& hello) const;
    [[nodiscard]] std::optional<Rejection> judge_first(const Hello& hello) const;
    [[nodiscard]] std::optional<Cause> known_cause(std::uint64_t group,
                                                   std::uint64_t sequence,
                                                   std::span<const int> ids) const;
    [[nodiscard]] std::optional<Cause> known_abort() const;
    [[nodiscard]] std::optional<Cause> end_of(int id) const;

    Settings settings_;
    Bell wake_;
    std::atomic<std::uint64_t> news_count_ = 0;

    mutable std::mutex mutex_;  // of all below
    mutable std::condition_variable changed_;
    std::uint64_t version_ = 0;
    bool is_ending_ = false;
    Membership membership_;
    Acceptor acceptor_;
    Heartbeat heartbeat_;
    std::map<int, Fate> fates_;
    std::map<std::uint64_t, News> failures_;  // by group
    std::optional<News> abort_;
    std::vector<std::weak_ptr<Bell>> bells_;
    std::vector<std::weak_ptr<BackgroundTask>> tasks_;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace lockstep::comm::tcp
