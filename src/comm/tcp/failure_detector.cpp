#include "comm/tcp/failure_detector.hpp"

#include <algorithm>
#include <csignal>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "comm/abi_stamp.hpp"
#include "comm/backends.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr auto any_call = std::numeric_limits<std::uint64_t>::max();
constexpr auto patience_for_news = std::chrono::milliseconds(300);
constexpr auto longest_flush = std::chrono::milliseconds(500);

Rejection excluded() {
    return {Reason::excluded, "the other ranks have gone on without this one"};
}

template <typename T>
void drop_expired(std::vector<std::weak_ptr<T>>& pointers) {
    std::erase_if(pointers, [](const auto& pointer) { return pointer.expired(); });
}

}  // namespace

RankLost::RankLost(Cause cause)
    : CommError(cause.id < 0 ? "tcp: " + cause.what
                             : fmt::format("tcp: rank {} {}", cause.id, cause.what)),
      cause_(std::move(cause)) {}

FailureDetector::FailureDetector(Descriptor listener, Settings settings)
    : settings_(std::move(settings)),
      acceptor_(std::move(listener),
                settings_.secret,
                [this](const Hello& hello) { return judge(hello); }),
      heartbeat_(settings_.heartbeat_ms, settings_.dead_after_ms),
      thread_([this] { run(); }) {}

FailureDetector::~FailureDetector() {
    tell({Tag::leave, settings_.id, 0, 0, "ended"});
    flush();
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    wake();
    thread_.join();
}

Hello FailureDetector::hello(Purpose purpose) const {
    Hello hello;
    hello.purpose = purpose;
    hello.id = static_cast<std::uint32_t>(settings_.id);
    hello.size = static_cast<std::uint32_t>(settings_.size);
    hello.layout = raw_layout();
    hello.nonce = draw_nonce();
    const std::lock_guard lock(mutex_);
    hello.epoch = membership_.epoch;
    return hello;
}

std::map<int, Hello> FailureDetector::joined() const {
    const std::lock_guard lock(mutex_);
    std::map<int, Hello> ranks;
    for (const auto& [id, joined] : acceptor_.joined()) {
        ranks.emplace(id, joined.hello);
    }
    return ranks;
}

void FailureDetector::wait_for_change(std::uint64_t& seen, Deadline deadline) const {
    std::unique_lock lock(mutex_);
    const auto is_new = [&] { return version_ != seen; };
    if (deadline == no_deadline) {
        changed_.wait(lock, is_new);
    } else {
        changed_.wait_until(lock, deadline, is_new);
    }
    seen = version_;
}

void FailureDetector::lead(const Membership& membership) {
    const Bytes frame = frame_bytes({Tag::membership}, pack(membership));
    {
        const std::lock_guard lock(mutex_);
        heartbeat_.disconnect();
        std::vector<int> hung_up;
        for (const Member& member : membership.members) {
            const auto joined = acceptor_.joined().find(member.id);
            if (joined == acceptor_.joined().end()) {
                hung_up.push_back(member.id);
                continue;
            }
            heartbeat_.connect(member.id, std::move(joined->second.socket));
            heartbeat_.send(member.id, frame);
            acceptor_.joined().erase(joined);
        }
        start_epoch(membership, excluded());
        for (const int id : hung_up) {
            if (id != settings_.id) {
                fates_.emplace(id, Fate{Tag::dead, "is gone", Loss::gone});
            }
        }
    }
    wake();
}

void FailureDetector::follow(const Membership& membership, Socket leader) {
    {
        const std::lock_guard lock(mutex_);
        heartbeat_.disconnect();
        heartbeat_.connect(membership.members.front().id, std::move(leader));
        start_epoch(membership, excluded());
    }
    wake();
}

void FailureDetector::refuse(const Rejection& rejection) {
    const std::lock_guard lock(mutex_);
    acceptor_.start_epoch(membership_.epoch, rejection);
}

void FailureDetector::start_epoch(const Membership& membership, const Rejection& rejection) {
    membership_ = membership;
    fates_.clear();
    failures_.clear();
    acceptor_.start_epoch(membership.epoch, rejection);
}

void FailureDetector::move() {
    tell({Tag::move, settings_.id, 0, 0, "looks for the survivors of a loss"});
    flush();
    const std::lock_guard lock(mutex_);
    heartbeat_.disconnect();
}

Socket FailureDetector::claim(
    Channel channel, std::uint64_t group, int id, std::span<const int> ids, Deadline deadline) {
    std::unique_lock lock(mutex_);
    while (true) {
        if (auto socket = acceptor_.claim(channel, group, id)) {
            return std::move(*socket);
        }
        if (auto cause = known_cause(group, any_call, ids)) {
            throw RankLost(*cause);
        }
        if (auto cause = end_of(id)) {
            throw RankLost(*cause);
        }
        if (Clock::now() >= deadline) {
            throw CommError(fmt::format("tcp: rank {} does not connect in time", id));
        }
        changed_.wait_until(lock, std::min(deadline, after_ms(1000)));
    }
}

void FailureDetector::tell(const News& news) {
    {
        const std::lock_guard lock(mutex_);
        if (news.tag == Tag::failure) {
            failures_.emplace(news.group, news);
        }
        heartbeat_.spread(news);
    }
    wake();
}

void FailureDetector::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, longest_flush, [this] { return !heartbeat_.has_output(); });
}

// Who has moved hears no news, but its acceptor is open.
void FailureDetector::tell_abort(int code) {
    tell({Tag::abort, settings_.id, 0, static_cast<std::uint64_t>(code & 0xff), ""});
    flush();
    const Deadline deadline = Clock::now() + longest_flush;
    Hello visit = hello(Purpose::abort);
    visit.group = static_cast<std::uint64_t>(code & 0xff);
    for (const Member& member : members_after_losses()) {
        try {
            introduce(
                Socket::connect(address_of(member), deadline), visit, settings_.secret, deadline);
        } catch (const CommError&) {
            continue;  // it is gone, or knows already
        }
    }
}

// The other members; none while all are whole.
std::vector<Member> FailureDetector::members_after_losses() const {
    const std::lock_guard lock(mutex_);
    std::vector<Member> members;
    for (const Member& member : membership_.members) {
        if (!fates_.empty() && member.id != settings_.id) {
            members.push_back(member);
        }
    }
    return members;
}

std::optional<Cause> FailureDetector::cause(std::uint64_t group,
                                            std::uint64_t sequence,
                                            std::span<const int> ids) const {
    const std::lock_guard lock(mutex_);
    return known_cause(group, sequence, ids);
}

std::optional<Cause> FailureDetector::known_cause(std::uint64_t group,
                                                  std::uint64_t sequence,
                                                  std::span<const int> ids) const {
    if (auto abort = known_abort()) {
        return abort;
    }
    const auto failure = failures_.find(group);
    if (failure != failures_.end() && failure->second.sequence <= sequence) {
        return Cause{failure->second.id, failure->second.why};
    }
    for (const int id : ids) {
        const auto fate = fates_.find(id);
        if (fate != fates_.end() && fate->second.tag == Tag::dead) {
            return Cause{id, fate->second.why};
        }
    }
    return {};
}

std::optional<Cause> FailureDetector::abort() const {
    const std::lock_guard lock(mutex_);
    return known_abort();
}

std::optional<Cause> FailureDetector::known_abort() const {
    if (!abort_) {
        return {};
    }
    return Cause{abort_->id, fmt::format("ended the run with code {}", abort_->sequence), false};
}

std::optional<Cause> FailureDetector::end_of(int id) const {
    const auto fate = fates_.find(id);
    return fate == fates_.end() ? std::optional<Cause>() : Cause{id, fate->second.why};
}

Cause FailureDetector::cause_of_loss(std::uint64_t group, int id, std::span<const int> ids) const {
    std::unique_lock lock(mutex_);
    std::optional<Cause> cause;
    changed_.wait_for(lock, patience_for_news, [&] {
        cause = known_cause(group, any_call, ids);
        if (!cause) {
            cause = end_of(id);
        }
        return cause.has_value();
    });
    return cause ? *cause : Cause{id, "has closed the connection"};
}

std::optional<Loss> FailureDetector::loss_of(int id) const {
    const std::lock_guard lock(mutex_);
    const auto fate = fates_.find(id);
    if (fate == fates_.end() || fate->second.tag == Tag::move) {
        return {};
    }
    return fate->second.loss;
}

void FailureDetector::attach(const std::shared_ptr<Bell>& bell) {
    const std::lock_guard lock(mutex_);
    drop_expired(bells_);
    bells_.push_back(bell);
}

void FailureDetector::attach(std::weak_ptr<BackgroundTask> task) {
    const std::lock_guard lock(mutex_);
    drop_expired(tasks_);
    tasks_.push_back(std::move(task));
}

void FailureDetector::run() {
    // Signals are for the threads that know what to do with them.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    std::vector<pollfd> entries;
    while (true) {
        entries.assign(1, {wake_.fd(), POLLIN, 0});
        Deadline wake_up;
        {
            const std::lock_guard lock(mutex_);
            if (is_ending_) {
                return;
            }
            acceptor_.watch(entries);
            heartbeat_.watch(entries);
            for (const auto& task : tasks_) {
                if (const auto held = task.lock()) {
                    held->watch(entries);
                }
            }
            wake_up = heartbeat_.next_beat();
        }
        poll(entries.data(), entries.size(), slice_ms(wake_up));
        wake_.silence();
        const std::lock_guard lock(mutex_);
        serve();
    }
}

void FailureDetector::serve() {
    acceptor_.serve();
    if (const auto visit = acceptor_.take_abort()) {
        learn({Tag::abort, static_cast<int>(visit->id), 0, visit->group, ""},
              static_cast<int>(visit->id));
    }
    for (const auto& task : tasks_) {
        if (const auto held = task.lock()) {
            held->serve();
        }
    }
    for (const auto& [from, news] : heartbeat_.serve()) {
        learn(news, from);
    }
    ++version_;
    changed_.notify_all();
}

FailureDetector::Fate FailureDetector::fate_by(const News& news) {
    const bool is_cut_off = news.tag == Tag::dead && news.sequence != 0;
    return {news.tag, news.why, is_cut_off ? Loss::cut_off : Loss::gone};
}

// Rank 0 hears all and passes it on.
void FailureDetector::learn(const News& news, int from) {
    switch (news.tag) {
        case Tag::failure:
            failures_.emplace(news.group, news);
            break;
        case Tag::abort:
            abort_ = news;
            break;
        case Tag::dead:
            // The end of a connection says nothing new of a rank that has said that it ends.
            if (!fates_.emplace(news.id, fate_by(news)).second) {
                return;
            }
            break;
        default:
            fates_.emplace(news.id, fate_by(news));
    }
    if (!membership_.members.empty() && membership_.members.front().id == settings_.id) {
        heartbeat_.spread(news, from);
    }
    ++news_count_;
    for (const auto& bell : bells_) {
        if (const auto held = bell.lock()) {
            held->ring();
        }
    }
}

std::optional<Rejection> FailureDetector::judge(const Hello& hello) const {
    if (hello.layout != raw_layout()) {
        return Rejection{Reason::layout_differs,
                         fmt::format("rank {} runs another program than rank {}, but all must run "
                                     "the same; rank {}: {}; rank {}: {}",
                                     hello.id,
                                     settings_.id,
                                     settings_.id,
                                     raw_layout(),
                                     hello.id,
                                     hello.layout)};
    }
    if (membership_.members.empty()) {
        return judge_first(hello);
    }
    const bool belongs = membership_.rank_of(static_cast<int>(hello.id)) >= 0;
    if (hello.purpose == Purpose::join && hello.epoch == 0) {
        return Rejection{Reason::begun,
                         fmt::format("all {} ranks of that run have met already: is rank {} "
                                     "started twice?",
                                     settings_.size,
                                     hello.id)};
    }
    return belongs ? std::optional<Rejection>() : excluded();
}

std::optional<Rejection> FailureDetector::judge_first(const Hello& hello) const {
    if (std::cmp_not_equal(hello.size, settings_.size)) {
        return Rejection{Reason::bad_size,
                         fmt::format("rank {} was started for {} ranks, rank {} for {}",
                                     hello.id,
                                     hello.size,
                                     settings_.id,
                                     settings_.size)};
    }
    if (std::cmp_greater_equal(hello.id, settings_.size)) {
        return Rejection{
            Reason::bad_rank,
            fmt::format(
                "rank {} of {}: must be 0 to {}", hello.id, settings_.size, settings_.size - 1)};
    }
    if (std::cmp_equal(hello.id, settings_.id) ||
        (hello.purpose == Purpose::join &&
         acceptor_.joined().contains(static_cast<int>(hello.id)))) {
        return Rejection{Reason::duplicate_rank, fmt::format("rank {} is started twice", hello.id)};
    }
    return {};
}

}  // namespace lockstep::comm::tcp
