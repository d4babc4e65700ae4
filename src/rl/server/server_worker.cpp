#include "rl/server/server_worker.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "rl/modes/learning_mode.hpp"
#include "rl/server/shared_table.hpp"

namespace lockstep::rl {
namespace {

// Transitions between two looks at the world outside; learners look up their schedules so often.
constexpr std::int64_t first_piece = 1024;
constexpr double seconds_of_a_piece = 0.2;
constexpr std::size_t most_returns = 16;  // that a push tells

// Pushes of stale workers follow one another, whatever rule combines those of a round.
Ages ages_of(const LearnOptions& options) {
    return {options.staleness == 0 ? options.combine : Combine::composition, options.workers};
}

}  // namespace

ServerWorker::ServerWorker(const World& world,
                           const LearnOptions& options,
                           runtime::ThreadTeam& threads,
                           TableStore& table)
    : world_(world),
      options_(options),
      threads_(threads),
      table_(table),
      shape_{table.planes(), table.states(), table.actions()},
      retention_(options.learning_rate),
      replicas_(threads, [&](int) { return Replica(table, ages_of(options)); }) {
    if (options.compression_ratio > 0) {
        feedback_.emplace(options.compression_ratio, options.error_feedback);
    }
}

void ServerWorker::take(const News& news) {
    take_news(news, table_);
    refresh(news.cells);
}

bool ServerWorker::is_new(const Work& work) const {
    return work.leases.empty() || !last_lease_ || *last_lease_ < work.leases.back().id ||
           last_lease_->session != work.leases.back().id.session;
}

Learner& ServerWorker::learner_of(std::int32_t item) {
    auto& learner = learners_[item];
    if (!learner) {
        learner = world_.learner(options_, static_cast<std::uint32_t>(item), options_.workers);
    }
    return *learner;
}

Push ServerWorker::play(const Work& work, const std::function<void()>& while_playing) {
    take(work.news);
    renew_own(work.acknowledged, work.news);
    if (!work.leases.empty()) {
        last_lease_ = work.leases.back().id;
    }
    std::vector<Learner*> learners;
    for (const Lease& lease : work.leases) {
        learners.push_back(&learner_of(lease.item));
    }
    std::vector<Played> played(work.leases.size());
    threads_.parallel_for(std::ssize(played), [&](std::ptrdiff_t i, int thread) {
        static const std::function<void()> nothing;
        played[at(i)] = play(work.leases[at(i)],
                             work.news.width,
                             *learners[at(i)],
                             replicas_[thread],
                             thread == 0 ? while_playing : nothing);
    });
    Push push;
    push.sequence = ++sequence_;
    for (Played& one : played) {
        note(one);
        keep(push.sequence, one);
        push.results.push_back(std::move(one.result));
    }
    return push;
}

ServerWorker::Played ServerWorker::play(const Lease& lease,
                                        Width width,
                                        Learner& learner,
                                        Replica& replica,
                                        const std::function<void()>& while_playing) const {
    ByteReader state(lease.state);
    const auto own = state.view_array<std::byte>();
    ByteReader learner_state(own);
    learner.load(learner_state);
    const Delta waiting = decode(state.view_array<std::byte>(), shape_.cells());

    replica.add(waiting, shape_);
    Tally tally;
    const Stopwatch clock;
    run(learner, lease.transitions, replica.cells(), tally, while_playing);
    Played played;
    played.result.id = lease.id;
    played.result.seconds = clock.seconds();
    played.result.counts = static_cast<const Counts&>(tally);
    add_last(tally, played.result.returns);
    played.result.returns.resize(std::min(played.result.returns.size(), most_returns));

    Delta delta;
    replica.take_delta(table_.cells(), shape_, delta);
    played.changed = std::ssize(delta.cells);
    Delta still_waiting;
    if (feedback_) {
        auto parts = feedback_->split(delta, waiting);
        delta = std::move(parts.travelling);
        still_waiting = std::move(parts.waiting);
    }
    played.sent = std::ssize(delta.cells);
    if (options_.staleness != 0) {
        make_offsets(delta, played.result.losses);
    }
    played.result.delta = encode(delta, width_for(delta, width));
    if (keeps_own_) {
        played.offsets = decode(played.result.delta, shape_.cells());  // as the server has them
    }
    ByteWriter next_own;
    learner.save(next_own);
    ByteWriter next;
    next.add_array(next_own.bytes());
    next.add_array(encode(still_waiting, Width::f64));
    played.result.state = next.take();
    return played;
}

// As news are; what feedback has rounded, or a table of floats, takes no more.
Width ServerWorker::width_for(const Delta& delta, Width of_news) const {
    if (of_news == Width::scaled) {
        return scaled_if_moderate(delta.changes);
    }
    const bool is_rounded = feedback_ || options_.table_precision == Precision::f32;
    return is_rounded ? narrowest(delta.changes) : Width::f64;
}

// A long lease in pieces, so that the server hears that this worker lives.
void ServerWorker::run(Learner& learner,
                       std::int64_t transitions,
                       const Cells& cells,
                       Tally& tally,
                       const std::function<void()>& while_playing) const {
    const auto known = static_cast<std::int64_t>(rate_ * seconds_of_a_piece);
    const std::int64_t piece = std::max(first_piece, known / first_piece * first_piece);
    while (transitions > 0) {
        const auto next = std::min(transitions, piece);
        learner.run(next, cells, Access::tracked, tally);
        transitions -= next;
        if (while_playing) {
            while_playing();
        }
    }
}

// What the updates do to any value, not only to the one that they met: v becomes left · v + offset.
void ServerWorker::make_offsets(Delta& delta, std::vector<std::uint32_t>& losses) const {
    for (std::size_t i = 0; i < delta.size(); ++i) {
        const std::uint32_t cell = delta.cells[i];
        losses.push_back(loss_of(table_.store().visits()[cell], delta.visits[i]));
        delta.changes[i] += (1 - retention_.left(losses.back())) * table_.store().value(cell);
    }
}

std::uint32_t ServerWorker::loss_of(std::uint32_t before, std::uint32_t visits) const {
    const auto loss = visits > 0 && retention_.is_whole(before) ? Retention::nothing
                                                                : retention_.loss(before, visits);
    return static_cast<std::uint32_t>(std::min(loss, Retention::nothing));
}

// As the server will, to what it has there.
void ServerWorker::compose(const Own& own, std::size_t entry) {
    const std::uint32_t cell = own.offsets.cells[entry];
    CellStore& table = table_.store();
    std::uint32_t& visits = table.visits()[cell];
    table.set_value(
        cell, retention_.left(own.losses[entry]) * table.value(cell) + own.offsets.changes[entry]);
    visits = add_visits(visits, own.offsets.visits[entry]);
}

void ServerWorker::keep(std::int64_t sequence, Played& played) {
    if (!keeps_own_) {
        return;
    }
    own_.push_back({sequence, std::move(played.offsets), played.result.losses});
    for (std::size_t i = 0; i < own_.back().offsets.size(); ++i) {
        compose(own_.back(), i);
    }
    refresh(own_.back().offsets.cells);
}

// News overwrite cells by values that lack what was not acknowledged when they were sent.
void ServerWorker::renew_own(std::int64_t acknowledged, const News& news) {
    while (!own_.empty() && own_.front().sequence <= acknowledged) {
        own_.pop_front();
    }
    for (const Own& own : own_) {
        auto newer = news.cells.begin();
        for (std::size_t i = 0; i < own.offsets.size(); ++i) {
            newer = std::lower_bound(newer, news.cells.end(), own.offsets.cells[i]);
            if (newer != news.cells.end() && *newer == own.offsets.cells[i]) {
                compose(own, i);
            }
        }
        refresh(own.offsets.cells);
    }
}

void ServerWorker::refresh(std::span<const std::uint32_t> cells) {
    threads_.on_each_thread([&](int thread) { replicas_[thread].refresh(cells, table_.cells()); });
}

void ServerWorker::note(Played& played) {
    const auto& counts = played.result.counts;
    figures_.seconds += played.result.seconds;
    figures_.transitions += counts.transitions;
    figures_.entries_changed += played.changed;
    figures_.entries_sent += played.sent;
    if (played.result.seconds > 0) {
        rate_ = static_cast<double>(counts.transitions) / played.result.seconds;
    }
}

ServerWorker::Figures ServerWorker::take_figures() {
    return std::exchange(figures_, {});
}

}  // namespace lockstep::rl
