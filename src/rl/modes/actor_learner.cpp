#include <algorithm>
#include <deque>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/runtime/work_partition.hpp"

#include "rl/exchange/delta.hpp"
#include "rl/exchange/transition_bytes.hpp"
#include "rl/modes/batch_learner.hpp"
#include "rl/modes/book.hpp"
#include "rl/modes/learning_mode.hpp"

namespace lockstep::rl {
namespace {

constexpr int environments_of_a_group = 8;

/// Environments that one thread plays. Groups are part of the problem; ranks only host them.
struct Group {
    std::unique_ptr<Actors> actors;
    std::size_t environments = 0;
    Tally tally;

    std::vector<std::byte> book;  ///< all that its next round depends on; the same on every rank
    Counts counts;

    // The pending round.
    std::vector<std::byte> next_book;
    std::vector<Transition> transitions;
    double seconds = 0;
};

/// What actors act on: the table as it was some rounds ago.
class ActingTable {
public:
    /// @param lag  rounds
    ActingTable(TableStore& table, int lag)
        : table_(table),
          lag_(lag),
          shape_{table.planes(), table.states(), table.actions()},
          touched_((at(table.states()) + 63) / 64) {
        reset();
    }

    [[nodiscard]] Cells cells() noexcept { return lag_ == 0 ? table_.cells() : store_.cells(); }
    [[nodiscard]] std::uint64_t* touched() noexcept { return touched_.data(); }

    /// The table has taken up a round, whose states are touched.
    void advance() {
        if (lag_ == 0) {
            return;
        }
        take_states(pending_.emplace_back());
        if (pending_.size() > at(lag_)) {
            apply(pending_.front());
            pending_.pop_front();
        }
    }

    void save(ByteWriter& bytes) const {
        store_.save(bytes, 0, store_.size());
        bytes.add(static_cast<std::uint64_t>(pending_.size()));
        for (const Rows& rows : pending_) {
            bytes.add_array(rows.cells);
            bytes.add_array(rows.values);
            bytes.add_array(rows.visits);
        }
    }
    void load(ByteReader& bytes) {
        store_.load(bytes, 0, store_.size());
        pending_.clear();
        for (auto count = bytes.read<std::uint64_t>(); count > 0; --count) {
            auto& rows = pending_.emplace_back();
            rows.cells = bytes.read_array<std::uint32_t>();
            rows.values = bytes.read_array<double>();
            rows.visits = bytes.read_array<std::uint32_t>();
        }
    }

private:
    /// Cells as they are after a round.
    struct Rows {
        std::vector<std::uint32_t> cells;
        std::vector<double> values;
        std::vector<std::uint32_t> visits;
    };

    void reset() {
        if (lag_ > 0) {
            store_ = table_.store();
        }
    }

    void take_states(Rows& rows) {
        for_each_touched_cell(touched_, shape_, [&](std::uint32_t cell) {
            rows.cells.push_back(cell);
            rows.values.push_back(table_.store().value(cell));
            rows.visits.push_back(table_.store().visits()[cell]);
        });
        std::fill(touched_.begin(), touched_.end(), 0);
    }
    void apply(const Rows& rows) {
        for (std::size_t i = 0; i < rows.cells.size(); ++i) {
            store_.set_value(rows.cells[i], rows.values[i]);
            store_.visits()[rows.cells[i]] = rows.visits[i];
        }
    }

    TableStore& table_;
    int lag_;
    TableShape shape_;
    std::vector<std::uint64_t> touched_;
    CellStore store_;
    std::deque<Rows> pending_;
};

/// Transitions travel to every rank, where the same learner takes them up in the same order; tables
/// never do.
class ActorLearner final : public LearningMode {
public:
    explicit ActorLearner(const ModeContext& context)
        : context_(context),
          groups_(at((context.options.batch_size + environments_of_a_group - 1) /
                     environments_of_a_group)),
          hosts_(count(), context.team.ranks.size()),
          learner_(context.world, context.options, context.table),
          acting_(context.table, context.options.staleness) {
        for (int g = 0; g < count(); ++g) {
            const int first = g * environments_of_a_group;
            Group& group = groups_[at(g)];
            group.environments =
                at(std::min(environments_of_a_group, context.options.batch_size - first));
            group.actors = context.world.actors(context.options,
                                                static_cast<std::uint32_t>(first),
                                                group.environments,
                                                context.options.batch_size);
            group.book = book_of(group.tally, *group.actors);
        }
        if (context.options.staleness > 0) {
            learner_.track(acting_.touched());
        }
    }

    void play(std::int64_t transitions_done) override {
        restore();
        const std::int64_t batch = context_.options.batch_size;
        const auto left = (context_.options.steps - transitions_done + batch - 1) / batch;
        planned_ = std::min(context_.options.transitions_of_a_round(), left);
        done_ = transitions_done;
        const auto mine = hosts_.of(context_.team.ranks.rank());
        context_.team.threads.parallel_for(mine.size(), [&](std::ptrdiff_t i, int) {
            const Stopwatch clock;
            Group& group = groups_[at(mine.begin + i)];
            group.transitions.resize(at(planned_) * group.environments);
            group.actors->play(planned_, acting_.cells(), group.transitions, group.tally);
            group.next_book = book_of(group.tally, *group.actors);
            group.seconds = clock.seconds();
        });
        for (auto g = mine.begin; g < mine.end; ++g) {
            figures_.learn_seconds += groups_[at(g)].seconds;
            figures_.transitions += static_cast<std::int64_t>(groups_[at(g)].transitions.size());
        }
    }

    void exchange() override {
        if (context_.team.ranks.size() == 1) {
            return;
        }
        ByteWriter mine;
        const auto own = hosts_.of(context_.team.ranks.rank());
        for (auto g = own.begin; g < own.end; ++g) {
            mine.add_array(groups_[at(g)].next_book);
            mine.add_array(encode(groups_[at(g)].transitions, groups_[at(g)].environments));
        }
        const auto all = comm::gather_list(context_.team.ranks, mine.bytes());
        ByteReader bytes(all);
        for (int rank = 0; rank < context_.team.ranks.size(); ++rank) {
            for (auto g = hosts_.of(rank).begin; g < hosts_.of(rank).end; ++g) {
                receive(groups_[at(g)], bytes, rank == context_.team.ranks.rank());
            }
        }
    }

    [[nodiscard]] std::int64_t planned() const override {
        return planned_ * context_.options.batch_size;
    }

    void commit() override {
        const Stopwatch clock;
        std::vector<Transition> step;
        for (std::int64_t t = 0; t < planned_; ++t) {
            step.clear();
            for (const Group& group : groups_) {
                const auto* first = group.transitions.data() + at(t) * group.environments;
                step.insert(step.end(), first, first + group.environments);
            }
            learner_.learn(step, done_, learned_);
            done_ += context_.options.batch_size;
        }
        acting_.advance();
        for (Group& group : groups_) {
            std::swap(group.book, group.next_book);
            group.counts = counts_of(group.book);
        }
        figures_.learn_seconds += clock.seconds();
    }

    void drop() override { is_restored_ = false; }
    void repartition() override {
        hosts_ = runtime::WorkPartition(count(), context_.team.ranks.size());
        is_restored_ = false;
    }

    [[nodiscard]] Counts counts() const override {
        Counts sum = learned_;
        for (const Group& group : groups_) {
            sum.add(group.counts);
        }
        return sum;
    }
    void add_returns(std::vector<double>& returns) const override {
        const auto mine = hosts_.of(context_.team.ranks.rank());
        for (auto g = mine.begin; g < mine.end; ++g) {
            add_last(groups_[at(g)].tally, returns);
        }
    }
    ModeFigures take_figures() override { return std::exchange(figures_, {}); }

    void save(ByteWriter& bytes) override {
        for (const Group& group : groups_) {
            bytes.add_array(group.book);
        }
        bytes.add(learned_);
        learner_.save(bytes);
        acting_.save(bytes);
    }
    void load(ByteReader& bytes) override {
        for (Group& group : groups_) {
            group.book = bytes.read_array<std::byte>();
            group.counts = counts_of(group.book);
        }
        learned_ = bytes.read<Counts>();
        learner_.load(bytes);
        acting_.load(bytes);
        is_restored_ = false;
    }

private:
    [[nodiscard]] int count() const { return static_cast<int>(groups_.size()); }

    // Actors stand where their books say, whoever has hosted them.
    void restore() {
        if (std::exchange(is_restored_, true)) {
            return;
        }
        for (Group& group : groups_) {
            follow(group.book, group.tally, *group.actors);
        }
    }

    void receive(Group& group, ByteReader& bytes, bool is_own) const {
        const auto book = bytes.view_array<std::byte>();
        const auto transitions = bytes.view_array<std::byte>();
        if (!is_own) {
            group.next_book.assign(book.begin(), book.end());
            group.transitions = decode(transitions,
                                       at(planned_) * group.environments,
                                       group.environments,
                                       context_.table.states(),
                                       context_.table.actions());
        }
    }

    ModeContext context_;
    std::vector<Group> groups_;
    runtime::WorkPartition hosts_;
    BatchLearner learner_;
    ActingTable acting_;
    bool is_restored_ = true;
    std::int64_t planned_ = 0;  // lock steps of the pending round
    std::int64_t done_ = 0;
    Counts learned_;
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_actor_learner(const ModeContext& context) {
    return std::make_unique<ActorLearner>(context);
}

}  // namespace lockstep::rl
