#include "rl/modes/player.hpp"

#include "lockstep/base/stopwatch.hpp"

#include "rl/modes/book.hpp"

namespace lockstep::rl {

TableShape shape_of(const TableStore& table) noexcept {
    return {table.planes(), table.states(), table.actions()};
}

void write(ByteWriter& bytes, const Learned& learned, Width width) {
    bytes.add_array(learned.book);
    bytes.add_array(encode(learned.delta, width));
}

void read(ByteReader& bytes, std::size_t cells, Learned& learned) {
    learned.book = bytes.read_array<std::byte>();
    learned.counts = counts_of(learned.book);
    learned.delta = decode(bytes.view_array<std::byte>(), cells);
}

void skip_learned(ByteReader& bytes) {
    bytes.view_array<std::byte>();
    bytes.view_array<std::byte>();
}

Player::Player(const ModeContext& context, int number)
    : learner_(context.world.learner(
          context.options, static_cast<std::uint32_t>(number), context.options.workers)) {}

void Player::follow(const std::vector<std::byte>& book) {
    rl::follow(book, tally_, *learner_);
}

void Player::play(std::int64_t transitions,
                  const ModeContext& context,
                  Replica& replica,
                  Learned& out) {
    const Stopwatch clock;
    learner_->run(transitions, replica.cells(), Access::tracked, tally_);
    replica.take_delta(context.table.cells(), shape_of(context.table), out.delta);
    out.book = book();
    out.counts = static_cast<const Counts&>(tally_);
    out.seconds = clock.seconds();
}

std::vector<std::byte> Player::book() const {
    return book_of(tally_, *learner_);
}

}  // namespace lockstep::rl
