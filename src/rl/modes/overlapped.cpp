#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/courier.hpp"
#include "lockstep/runtime/work_partition.hpp"

#include "rl/exchange/combine.hpp"
#include "rl/exchange/staleness.hpp"
#include "rl/modes/book.hpp"
#include "rl/modes/learning_mode.hpp"
#include "rl/modes/player.hpp"
#include "rl/modes/replica.hpp"
#include "rl/modes/shares.hpp"

namespace lockstep::rl {
namespace {

// Between two spans all ranks meet: for reports, checkpoints and the wish to stop. A part of the
// machine, not of the problem: what is under way then stays so.
constexpr std::int64_t rounds_of_a_span = 16;
constexpr std::chrono::milliseconds longest_wait{50};

enum Letter : std::uint32_t { learned = 1, stop = 2 };

/// Another rank cannot go on.
struct Stopped {};

/// As Workers, but what came of a round travels while the next one is played: so that is played
/// from a table which lacks it, and a rank waits only for one that is more than a round behind.
///
/// A span that was cut short by the loss of a rank is played again from where it began; then every
/// rank has all that travels.
class Overlapped final : public LearningMode {
public:
    explicit Overlapped(const ModeContext& context)
        : context_(context),
          shape_(shape_of(context.table)),
          ages_(context.options.combine, context.options.workers),
          combiner_(
              context.options.combine, context.options.learning_rate, context.options.workers),
          hosts_(context.options.workers, context.team.ranks.size()),
          replicas_(context.team.threads, [&](int) { return Replica(context.table, ages_); }),
          playing_(at(context.options.workers)) {
        for (int w = 0; w < context.options.workers; ++w) {
            players_.emplace_back(context, w);
            travelling_.push_back({players_.back().book(), {}, {}, 0});
        }
        connect();
    }

    void play(std::int64_t transitions_done) override {
        planned_ = std::min(rounds_of_a_span * transitions_of_a_round(),
                            context_.options.steps - transitions_done);
        seconds_.assign(at(context_.team.ranks.size()), 0);
        keep();
    }
    [[nodiscard]] std::int64_t planned() const override { return planned_; }
    [[nodiscard]] std::int64_t rounds() const override {
        return (planned_ + transitions_of_a_round() - 1) / transitions_of_a_round();
    }

    void exchange() override {
        std::exception_ptr failure;
        try {
            play_span();
            send_all();
        } catch (const comm::PeerFailed&) {
            // Who is lost is told by the exchange that follows.
        } catch (const Stopped&) {
            stop_all();  // and that rank says why
        } catch (...) {
            failure = std::current_exception();
            stop_all();
        }
        comm::agree(context_.team.ranks, [&] {
            if (failure) {
                std::rethrow_exception(failure);
            }
        });
    }

    void commit() override {
        if (!seconds_.empty() && hosts_.learn(std::exchange(seconds_, {}))) {
            is_restored_ = false;
        }
    }

    void drop() override {
        context_.table.store() = kept_.table;
        travelling_ = kept_.travelling;
        moved_ = kept_.moved;
        renew();
    }
    void repartition() override {
        hosts_ = runtime::WorkPartition(count(), context_.team.ranks.size());
        connect();
        seconds_.clear();
        is_restored_ = false;
    }
    void finish() override { combine(); }

    [[nodiscard]] Counts counts() const override {
        Counts sum;
        for (const Learned& one : travelling_) {
            sum.add(one.counts);
        }
        return sum;
    }
    void add_returns(std::vector<double>& returns) const override {
        for (int w = first(); w < last(); ++w) {
            add_last(players_[at(w)].tally(), returns);
        }
    }
    ModeFigures take_figures() override { return std::exchange(figures_, {}); }
    void describe(LearnReport& report) override {
        for (LearnRankReport& rank : report.ranks) {
            rank.table_version = std::max<std::int64_t>(0, report.round - 1);
        }
        report.staleness = staleness_of({0, (report.round - reported_) * count()});
        reported_ = report.round;
    }

    void save(ByteWriter& bytes) override {
        for (const Learned& one : travelling_) {
            write(bytes, one, Width::f64);
        }
        bytes.add_array(encode(moved_, Width::f64));
    }
    void load(ByteReader& bytes) override {
        for (Learned& one : travelling_) {
            read(bytes, shape_.cells(), one);
        }
        moved_ = decode(bytes.view_array<std::byte>(), shape_.cells());
        renew();
    }

private:
    /// What drop() goes back to.
    struct Kept {
        CellStore table;
        std::vector<Learned> travelling;
        Delta moved;
    };

    [[nodiscard]] int count() const { return context_.options.workers; }
    [[nodiscard]] int own_rank() const { return context_.team.ranks.rank(); }
    [[nodiscard]] int first() const { return static_cast<int>(hosts_.of(own_rank()).begin); }
    [[nodiscard]] int last() const { return static_cast<int>(hosts_.of(own_rank()).end); }
    [[nodiscard]] std::int64_t transitions_of_a_round() const {
        return context_.options.transitions_of_a_round() * count();
    }

    // Collective.
    void connect() {
        courier_.emplace(context_.team.ranks);
        received_.assign(at(context_.team.ranks.size()), {});
        is_stopped_.assign(at(context_.team.ranks.size()), false);
    }
    void keep() {
        if (context_.team.ranks.can_recover() && context_.team.ranks.size() > 1) {
            kept_.table = context_.table.store();
            kept_.travelling = travelling_;
            kept_.moved = moved_;
        }
    }
    void renew() {
        is_restored_ = false;
        for (int t = 0; t < replicas_.size(); ++t) {
            replicas_[t] = Replica(context_.table, ages_);
        }
    }
    // Players stand where their books say, whoever has hosted them.
    void restore() {
        if (!std::exchange(is_restored_, true)) {
            for (int w = first(); w < last(); ++w) {
                players_[at(w)].follow(travelling_[at(w)].book);
            }
        }
    }

    void play_span() {
        restore();
        for (std::int64_t left = planned_; left > 0;) {
            const auto transitions = std::min(left, transitions_of_a_round());
            play_round(transitions);
            send();
            if (left != planned_) {
                receive();
            }
            combine();
            std::swap(travelling_, playing_);
            left -= transitions;
        }
        receive();
    }

    void play_round(std::int64_t transitions) {
        context_.team.threads.parallel_for(last() - first(), [&](std::ptrdiff_t i, int thread) {
            const int w = first() + static_cast<int>(i);
            players_[at(w)].play(
                share_of(transitions, w, count()), context_, replicas_[thread], playing_[at(w)]);
            if (thread == 0) {
                help_along();
            }
        });
        for (int w = first(); w < last(); ++w) {
            const Learned& one = playing_[at(w)];
            figures_.learn_seconds += one.seconds;
            figures_.transitions += share_of(transitions, w, count());
            figures_.entries_changed += std::ssize(one.delta.cells);
            figures_.entries_sent += std::ssize(one.delta.cells);
            seconds_[at(own_rank())] += one.seconds;
        }
    }

    // To all others.
    void post(Letter kind, const std::vector<std::byte>& bytes) {
        for (int rank = 0; rank < context_.team.ranks.size(); ++rank) {
            if (rank != own_rank()) {
                courier_->send(rank, kind, bytes);
            }
        }
        courier_->flush();
    }
    void send() {
        if (context_.team.ranks.size() == 1) {
            return;
        }
        ByteWriter mine;
        mine.add(seconds_[at(own_rank())]);
        for (int w = first(); w < last(); ++w) {
            write(mine, playing_[at(w)], width_of(context_.options.table_precision));
        }
        figures_.bytes_sent += std::ssize(mine.bytes());
        post(learned, mine.bytes());
    }

    // What travels meanwhile needs a push now and then.
    void help_along() {
        courier_->flush();
        listen(std::chrono::milliseconds(0));
    }
    void listen(std::chrono::milliseconds limit) {
        if (context_.team.ranks.size() == 1) {
            return;
        }
        if (auto letter = courier_->wait(limit)) {
            if (letter->kind == stop) {
                is_stopped_[at(letter->from)] = true;
            } else {
                received_[at(letter->from)].push_back(std::move(letter->payload));
            }
        }
    }
    void wait() {
        const Stopwatch clock;
        courier_->flush();
        listen(courier_->has_output() ? std::chrono::milliseconds(1) : longest_wait);
        figures_.wait_seconds += clock.seconds();
    }

    // What others learned in the round that travels.
    void receive() {
        for (int rank = 0; rank < context_.team.ranks.size(); ++rank) {
            if (rank == own_rank()) {
                continue;
            }
            while (received_[at(rank)].empty()) {
                wait();
                if (std::ranges::count(is_stopped_, true) > 0) {
                    throw Stopped();
                }
            }
            unpack(rank, received_[at(rank)].front());
            received_[at(rank)].pop_front();
        }
    }
    void unpack(int rank, const std::vector<std::byte>& letter) {
        ByteReader bytes(letter);
        seconds_[at(rank)] = bytes.read<double>();
        for (auto w = hosts_.of(rank).begin; w < hosts_.of(rank).end; ++w) {
            read(bytes, shape_.cells(), travelling_[at(w)]);
        }
    }
    // Before a collective: nobody would push on what still waits for room.
    void send_all() {
        while (courier_->has_output()) {
            wait();
        }
    }
    // Who cannot go on says so; who hears it says the same, and all meet.
    void stop_all() {
        try {
            post(stop, {});
            is_stopped_[at(own_rank())] = true;
            while (courier_->has_output() || std::ranges::count(is_stopped_, false) > 0) {
                wait();
            }
        } catch (const comm::PeerFailed&) {
            // As in exchange().
        }
    }

    void combine() {
        std::vector<const Delta*> deltas;
        for (const Learned& one : travelling_) {
            deltas.push_back(&one.delta);
        }
        const auto table = context_.table.cells();
        auto& team = context_.team.threads;
        combiner_.apply(deltas, table, shape_.cells(), team, moved_);
        team.on_each_thread([&](int thread) { replicas_[thread].refresh(moved_.cells, table); });
    }

    ModeContext context_;
    TableShape shape_;
    Ages ages_;
    Combiner combiner_;
    runtime::WorkPartition hosts_;
    runtime::PerThread<Replica> replicas_;
    std::vector<Player> players_;

    // [workers]; both hold what this rank hosts, and what has come of the others.
    std::vector<Learned> travelling_;  // of the round before: not in the table yet
    std::vector<Learned> playing_;
    Delta moved_;  // what the table has changed since the round that travels began
    bool is_restored_ = true;
    std::int64_t planned_ = 0;
    Kept kept_;

    std::optional<runtime::Courier> courier_;
    std::vector<std::deque<std::vector<std::byte>>> received_;  // [ranks], not looked at yet
    std::vector<bool> is_stopped_;                              // [ranks]
    std::vector<double> seconds_;                               // [ranks], of the span
    ModeFigures figures_;
    std::int64_t reported_ = 0;  // round
};

}  // namespace

std::unique_ptr<LearningMode> make_overlapped(const ModeContext& context) {
    return std::make_unique<Overlapped>(context);
}

}  // namespace lockstep::rl
