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
          hosts_(context.options.workers, context.team.ranks.size()) {
        if (context.options.compression_ratio > 0) {
            feedback_.emplace(context.options.compression_ratio, context.options.error_feedback);
        }
        for (int w = 0; w < context.options.workers; ++w) {
            workers_.emplace_back(Player(context, w));
        }
    }

    // The ranks of a node hold the table once. If one was lost while the others wrote a round, they
    // write all of it now: cells as they are to be, so it does not matter which were written.
    // Replicas are made once ranks have let go of the tables that they began with.
    void settle() override {
        if (is_settled_) {
            return;
        }
        context_.table.move_to(context_.team.node(), [&](CellStore& table) { complete(table); });
        pending_ = Pending::nothing;
        replicas_.emplace(context_.team.threads,
                          [&](int) { return Replica(context_.table, ages_); });
        is_settled_ = true;
    }

    void play(std::int64_t transitions_done) override {
        restore();
        const auto& options = context_.options;
        planned_ = std::min(options.transitions_of_a_round() * options.workers,
                            options.steps - transitions_done);
        context_.team.threads.parallel_for(last() - first(), [&](std::ptrdiff_t i, int thread) {
            play(first() + static_cast<int>(i), (*replicas_)[thread]);
        });
        note_work();
    }

    void exchange() override {
        if (context_.team.ranks.size() > 1) {
            send_and_receive();
        }
        if (context_.table.is_shared()) {
            combiner_.prepare(
                deltas(), context_.table.cells(), shape_.cells(), context_.team.threads, prepared_);
            pending_ = Pending::prepared;
        } else {
            pending_ = Pending::deltas;
        }
    }

    [[nodiscard]] std::int64_t planned() const override { return planned_; }

    void commit() override {
        for (Worker& worker : workers_) {
            std::swap(worker.book, worker.next.book);
            std::swap(worker.waiting, worker.next_waiting);
            worker.counts = worker.next.counts;
        }
        if (!feedback_ && !seconds_.empty() && hosts_.learn(std::exchange(seconds_, {}))) {
            is_restored_ = false;
        }
        combine();
    }

    void drop() override {
        is_restored_ = false;
        pending_ = Pending::nothing;
    }

    void repartition() override {
        if (feedback_) {
            throw CommError(
                "the changes that waited on the lost rank are lost with it; resume from "
                "the newest checkpoint");
        }
        hosts_ = runtime::WorkPartition(count(), context_.team.ranks.size());
        seconds_.clear();
        is_restored_ = false;
        is_settled_ = false;
    }

    void finish() override { replicas_.reset(); }

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
    }

private:
    /// What the table lacks of the round that was exchanged.
    enum class Pending {
        nothing,
        deltas,    ///< of all workers
        prepared,  ///< the cells, as they are to be
    };

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

    [[nodiscard]] std::vector<const Delta*> deltas() const {
        std::vector<const Delta*> all;
        for (const Worker& worker : workers_) {
            all.push_back(&worker.next.delta);
        }
        return all;
    }

    void combine() {
        if (pending_ == Pending::nothing) {
            return;  // settle() has done it
        }
        if (pending_ == Pending::prepared) {
            write_own_parts();
        } else {
            complete(context_.table.store());
        }
        pending_ = Pending::nothing;
        refresh();
    }

    // Each rank of the node writes some parts.
    void write_own_parts() {
        const auto node = context_.team.node();
        const auto own = runtime::block_of(Combiner::cell_parts, node->rank(), node->size());
        context_.team.threads.parallel_for(own.size(), [&](std::ptrdiff_t i, int) {
            context_.table.store().write(prepared_[at(own.begin + i)]);
        });
        context_.table.publish();
    }

    // All of the round, by this rank alone.
    void complete(CellStore& table) {
        if (pending_ == Pending::prepared) {
            std::ranges::for_each(prepared_, [&](const CellList& part) { table.write(part); });
        } else if (pending_ == Pending::deltas) {
            combiner_.apply(deltas(), table.cells(), shape_.cells(), context_.team.threads);
        }
    }

    void refresh() {
        const auto table = context_.table.cells();
        context_.team.threads.on_each_thread([&](int thread) {
            for (const Worker& worker : workers_) {
                (*replicas_)[thread].refresh(worker.next.delta.cells, table);
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
    std::optional<runtime::PerThread<Replica>> replicas_;  // once settled
    std::vector<Worker> workers_;
    bool is_restored_ = true;
    bool is_settled_ = false;
    Pending pending_ = Pending::nothing;
    std::vector<CellList> prepared_;  // [Combiner::cell_parts], of a table that is shared
    std::int64_t planned_ = 0;
    std::vector<double> seconds_;  // [ranks], of the pending round
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_workers(const ModeContext& context) {
    return std::make_unique<Workers>(context);
}

}  // namespace lockstep::rl
