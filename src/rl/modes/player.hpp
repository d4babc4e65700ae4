#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/learner.hpp"

#include "rl/exchange/delta.hpp"
#include "rl/modes/learning_mode.hpp"
#include "rl/modes/replica.hpp"

namespace lockstep::rl {

/// What came of a worker's part of a round.
struct Learned {
    std::vector<std::byte> book;
    Counts counts;
    Delta delta;
    double seconds = 0;  ///< of playing, here
};

/// What others have to know of it: book and changes.
void write(ByteWriter& bytes, const Learned& learned, Width width);
/// @param cells  of the table
/// @throws InputError  damaged
void read(ByteReader& bytes, std::size_t cells, Learned& learned);
/// For the rank that has written it.
/// @throws InputError  damaged
void skip_learned(ByteReader& bytes);

/// A worker is part of the problem; ranks and threads only host it.
class Player {
public:
    /// @param number  of the worker
    Player(const ModeContext& context, int number);

    /// Goes on where a book says, whoever has written it.
    /// @throws InputError  damaged
    void follow(const std::vector<std::byte>& book);
    /// @throws ModelError  as Learner::run
    void play(std::int64_t transitions, const ModeContext& context, Replica& replica, Learned& out);

    [[nodiscard]] std::vector<std::byte> book() const;
    /// Its counts are those of the book.
    [[nodiscard]] const Tally& tally() const noexcept { return tally_; }

private:
    std::unique_ptr<Learner> learner_;
    Tally tally_;
};

/// Of the table of a training.
TableShape shape_of(const TableStore& table) noexcept;

}  // namespace lockstep::rl
