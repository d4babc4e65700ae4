#include "xpcs/errors/block_scores.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "xpcs/errors/scores.hpp"

namespace lockstep::xpcs {
namespace {

/// What a residual counts as: itself, or what a loss leaves of it, over the mean slope of that.
class Influence {
public:
    Influence(const nlsq::Loss& loss, double sigma, double mean_slope)
        : kind_(loss.kind), scale_(loss.scale * sigma), mean_slope_(mean_slope) {}

    [[nodiscard]] double of(double residual) const {
        if (kind_ == nlsq::Loss::Kind::linear) {
            return residual;
        }
        const double ratio = residual / scale_;
        return nlsq::loss_value(kind_, ratio * ratio).first * residual / mean_slope_;
    }

private:
    nlsq::Loss::Kind kind_;
    double scale_;
    double mean_slope_;
};

/// Σ over a tile's pairs of column · residual, [tiles, columns], of one angle.
Eigen::MatrixXd tile_scores(
    const FittedModel& fitted, const Influence& influence, int angle, int blocks, int columns) {
    const int frames = fitted.model.frames();
    const double contrast = fitted.data[at(angle)].reference.contrast;
    const auto block_of_frame = [&](int frame) {
        return static_cast<int>(std::int64_t{frame} * blocks / frames);
    };
    Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(blocks * blocks, columns);
    RowColumns row(frames);
    for (int i = 0; i + 1 < frames; ++i) {
        fitted.model.fill_row(i, angle, fitted.data[at(angle)], row);
        for (int k = 0; k < frames - i - 1; ++k) {
            auto tile = scores.row(block_of_frame(i) * blocks + block_of_frame(i + 1 + k));
            const double residual = influence.of(row.residual[at(k)]);
            tile[0] += row.x[at(k)] * residual;
            tile[1] += residual;
            for (int p = 2; p < columns; ++p) {
                tile[p] += contrast * row.derivatives[at(p - 2)][at(k)] * residual;
            }
        }
    }
    return scores;
}

/// Every two tiles that share a block count.
Eigen::MatrixXd spread_of(const Eigen::MatrixXd& tiles, int blocks) {
    const auto columns = tiles.cols();
    Eigen::MatrixXd of_block = Eigen::MatrixXd::Zero(blocks, columns);
    Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(columns, columns);
    for (int low = 0; low < blocks; ++low) {
        for (int high = low; high < blocks; ++high) {
            const auto tile = tiles.row(low * blocks + high);
            of_block.row(low) += tile;
            if (high != low) {
                of_block.row(high) += tile;
                spread -= tile.transpose() * tile;  // it is in the sums of both of its blocks
            }
        }
    }
    spread += of_block.transpose() * of_block;
    return spread * (static_cast<double>(blocks) / (blocks - 1));
}

}  // namespace

Eigen::MatrixXd spread_of_blocks(const Measurement& measurement,
                                 const FitOptions& options,
                                 const FitResult& fit,
                                 int blocks) {
    const FittedModel fitted(measurement, options, fit);
    const int count = std::clamp(blocks, 2, std::max(2, measurement.frames / 2));
    const int columns = static_cast<int>(2 + fit.physical.size());
    const auto size = static_cast<Eigen::Index>(fit.values.size());
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        const double sigma = fit.sigma[at(angle)];
        const double weight = 1 / (sigma * sigma);
        const Influence influence(options.loss, sigma, fit.loss_slopes[at(angle)]);
        const Eigen::MatrixXd scores = tile_scores(fitted, influence, angle, count, columns);
        add_spread(fitted, angle, weight * weight * spread_of(scores, count), sum);
    }
    return sum;
}

}  // namespace lockstep::xpcs
