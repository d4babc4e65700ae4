#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::sddp {

/// What a state consists of, in this order.
struct StateLayout {
    int decided = 0;  ///< numbers that a stage decides: its LP has them (storages)
    int fresh = 0;    ///< numbers that an outcome of the stage brings (inflows: lag 0)
    int older = 0;    ///< numbers that are known before the stage begins (older lags)
    [[nodiscard]] constexpr int carried() const noexcept { return fresh + older; }
    [[nodiscard]] constexpr int size() const noexcept { return decided + carried(); }
    friend bool operator==(const StateLayout&, const StateLayout&) = default;
};

/// Slopes of cuts, numbered in the order in which they were added; of each those by the states, in
/// their order.
///
/// They lie in blocks that never move and are only ever added to, so that copies of a table share
/// them and the ranks of a node may. Only one of the copies may grow.
class CutSlopes {
public:
    /// Slopes of one cut that lie `stride` apart.
    struct Strided {
        const double* first = nullptr;
        std::size_t stride = 0;
        double operator[](int i) const noexcept {
            return first[static_cast<std::size_t>(i) * stride];
        }
    };
    /// Slopes by the older states of the cuts of a block.
    struct Older {
        const double* first = nullptr;
        std::size_t stride = 0;
        std::size_t width = 0;
        std::span<const double> operator[](int place) const noexcept {
            return {first + static_cast<std::size_t>(place) * stride, width};
        }
    };
    /// Room for consecutive cuts. Slopes by decided and fresh states are kept by variable,
    /// [decided + fresh][room], so that all cuts are priced side by side; those by older ones by
    /// cut, [room][a multiple of 8].
    struct Block {
        std::shared_ptr<const void> owner;  ///< keeps the memory
        const double* values = nullptr;     ///< on a 64-byte border
        double* writable = nullptr;         ///< the same; nullptr: another rank writes
        int room = 0;                       ///< a multiple of 8
        int first = 0;                      ///< number of the first cut
        bool is_shared = false;             ///< by the ranks of a node
    };

    CutSlopes() = default;
    explicit CutSlopes(StateLayout states) : states_(states) {}

    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] const StateLayout& states() const noexcept { return states_; }
    /// Slopes of a cut.
    [[nodiscard]] int width() const noexcept { return states_.size(); }
    [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
    /// Cuts in a block.
    [[nodiscard]] int count(std::size_t block) const noexcept;

    /// Whether the ranks of a node share some block, and whether some is this rank's own.
    [[nodiscard]] bool has_shared_blocks() const noexcept;
    [[nodiscard]] bool has_own_blocks() const noexcept;

    /// Cuts that may be added without another block.
    [[nodiscard]] int room() const noexcept;
    /// Doubles of a block for `room` cuts, and `room` rounded up to what a block may have.
    [[nodiscard]] std::size_t block_size(int room) const noexcept;
    [[nodiscard]] static int block_room(int cuts) noexcept;
    /// A block in this process's own memory.
    [[nodiscard]] Block own_block(int room) const;
    /// Appends a block; its `first` is set here. What is left of the one before stays empty.
    void attach(Block block);
    /// Room for `cuts` more, in own memory if there is none.
    void reserve(int cuts);

    /// Appends a cut; where another rank writes the block, only its number is taken.
    /// @param slopes  [width]
    void add(std::span<const double> slopes);
    /// Forgets the cuts from `size` on.
    void truncate(int size);
    /// Copies all cuts into one block, which replaces the others. Its memory must have room.
    void move_to(Block block);

    [[nodiscard]] Strided decided(int cut) const noexcept;
    [[nodiscard]] Strided fresh(int cut) const noexcept;
    [[nodiscard]] Older older(const Block& block) const noexcept;
    [[nodiscard]] std::span<const double> older(int cut) const noexcept;
    /// value[c] += the products of some slopes of cut c with x, one after the other; those by the
    /// decided or fresh states from `first` on.
    void add_products(int first, std::span<const double> x, std::span<double> value) const;
    /// value[c] = all slopes of cut c times a state.
    void multiply(std::span<const double> state, std::span<double> value) const;
    /// All slopes of a cut, [width].
    [[nodiscard]] std::vector<double> row(int cut) const;
    /// [size × width]
    [[nodiscard]] std::vector<double> rows() const;

private:
    [[nodiscard]] std::size_t columns() const noexcept;
    [[nodiscard]] std::size_t older_stride() const noexcept;
    [[nodiscard]] const Block& block_of(int cut) const noexcept;
    void put(std::span<const double> slopes, const Block& into, int place) const;

    StateLayout states_;
    int size_ = 0;
    std::vector<Block> blocks_;
};

}  // namespace lockstep::sddp
