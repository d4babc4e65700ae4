#include "rl/modes/book.hpp"

namespace lockstep::rl {
namespace {

// Out of line: in line, g++ 12 believes that the first bytes of a writer have no room.
[[gnu::noinline]] void add(ByteWriter& bytes, const Counts& counts) {
    bytes.add(counts);
}

template <typename Player>
std::vector<std::byte> write(const Counts& counts, const Player& player) {
    ByteWriter bytes;
    add(bytes, counts);
    player.save(bytes);
    return bytes.take();
}

template <typename Player>
void read(std::span<const std::byte> book, Counts& counts, Player& player) {
    ByteReader bytes(book);
    counts = bytes.read<Counts>();
    player.load(bytes);
}

}  // namespace

std::vector<std::byte> book_of(const Counts& counts, const Learner& learner) {
    return write(counts, learner);
}

std::vector<std::byte> book_of(const Counts& counts, const Actors& actors) {
    return write(counts, actors);
}

Counts counts_of(std::span<const std::byte> book) {
    return ByteReader(book).read<Counts>();
}

void follow(std::span<const std::byte> book, Counts& counts, Learner& learner) {
    read(book, counts, learner);
}

void follow(std::span<const std::byte> book, Counts& counts, Actors& actors) {
    read(book, counts, actors);
}

}  // namespace lockstep::rl
