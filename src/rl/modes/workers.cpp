#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/runtime/work_partition.hpp"

#include "rl/exchange/combine.hpp"
#include "rl/exchange/feedback.hpp"
#include "rl/modes/book.hpp"
#include "rl/modes/learning_mode.hpp"
#include "rl/modes/player.hpp"
#include "rl/modes/replica.hpp"
#include "rl/modes/shares.hpp"

namespace lockstep::rl {
namespace {

struct Worker {
    explicit Worker(Player&& own) : player(std::move(own)), book(player.book()) {}

    Player player;

    /// All that its next round depends on, but for what waits; the same on every rank.
    std::vector<std::byte> book;
    Counts counts;
    Delta waiting;  // on the rank that hosts it

    // The pending round.
    Learned next;
    Delta next_waiting;
    std::int64_t changed = 0;
};

class Workers final : public LearningMode {
public:
    explicit Workers(const ModeContext& context)
        : context_(context),
          shape_(shape_of(context.table)),
          ages_(context.options.combine, context.options.workers),
          combiner_(
              context.options.combine, context.options.learning_rate, context.options.workers),
          hosts_(context.options.workers, context.team.ranks.size()),
          replicas_(context.team.threads, [&](int) { return Replica(context.table, ages_); }) {
        if (context.options.compression_ratio > 0) {
            feedback_.emplace(context.options.compression_ratio, context.options.error_feedback);
        }
        for (int w = 0; w < context.options.workers; ++w) {
            workers_.emplace_back(Player(context, w));
        }
    }

    void play(std::int64_t transitions_done) override {
        restore();
        const auto& options = context_.options;
        planned_ = std::min(options.transitions_of_a_round() * options.workers,
                            options.steps - transitions_done);
        context_.team.threads.parallel_for(last() - first(), [&](std::ptrdiff_t i, int thread) {
            play(first() + static_cast<int>(i), replicas_[thread]);
        });
        note_work();
    }

    void exchange() override {
        if (context_.team.ranks.size() > 1) {
            send_and_receive();
        }
    }

    [[nodiscard]] std::int64_t planned() const override { return planned_; }

    void commit() override {
        combine();
        for (Worker& worker : workers_) {
            std::swap(worker.book, worker.next.book);
            std::swap(worker.waiting, worker.next_waiting);
            worker.counts = worker.next.counts;
        }
        if (!feedback_ && !seconds_.empty() && hosts_.learn(std::exchange(seconds_, {}))) {
            is_restored_ = false;
        }
    }

    void drop() override { is_restored_ = false; }

    void repartition() override {
        if (feedback_) {
            throw CommError(
                "the changes that waited on the lost rank are lost with it; resume from "
                "the newest checkpoint");
        }
        hosts_ = runtime::WorkPartition(count(), context_.team.ranks.size());
        seconds_.clear();
        is_restored_ = false;
    }

    [[nodiscard]] Counts counts() const override {
        Counts sum;
        for (const Worker& worker : workers_) {
            sum.add(worker.counts);
        }
        return sum;
    }
    void add_returns(std::vector<double>& returns) const override {
        for (int w = first(); w < last(); ++w) {
            add_last(workers_[at(w)].player.tally(), returns);
        }
    }
    ModeFigures take_figures() override {
        for (int w = first(); w < last(); ++w) {
            for (const double change : workers_[at(w)].waiting.changes) {
                figures_.residual_squares += change * change;
            }
            figures_.residual_entries += static_cast<std::int64_t>(workers_[at(w)].waiting.size());
        }
        return std::exchange(figures_, {});
    }

    void save(ByteWriter& bytes) override {
        const auto waiting = gather_waiting();
        for (int w = 0; w < count(); ++w) {
            bytes.add_array(workers_[at(w)].book);
            bytes.add_array(waiting[at(w)]);
        }
    }
    void load(ByteReader& bytes) override {
        for (Worker& worker : workers_) {
            worker.book = bytes.read_array<std::byte>();
            worker.counts = counts_of(worker.book);
            worker.waiting = decode(bytes.view_array<std::byte>(), shape_.cells());
        }
        is_restored_ = false;
        for (int t = 0; t < replicas_.size(); ++t) {
            replicas_[t] = Replica(context_.table, ages_);
        }
    }

private:
    [[nodiscard]] int count() const { return static_cast<int>(workers_.size()); }
    [[nodiscard]] int first() const {
        return static_cast<int>(hosts_.of(context_.team.ranks.rank()).begin);
    }
    [[nodiscard]] int last() const {
        return static_cast<int>(hosts_.of(context_.team.ranks.rank()).end);
    }

    // Learners stand where their books say, whoever has hosted them.
    void restore() {
        if (std::exchange(is_restored_, true)) {
            return;
        }
        for (Worker& worker : workers_) {
            worker.player.follow(worker.book);
        }
    }

    void note_work() {
        for (int w = first(); w < last(); ++w) {
            const Worker& worker = workers_[at(w)];
            figures_.learn_seconds += worker.next.seconds;
            figures_.transitions += share_of(planned_, w, count());
            figures_.entries_changed += worker.changed;
            figures_.entries_sent += static_cast<std::int64_t>(worker.next.delta.size());
        }
    }

    void play(int w, Replica& replica) {
        Worker& worker = workers_[at(w)];
        Delta& delta = worker.next.delta;
        replica.add(worker.waiting, shape_);
        worker.player.play(share_of(planned_, w, count()), context_, replica, worker.next);
        worker.changed = static_cast<std::int64_t>(delta.size());
        if (feedback_) {
            auto parts = feedback_->split(delta, worker.waiting);
            delta = std::move(parts.travelling);
            worker.next_waiting = std::move(parts.waiting);
        }
    }

    void send_and_receive() {
        ByteWriter mine;
        double seconds = 0;
        for (int w = first(); w < last(); ++w) {
            seconds += workers_[at(w)].next.seconds;
        }
        mine.add(seconds);
        const auto width = feedback_ ? Width::f32 : width_of(context_.options.table_precision);
        for (int w = first(); w < last(); ++w) {
            write(mine, workers_[at(w)].next, width);
        }
        const auto all = comm::gather_list(context_.team.ranks, mine.bytes());
        ByteReader bytes(all);
        seconds_.clear();
        for (int rank = 0; rank < context_.team.ranks.size(); ++rank) {
            seconds_.push_back(bytes.read<double>());
            for (auto w = hosts_.of(rank).begin; w < hosts_.of(rank).end; ++w) {
                if (rank == context_.team.ranks.rank()) {
                    skip_learned(bytes);
                } else {
                    read(bytes, shape_.cells(), workers_[at(w)].next);
                }
            }
        }
    }

    void combine() {
        std::vector<const Delta*> deltas;
        for (const Worker& worker : workers_) {
            deltas.push_back(&worker.next.delta);
        }
        const auto table = context_.table.cells();
        auto& team = context_.team.threads;
        combiner_.apply(deltas, table, shape_.cells(), team);
        team.on_each_thread([&](int thread) {
            for (const Delta* delta : deltas) {
                replicas_[thread].refresh(delta->cells, table);
            }
        });
    }

    // [workers], encoded, on every rank. Collective.
    std::vector<std::vector<std::byte>> gather_waiting() {
        ByteWriter mine;
        for (int w = first(); w < last(); ++w) {
            mine.add_array(encode(workers_[at(w)].waiting, Width::f64));
        }
        const auto all = comm::gather_list(context_.team.ranks, mine.bytes());
        ByteReader bytes(all);
        std::vector<std::vector<std::byte>> waiting;
        for (int w = 0; w < count(); ++w) {
            waiting.push_back(bytes.read_array<std::byte>());
        }
        return waiting;
    }

    ModeContext context_;
    TableShape shape_;
    Ages ages_;
    Combiner combiner_;
    std::optional<Feedback> feedback_;
    runtime::WorkPartition hosts_;
    runtime::PerThread<Replica> replicas_;
    std::vector<Worker> workers_;
    bool is_restored_ = true;
    std::int64_t planned_ = 0;
    std::vector<double> seconds_;  // [ranks], of the pending round
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_workers(const ModeContext& context) {
    return std::make_unique<Workers>(context);
}

}  // namespace lockstep::rl
