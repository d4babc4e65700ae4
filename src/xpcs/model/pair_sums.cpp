#include "xpcs/model/pair_sums.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "lockstep/base/index.hpp"

#include "xpcs/model/pass.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// The data of a chunk; where it is no whole number of lanes, a copy that NaN pads.
class Observed {
public:
    const double* of(std::span<const double> c2, std::ptrdiff_t first, int count) {
        if (count % lanes::width == 0) {
            return c2.data() + first;
        }
        copy_.fill(std::numeric_limits<double>::quiet_NaN());
        std::copy_n(c2.data() + first, count, copy_.begin());
        return copy_.data();
    }

private:
    pass::Column copy_;
};

/// Of the products of columns, how many come before those that nobody adds to.
std::size_t products_at(Level level, Motion motion) {
    const bool has_derivatives = level == Level::gradient || level == Level::gram;
    const int columns = !has_derivatives              ? AngleSums::first_derivative
                        : motion == Motion::diffusion ? AngleSums::first_derivative + 3
                                                      : AngleSums::columns;
    return AngleSums::index(0, columns);
}

int size_of_chunk(std::ptrdiff_t first, std::ptrdiff_t end) {
    return static_cast<int>(std::min<std::ptrdiff_t>(pass::chunk, end - first));
}

/// visit(pass object) for the case at hand.
template <Level level, typename F>
void with_pass(const PairModel& model, F&& visit) {
    if (model.motion() == Motion::diffusion) {
        pass::Pass<Motion::diffusion, ShearTerm::homodyne, level> pass(model);
        visit(pass);
    } else if (model.shear() == ShearTerm::homodyne) {
        pass::Pass<Motion::laminar_flow, ShearTerm::homodyne, level> pass(model);
        visit(pass);
    } else {
        pass::Pass<Motion::laminar_flow, ShearTerm::paper, level> pass(model);
        visit(pass);
    }
}

}  // namespace

PairModel::PairModel(Motion motion,
                     ShearTerm shear,
                     const Geometry& geometry,
                     const FrameTimes& frames,
                     std::span<const double> angles)
    : motion_(motion),
      shear_(shear),
      frames_(frames.count),
      half_q2_dt_(geometry.q * geometry.q * geometry.dt / 2),
      phase_(geometry.q * geometry.gap * geometry.dt /
             (shear == ShearTerm::homodyne ? 2 * std::numbers::pi : 2)),
      phi_(angles.begin(), angles.end()),
      diffusion_(frames, geometry.dt),
      shear_rate_(frames, geometry.dt),
      factors_(angles.size()) {}

void PairModel::set(std::span<const double> parameters) {
    diffusion_.set(parameters[0], parameters[1], parameters[2]);
    if (motion_ == Motion::diffusion) {
        return;
    }
    shear_rate_.set(parameters[3], parameters[4], parameters[5]);
    rate_ = parameters[3];
    rate_offset_ = parameters[5];
    for (std::size_t angle = 0; angle < phi_.size(); ++angle) {
        const auto turned = lanes::sine_cosine(lanes::all((parameters[6] - phi_[angle]) * degree));
        factors_[angle] = PhaseFactor{phase_ * turned.cosine[0], -phase_ * turned.sine[0] * degree};
    }
}

void PairModel::add(std::ptrdiff_t begin,
                    std::ptrdiff_t end,
                    std::span<const AngleData> data,
                    Level level,
                    std::span<AngleSums> sums,
                    PairScratch& scratch) const {
    add_along(pass::Walk(frames_, begin), begin, end, data, level, sums, scratch);
}

void PairModel::add_chosen(const PairSelection& pairs,
                           std::ptrdiff_t begin,
                           std::ptrdiff_t end,
                           std::span<const AngleData> data,
                           Level level,
                           std::span<AngleSums> sums,
                           PairScratch& scratch) const {
    add_along(pass::ChosenWalk(pairs, begin), begin, end, data, level, sums, scratch);
}

template <typename AnyWalk>
void PairModel::add_along(AnyWalk walk,
                          std::ptrdiff_t begin,
                          std::ptrdiff_t end,
                          std::span<const AngleData> data,
                          Level level,
                          std::span<AngleSums> sums,
                          PairScratch& scratch) const {
    const bool has_loss = data.front().loss.kind != nlsq::Loss::Kind::linear;
    switch (level) {
        case Level::value:
            return has_loss ? add_at<Level::value, true>(walk, begin, end, data, sums, scratch)
                            : add_at<Level::value, false>(walk, begin, end, data, sums, scratch);
        case Level::gradient:
            return has_loss ? add_at<Level::gradient, true>(walk, begin, end, data, sums, scratch)
                            : add_at<Level::gradient, false>(walk, begin, end, data, sums, scratch);
        case Level::gram:
            return has_loss ? add_at<Level::gram, true>(walk, begin, end, data, sums, scratch)
                            : add_at<Level::gram, false>(walk, begin, end, data, sums, scratch);
        case Level::influence:
            return add_at<Level::influence, true>(walk, begin, end, data, sums, scratch);
    }
}

template <Level level, bool has_loss, typename AnyWalk>
void PairModel::add_at(AnyWalk walk,
                       std::ptrdiff_t begin,
                       std::ptrdiff_t end,
                       std::span<const AngleData> data,
                       std::span<AngleSums> sums,
                       PairScratch& scratch) const {
    const std::size_t used = products_at(level, motion_);
    scratch.resize(std::max(scratch.size(), data.size()));
    for (std::size_t angle = 0; angle < data.size(); ++angle) {
        std::fill_n(scratch[angle].products, used, lanes::Four{});
    }
    with_pass<level>(*this, [&]<typename Any>(Any& pass) {
        Observed observed;
        for (std::ptrdiff_t first = begin; first < end; first += pass::chunk) {
            const int count = size_of_chunk(first, end);
            const int whole = pass::whole_lanes(count);
            pass.load_chunk(walk, count);
            constexpr bool is_alike = Any::is_at_rest && !has_loss;
            if constexpr (is_alike) {
                pass.share_curve(count);
            }
            for (std::size_t angle = 0; angle < data.size(); ++angle) {
                const double* c2 = observed.of(data[angle].c2, first, count);
                if constexpr (is_alike) {
                    if (pass.sum_residuals(count, data[angle], c2, scratch[angle])) {
                        continue;
                    }
                }
                pass.columns(whole, factors_[angle], data[angle], c2);
                if constexpr (has_loss) {
                    pass.weigh(whole, data[angle].loss);
                }
                pass.template sum<has_loss && level != Level::influence>(whole, scratch[angle]);
            }
        }
    });
    for (std::size_t angle = 0; angle < data.size(); ++angle) {
        scratch[angle].fold_into(sums[angle], used);
    }
}

void PairModel::fill(std::ptrdiff_t begin,
                     std::ptrdiff_t end,
                     int angle,
                     std::span<double> x) const {
    with_pass<Level::value>(*this, [&](auto& pass) {
        pass::Walk walk(frames_, begin);
        pass::Column values;
        for (std::ptrdiff_t first = begin; first < end; first += pass::chunk) {
            const int count = size_of_chunk(first, end);
            pass.load_chunk(walk, count);
            pass.values(pass::whole_lanes(count), factors_[at(angle)], values.data());
            std::copy_n(values.begin(), count, x.begin() + (first - begin));
        }
    });
}

template <typename AnyWalk>
void PairModel::fill_along(AnyWalk walk,
                           std::ptrdiff_t begin,
                           std::ptrdiff_t end,
                           int angle,
                           const AngleData& data,
                           RowColumns& columns) const {
    with_pass<Level::gradient>(*this, [&](auto& pass) {
        Observed observed;
        for (std::ptrdiff_t first = begin; first < end; first += pass::chunk) {
            const int count = size_of_chunk(first, end);
            pass.load_chunk(walk, count);
            pass.columns(pass::whole_lanes(count),
                         factors_[at(angle)],
                         data,
                         observed.of(data.c2, first, count));
            pass.copy_columns(count, factors_[at(angle)], first - begin, columns);
        }
    });
}

void PairModel::fill_row(int row, int angle, const AngleData& data, RowColumns& columns) const {
    const std::ptrdiff_t begin = pair_row(row, frames_);
    const std::ptrdiff_t end = begin + frames_ - row - 1;
    fill_along(pass::Walk(frames_, begin), begin, end, angle, data, columns);
}

void PairModel::fill_chosen(const PairSelection& pairs,
                            int angle,
                            const AngleData& data,
                            RowColumns& columns) const {
    fill_along(pass::ChosenWalk(pairs, 0), 0, pairs.size(), angle, data, columns);
}

namespace {

/// Completes the products of the derivative by phi0. Its column is that of ∫γ̇ times the slope of
/// the phase, and ∫γ̇ is rate ∫t^beta + offset ∫1 up to the smoothing, which is below 1e-6 of it.
void complete_phi0(AngleSums& sums, double by_phi0, double rate, double offset) {
    constexpr int rate_column = AngleSums::first_derivative + 3;
    constexpr int offset_column = AngleSums::first_derivative + 5;
    constexpr int phi0 = AngleSums::first_derivative + 6;
    for (int column = AngleSums::first_derivative; column < phi0; ++column) {
        sums(phi0, column) =
            by_phi0 * (rate * sums(rate_column, column) + offset * sums(offset_column, column));
    }
    sums(phi0, phi0) = by_phi0 * by_phi0 *
                       (rate * rate * sums(rate_column, rate_column) +
                        2 * rate * offset * sums(rate_column, offset_column) +
                        offset * offset * sums(offset_column, offset_column));
}

void scale(AngleSums& sums, int column, double factor) {
    for (int other = 0; other < AngleSums::columns; ++other) {
        sums(column, other) *= other == column ? factor * factor : factor;
    }
}

}  // namespace

void PairModel::finish(std::span<AngleSums> sums, Level level) const {
    const bool has_derivatives = level == Level::gradient || level == Level::gram;
    if (motion_ == Motion::diffusion || !has_derivatives) {
        return;
    }
    constexpr int flow = AngleSums::first_derivative + 3;
    constexpr int phi0 = AngleSums::first_derivative + 6;
    for (std::size_t angle = 0; angle < sums.size(); ++angle) {
        const PhaseFactor& factor = factors_[angle];
        scale(sums[angle], phi0, factor.by_phi0);
        if (level == Level::gram) {
            complete_phi0(sums[angle], factor.by_phi0, rate_, rate_offset_);
        }
        for (int column = flow; column < phi0; ++column) {
            scale(sums[angle], column, factor.factor);
        }
    }
}

}  // namespace lockstep::xpcs
