#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/comm/region.hpp"

#include "rl/modes/learning_mode.hpp"
#include "rl/modes/shares.hpp"

namespace lockstep::rl {
namespace {

/// A table in memory that the ranks of a node share. All of them write all of it, cell by cell, and
/// nobody waits for a fence.
class NodeTable {
public:
    NodeTable(runtime::Team& team, TableStore& table) : node_(team.node()), table_(table) {
        const std::size_t cells = table.store().size();
        const std::size_t width = table.store().with_values(
            []<typename V>(std::span<V> /*values*/) { return sizeof(V); });
        region_ = node_->create_region(cells * (width + sizeof(std::uint32_t)));
        if (node_->size() != team.ranks.size() || !region_->is_shared()) {
            throw InputError(
                "mode hogwild shares a table in the memory of one node: its ranks must "
                "be on one; mode allreduce runs on many");
        }
        std::byte* bytes = region_->partition_span(0, region_->size()).data();
        cells_ = table.cells();
        std::visit(
            [&]<typename V>(CellsOf<V>& of) {
                of.values = static_cast<V*>(static_cast<void*>(bytes));
                of.visits = static_cast<std::uint32_t*>(static_cast<void*>(bytes + cells * width));
            },
            cells_);
        if (node_->rank() == 0) {
            fill();
        }
        node_->barrier();
    }

    [[nodiscard]] const Cells& cells() const noexcept { return cells_; }

    void fill() {
        for_each_cell([](const auto& own, const auto& shared, std::size_t cell) {
            shared.values[cell] = own.values[cell];
            shared.visits[cell] = own.visits[cell];
        });
    }
    // Others may write meanwhile.
    void read() {
        for_each_cell([](const auto& own, const auto& shared, std::size_t cell) {
            own.values[cell] = load_from<Access::shared>(shared.values[cell]);
            own.visits[cell] = load_from<Access::shared>(shared.visits[cell]);
        });
    }

private:
    /// Calls use(this rank's table, the shared one, cell).
    template <typename Use>
    void for_each_cell(const Use& use) {
        std::visit(
            [&]<typename V>(const CellsOf<V>& shared) {
                const auto own = std::get<CellsOf<V>>(table_.cells());
                for (std::size_t cell = 0; cell < table_.store().size(); ++cell) {
                    use(own, shared, cell);
                }
            },
            cells_);
    }

    std::shared_ptr<comm::Communicator> node_;
    std::unique_ptr<comm::Region> region_;
    TableStore& table_;
    Cells cells_;
};

class Hogwild final : public LearningMode {
public:
    explicit Hogwild(const ModeContext& context)
        : context_(context), learners_(at(context.options.workers)), tallies_(learners_.size()) {
        for (std::size_t w = 0; w < learners_.size(); ++w) {
            learners_[w] = context.world.learner(
                context.options, static_cast<std::uint32_t>(w), context.options.workers);
        }
        if (context.team.ranks.size() > 1) {
            node_table_ = std::make_unique<NodeTable>(context.team, context.table);
        }
    }

    void play(std::int64_t transitions_done) override {
        const auto& options = context_.options;
        planned_ = std::min(options.transitions_of_a_round() * options.workers,
                            options.steps - transitions_done);
        const auto workers = static_cast<std::int64_t>(learners_.size());
        const auto cells = node_table_ ? node_table_->cells() : context_.table.cells();
        const auto range = mine();
        std::vector<double> seconds(at(range.size()));
        context_.team.threads.parallel_for(range.size(), [&](std::ptrdiff_t i, int) {
            const Stopwatch clock;
            const auto w = at(range.begin + i);
            learners_[w]->run(
                share_of(planned_, range.begin + i, workers), cells, Access::shared, tallies_[w]);
            seconds[at(i)] = clock.seconds();
        });
        for (std::ptrdiff_t i = 0; i < range.size(); ++i) {
            figures_.learn_seconds += seconds[at(i)];
            figures_.transitions += share_of(planned_, range.begin + i, workers);
        }
    }

    void exchange() override {
        Counts own;
        for (auto w = mine().begin; w < mine().end; ++w) {
            own.add(tallies_[at(w)]);
        }
        counts_ = {};
        for (const Counts& counts :
             comm::gather_list(context_.team.ranks, std::vector<Counts>{own})) {
            counts_.add(counts);
        }
    }

    [[nodiscard]] std::int64_t planned() const override { return planned_; }

    void commit() override {
        if (node_table_) {
            node_table_->read();
        }
    }

    void repartition() override {
        throw CommError(
            "mode hogwild does not go on without a lost rank; resume from the newest "
            "checkpoint");
    }

    [[nodiscard]] Counts counts() const override { return counts_; }
    void add_returns(std::vector<double>& returns) const override {
        for (auto w = mine().begin; w < mine().end; ++w) {
            add_last(tallies_[at(w)], returns);
        }
    }
    ModeFigures take_figures() override { return std::exchange(figures_, {}); }

    void save(ByteWriter& bytes) override {
        ByteWriter own;
        for (auto w = mine().begin; w < mine().end; ++w) {
            own.add(static_cast<const Counts&>(tallies_[at(w)]));
            learners_[at(w)]->save(own);
        }
        bytes.add_array(comm::gather_list(context_.team.ranks, own.bytes()));
    }
    void load(ByteReader& bytes) override {
        const auto all = bytes.read_array<std::byte>();
        ByteReader states(all);
        for (std::size_t w = 0; w < learners_.size(); ++w) {
            static_cast<Counts&>(tallies_[w]) = states.read<Counts>();
            learners_[w]->load(states);
            counts_.add(tallies_[w]);
        }
        if (node_table_) {
            node_table_->fill();  // the same on every rank
        }
    }

private:
    [[nodiscard]] runtime::BlockRange mine() const {
        return runtime::block_of(static_cast<std::ptrdiff_t>(learners_.size()),
                                 context_.team.ranks.rank(),
                                 context_.team.ranks.size());
    }

    ModeContext context_;
    std::unique_ptr<NodeTable> node_table_;
    std::vector<std::unique_ptr<Learner>> learners_;
    std::vector<Tally> tallies_;
    std::int64_t planned_ = 0;
    Counts counts_;
    ModeFigures figures_;
};

}  // namespace

std::unique_ptr<LearningMode> make_hogwild(const ModeContext& context) {
    return std::make_unique<Hogwild>(context);
}

}  // namespace lockstep::rl
