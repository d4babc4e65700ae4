#include "xpcs/errors/pixel_scores.hpp"

#include "lockstep/base/index.hpp"

#include "xpcs/model/lanes.hpp"

namespace lockstep::xpcs {
namespace {

using lanes::all;
using lanes::Four;
using lanes::fused;
using lanes::load;

constexpr int width = Speckle::width;
constexpr int halves = width / lanes::width;

/// Sums of one block of pixels.
struct BlockSums {
    Four pull[most_columns][halves] = {};
    Four squares[halves] = {};
};

/// One row's columns as the fit has them: contrast's, offset's, the physical parameters'.
class Row {
public:
    explicit Row(const FittedModel& fitted) : fitted_(fitted), columns_(fitted.model.frames()) {}

    void load_row(int row, int angle) {
        row_ = row;
        contrast_ = fitted_.data[at(angle)].reference.contrast;
        fitted_.model.fill_row(row, angle, fitted_.data[at(angle)], columns_);
    }

    /// The row's pairs of a block of pixels, whose counts are [frames, width].
    void add(const double* counts, int parameters, BlockSums& sums) const {
        const int pairs = fitted_.model.frames() - row_ - 1;
        for (int half = 0; half < halves; ++half) {
            const Four here = load(counts + row_ * width + half * lanes::width);
            const double* there = counts + (row_ + 1) * width + half * lanes::width;
            for (int k = 0; k < pairs; ++k) {
                const double x = columns_.x[at(k)];
                if (x == 0) {
                    continue;
                }
                const Four other = load(there + k * width);
                const Four g2 = all(1 + contrast_ * x);
                const Four deviation = here * other - g2 * (here + other - all(1));
                sums.squares[half] = fused(deviation, deviation, sums.squares[half]);
                sums.pull[0][half] = fused(all(x), deviation, sums.pull[0][half]);
                sums.pull[1][half] += deviation;
                for (int p = 0; p < parameters; ++p) {
                    Four& pull = sums.pull[2 + p][half];
                    pull =
                        fused(all(contrast_ * columns_.derivatives[at(p)][at(k)]), deviation, pull);
                }
            }
        }
    }

    [[nodiscard]] int counted() const {
        int counted = 0;
        for (int k = 0; k < fitted_.model.frames() - row_ - 1; ++k) {
            counted += columns_.x[at(k)] != 0 ? 1 : 0;
        }
        return counted;
    }

private:
    const FittedModel& fitted_;
    RowColumns columns_;
    int row_ = 0;
    double contrast_ = 0;
};

}  // namespace

void score_pixels(const FittedModel& fitted,
                  const Speckle& speckle,
                  int angle,
                  std::int64_t first,
                  std::span<PixelScore> scores) {
    const int frames = fitted.model.frames();
    const int parameters = static_cast<int>(parameters_of(fitted.model.motion()).size());
    const std::size_t blocks = scores.size() / width;
    const std::size_t size = at(frames * width);
    AlignedVector<double> counts(blocks * size);
    Speckle::Scratch scratch(frames);
    for (std::size_t block = 0; block < blocks; ++block) {
        speckle.fill(first + static_cast<std::int64_t>(block * width),
                     scratch,
                     std::span(counts).subspan(block * size, size));
    }

    std::vector<BlockSums, AlignedAllocator<BlockSums>> sums(blocks);
    std::int64_t pairs = 0;
    Row row(fitted);
    for (int i = 0; i + 1 < frames; ++i) {
        row.load_row(i, angle);
        pairs += row.counted();
        for (std::size_t block = 0; block < blocks; ++block) {
            row.add(&counts[block * size], parameters, sums[block]);
        }
    }

    for (std::size_t pixel = 0; pixel < scores.size(); ++pixel) {
        const BlockSums& of = sums[pixel / width];
        const std::size_t half = pixel % width / lanes::width;
        const std::size_t lane = pixel % lanes::width;
        for (std::size_t p = 0; p < most_columns; ++p) {
            scores[pixel].pull[p] = of.pull[p][half][lane];
        }
        scores[pixel].squares = of.squares[half][lane] / static_cast<double>(pairs);
    }
}

}  // namespace lockstep::xpcs
