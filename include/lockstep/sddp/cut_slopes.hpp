#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::sddp {

/// Slopes of cuts, numbered in the order in which they were added: storages [$/hm³] by hydro, then
/// inflow lags [$/(m³/s)], lag-major.
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
    /// Slopes of older lags of the cuts of a block.
    struct Older {
        const double* first = nullptr;
        std::size_t stride = 0;
        std::size_t width = 0;
        std::span<const double> operator[](int place) const noexcept {
            return {first + static_cast<std::size_t>(place) * stride, width};
        }
    };
    /// Room for consecutive cuts. Slopes of storages and of lag 0 are kept by variable, [hydros or
    /// 2·hydros][room], so that all cuts are priced side by side; those of older lags by cut,
    /// [room][a multiple of 8].
    struct Block {
        std::shared_ptr<const void> owner;  ///< keeps the memory
        const double* values = nullptr;     ///< on a 64-byte border
        double* writable = nullptr;         ///< the same; nullptr: another rank writes
        int room = 0;                       ///< a multiple of 8
        int first = 0;                      ///< number of the first cut
        bool is_shared = false;             ///< by the ranks of a node
    };

    CutSlopes() = default;
    CutSlopes(int hydros, int lags);

    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] int hydros() const noexcept { return hydros_; }
    [[nodiscard]] int lags() const noexcept { return lags_; }
    /// Slopes of a cut.
    [[nodiscard]] int width() const noexcept { return hydros_ * (1 + lags_); }
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

    [[nodiscard]] Strided storage(int cut) const noexcept;
    /// Of the inflow of the stage itself, which leaves it as lag 0; only with lags.
    [[nodiscard]] Strided inflow(int cut) const noexcept;
    [[nodiscard]] Older older(const Block& block) const noexcept;
    /// Of lags 1 and older, [hydros × (lags - 1)].
    [[nodiscard]] std::span<const double> older(int cut) const noexcept;
    /// All slopes of a cut, [width].
    [[nodiscard]] std::vector<double> row(int cut) const;
    /// [size × width]
    [[nodiscard]] std::vector<double> rows() const;

private:
    [[nodiscard]] std::size_t columns() const noexcept;
    [[nodiscard]] std::size_t older_width() const noexcept;
    [[nodiscard]] std::size_t older_stride() const noexcept;
    [[nodiscard]] const Block& block_of(int cut) const noexcept;
    void put(std::span<const double> slopes, const Block& into, int place) const;

    int hydros_ = 0;
    int lags_ = 0;
    int size_ = 0;
    std::vector<Block> blocks_;
};

}  // namespace lockstep::sddp
