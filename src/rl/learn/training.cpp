#include "rl/learn/training.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/error.hpp"

#include "rl/learn/consistency.hpp"

namespace lockstep::rl {
namespace {

/// What the first part of a checkpoint holds beside the mode's own.
struct Head {
    std::int64_t round;
    std::int64_t transitions;
    double seconds;
};

/// The state between two rounds. Its parts: a head, then the table.
class TrainingState final : public runtime::EngineState {
public:
    TrainingState(std::vector<std::byte> head, std::int64_t round, const TableStore& table)
        : head_(std::move(head)), round_(round), table_(table) {}
    [[nodiscard]] const char* engine() const override { return "rl"; }
    [[nodiscard]] int iteration() const override { return static_cast<int>(round_); }
    [[nodiscard]] int parts() const override { return table_.parts() + 1; }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        return index == 0 ? head_ : table_.part(index - 1);
    }

private:
    std::vector<std::byte> head_;
    std::int64_t round_;
    const TableStore& table_;
};

}  // namespace

Training::Training(const World& world,
                   const LearnOptions& options,
                   runtime::Team& team,
                   LearnObserver& observer,
                   const MakeMode& make_mode,
                   const runtime::EngineState* resume_from)
    : options_(options),
      team_(team),
      observer_(observer),
      table_(world, options),
      mode_(make_mode({world, options, team, table_})),
      reports_(options, table_, team.ranks.traffic()) {
    if (resume_from != nullptr) {
        resume(*resume_from);
    }
}

void Training::resume(const runtime::EngineState& state) {
    if (state.parts() != table_.parts() + 1) {
        throw InputError("the checkpoint is of a table of another size");
    }
    for (int part = 0; part < table_.parts(); ++part) {
        table_.load_part(part, state.part(part + 1));
    }
    const auto head = state.part(0);
    ByteReader bytes(head);
    const auto read = bytes.read<Head>();
    round_ = read.round;
    transitions_ = read.transitions;
    earlier_seconds_ = read.seconds;
    last_checkpoint_ = read.seconds;
    checkpointed_ = transitions_;
    checked_ = round_;
    mode_->load(bytes);
    reports_.start_at({round_, transitions_, elapsed(), 0, false}, mode_->counts());
}

LearnResult Training::run() {
    if (transitions_ < options_.steps) {
        runtime::run_rounds(team_, round_, *this);
    }
    mode_->finish();
    LearnResult result;
    runtime::run_section(team_.ranks, team_.survival, [&] { report(true); });
    result.last = std::move(last_);
    result.table = table_.table();
    result.ending = transitions_ < options_.steps ? LearnEnding::stopped : LearnEnding::done;
    result.transitions = transitions_;
    result.episodes = mode_->counts().episodes;
    result.rounds = round_;
    result.seconds = elapsed();
    result.digest = digest_of(result.table);
    return result;
}

void Training::begin(std::int64_t /*round*/) {}

void Training::work() {
    mode_->settle();
    comm::agree(team_.ranks, [&] { mode_->play(transitions_); });
    mode_->exchange();
}

void Training::confirm() {
    mode_->settle();
    const Note own = own_note();
    notes_.assign(static_cast<std::size_t>(team_.ranks.size()), {});
    team_.ranks.allgatherv(std::span<const Note>(&own, 1),
                           std::span<Note>(notes_),
                           comm::Layout::blocks(team_.ranks.size(), 1, team_.ranks.size()));
}

Training::Note Training::own_note() {
    const double now = elapsed();
    const auto then = transitions_ + mode_->planned();
    Note note{};
    note.wants_report = static_cast<std::uint8_t>(
        observer_.wants_report(now - reports_.last_seconds(), then - reports_.last_transitions()));
    note.wants_checkpoint = static_cast<std::uint8_t>(
        observer_.wants_checkpoint(now - last_checkpoint_, then - checkpointed_));
    note.wants_check = static_cast<std::uint8_t>(
        observer_.wants_consistency_check(round_ + mode_->rounds() - checked_));
    note.wants_stop = static_cast<std::uint8_t>(observer_.stop_requested());
    return note;
}

void Training::commit() {
    transitions_ += mode_->planned();
    round_ += mode_->rounds();
    mode_->commit();
}

void Training::drop() {
    mode_->drop();
}

void Training::repartition() {
    mode_->repartition();
}

bool Training::is_over() {
    const bool wants_stop = std::any_of(
        notes_.begin(), notes_.end(), [](const Note& note) { return note.wants_stop != 0; });
    const bool is_done = transitions_ >= options_.steps;
    if (!notes_.empty() && notes_.front().wants_check != 0) {
        check();
    }
    if (!notes_.empty() && notes_.front().wants_report != 0 && !is_done) {
        report(false);
    }
    if (!notes_.empty() && (notes_.front().wants_checkpoint != 0 || (wants_stop && !is_done))) {
        checkpoint();
    }
    return is_done || wants_stop;
}

void Training::check() {
    check_consistency(team_.ranks, table_, round_);
    checked_ = round_;
    ++checks_;
}

void Training::report(bool is_last) {
    last_ = reports_.make(
        {round_, transitions_, elapsed(), std::exchange(io_seconds_, 0), is_last}, *mode_, team_);
    last_.consistency_checks = std::exchange(checks_, 0);
    observer_.on_report(last_, [this] { return table_.table(); });
}

void Training::checkpoint() {
    if (round_ == 0) {
        return;
    }
    const Stopwatch clock;
    ByteWriter head;
    head.add(Head{round_, transitions_, elapsed()});
    mode_->save(head);
    observer_.on_checkpoint(TrainingState(head.take(), round_, table_));
    io_seconds_ += clock.seconds();
    last_checkpoint_ = elapsed();
    checkpointed_ = transitions_;
}

}  // namespace lockstep::rl
