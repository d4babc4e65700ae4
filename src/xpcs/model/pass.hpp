#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

#include "xpcs/model/lanes.hpp"
#include "xpcs/model/pair_selection.hpp"
#include "xpcs/model/pair_sums.hpp"

namespace lockstep::xpcs::pass {

using lanes::all;
using lanes::Four;
using lanes::FourBits;
using lanes::fused;
using lanes::keep;
using lanes::load;
using lanes::store;

inline constexpr double smoothing = 1e-12;   // |z| is sqrt(z² + smoothing)
inline constexpr double least_x = 1e-20;     // g1 is at least 1e-10
inline constexpr double small_phase = 1e-4;  // below it sinc is its series

inline constexpr int chunk =
    128;  // pairs that are worked on together: their columns fit into the L1 cache

using Column = std::array<double, chunk>;

/// A smoothed absolute value and its derivative.
struct Length {
    Four value;
    Four slope;
};

/// Of I in equation (4) of docs/xpcs/theory.md. Beyond 1000 the smoothing is less than the rounding
/// of z², whose root is |z| exactly: the same bits without the root and the quotient.
[[gnu::always_inline]] inline Length smoothed(Four z) {
    const Four plain = lanes::abs(z);
    if (lanes::every((plain > all(1e3)) & (plain < all(1e150)))) {
        return {plain, lanes::sign(z)};
    }
    const Four value = lanes::sqrt(fused(z, z, all(smoothing)));
    return {value, z / value};
}

/// What the angles share of a chunk of pairs.
struct alignas(64) SharedColumns {
    Column decay;         // first ∫D, then exp(-q² ∫D)
    Column shear;         // first the difference, then the smoothed ∫γ̇
    Column inverse;       // 1 / ∫γ̇
    Column diffusion[3];  // derivatives of the exponent
    Column flow[3];       // derivatives of ∫γ̇
};

/// What is summed of an angle.
struct alignas(64) AngleColumns {
    Column one;
    Column x;
    Column residual;
    Column diffusion[3];
    Column flow[3];
    Column phase;
    Column loss;  // of a loss that is not linear: what each residual costs
};

/// What all angles have alike at rest, where they count every pair.
struct alignas(64) CurveColumns {
    Column x;
    Column diffusion[3];
};

/// Sums of 1 and x with each other and with the derivatives.
struct CurveSums {
    Four ones;
    Four x;
    Four xx;
    Four by_one[3];
    Four by_x[3];
};

/// Where a packed pair is in the triangle.
struct Place {
    int row;
    int column;
};

inline Place place_of(int frames, std::ptrdiff_t pair) {
    int low = 0;
    int high = frames - 2;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (pair_row(middle, frames) <= pair) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return {low, low + 1 + static_cast<int>(pair - pair_row(low, frames))};
}

/// to[k] = nodes[column + k] - nodes[row]
inline void differences(double* to, const double* nodes, int row, int column, int count) {
    const double first = nodes[row];
    const double* from = nodes + column;
    if (count < lanes::width) {
        for (int k = 0; k < count; ++k) {
            to[k] = from[k] - first;
        }
        return;
    }
    for (int k = 0; k + lanes::width <= count; k += lanes::width) {
        store(to + k, load(from + k) - all(first));
    }
    const int last = count - lanes::width;  // some of it once more
    store(to + last, load(from + last) - all(first));
}

/// Walks over the triangle row by row.
class Walk {
public:
    Walk(int frames, std::ptrdiff_t begin) : frames_(frames), place_(place_of(frames, begin)) {}

    /// body(first, row, column, count) for the pieces of rows that the next `count` pairs make.
    template <typename F>
    void next(int count, F&& body) {
        for (int done = 0; done < count;) {
            const int piece = std::min(count - done, frames_ - place_.column);
            body(done, place_.row, place_.column, piece);
            done += piece;
            place_.column += piece;
            if (place_.column == frames_) {
                ++place_.row;
                place_.column = place_.row + 1;
            }
        }
    }

private:
    int frames_;
    Place place_;
};

/// Walks over chosen pairs.
class ChosenWalk {
public:
    ChosenWalk(const PairSelection& pairs, std::ptrdiff_t begin) : pairs_(pairs), next_(begin) {}

    /// As Walk::next; each pair is a piece.
    template <typename F>
    void next(int count, F&& body) {
        for (int k = 0; k < count; ++k, ++next_) {
            body(k, pairs_.rows[at(next_)], pairs_.columns[at(next_)], 1);
        }
    }

private:
    const PairSelection& pairs_;
    std::ptrdiff_t next_;
};

/// NaN alone is unlike itself.
inline FourBits is_number(Four x) {
    return x == x;  // NOLINT(misc-redundant-expression)
}

inline int whole_lanes(int count) {
    return (count + lanes::width - 1) / lanes::width * lanes::width;
}

/// The work on one range of pairs. What runs over a chunk is inlined by force: left to itself the
/// compiler stops doing so once there are losses too, and a tenth of the speed is gone.
template <Motion motion, ShearTerm shear, Level level>
class Pass {
public:
    static constexpr bool is_at_rest = motion == Motion::diffusion;  // one curve for all angles

    explicit Pass(const PairModel& model) : model_(model), slope_(-2 * model.half_q2_dt()) {}

    template <typename AnyWalk>
    void load_chunk(AnyWalk& walk, int count) {
        walk.next(count, [&](int first, int row, int column, int piece) {
            gather(first, row, column, piece);
        });
        for (int k = count; k < whole_lanes(count); ++k) {
            pad(k);
        }
        for (int k = 0; k < whole_lanes(count); k += lanes::width) {
            share(k);
        }
    }

    /// The columns of an angle: g1² of equation (2) of docs/xpcs/theory.md, and equation (7).
    [[gnu::always_inline]] void columns(int count,
                                        const PairModel::PhaseFactor& factor,
                                        const AngleData& data,
                                        const double* c2) {
        for (int k = 0; k < count; k += lanes::width) {
            const Curve curve = curve_at(k, factor);
            const Four y = load(c2 + k);
            const FourBits counts = is_number(y);
            const Four residual =
                y - all(data.reference.offset) - all(data.reference.contrast) * curve.x;
            put(columns_.one, k, keep(counts, all(1)));
            put(columns_.x, k, keep(counts, curve.x));
            put(columns_.residual, k, keep(counts, residual));
            if constexpr (has_derivatives) {
                derivatives(k, keep(counts, curve.by_exponent), keep(counts, curve.by_phase));
            }
        }
    }

    /// What the angles share at rest: the columns of their curve, and the products of these.
    [[gnu::always_inline]] void share_curve(int count) {
        CurveSums sums{};
        in_lanes(count, [&](int k, FourBits is_pair) {
            const Curve curve = curve_at(k, {});
            const Four x = keep(is_pair, curve.x);
            put(curve_.x, k, x);
            sums.ones += keep(is_pair, all(1));
            sums.x += x;
            sums.xx = fused(x, x, sums.xx);
            if constexpr (has_derivatives) {
                const Four by_exponent = keep(is_pair, curve.by_exponent);
                for (int p = 0; p < 3; ++p) {
                    const Four column = by_exponent * get(shared_.diffusion[p], k);
                    put(curve_.diffusion[p], k, column);
                    sums.by_one[p] += column;
                    sums.by_x[p] = fused(x, column, sums.by_x[p]);
                }
            }
        });
        curve_sums_ = sums;
        if constexpr (level == Level::gram) {
            curve_gram_ = {};
            within(whole_lanes(count), curve_.diffusion, AngleSums::first_derivative, curve_gram_);
        }
    }

    /// Adds the products of an angle at rest to its sums, with the bits of columns() and sum().
    /// @returns false: some pair does not count, and nothing was added
    [[gnu::always_inline]] bool sum_residuals(int count,
                                              const AngleData& data,
                                              const double* c2,
                                              LaneSums& sums) const {
        Four r{}, xr{}, rr{}, r0{}, r1{}, r2{};
        FourBits counts = ~FourBits{};
        in_lanes(count, [&](int k, FourBits is_pair) {
            const Four x = get(curve_.x, k);
            const Four y = load(c2 + k);
            const Four residual =
                keep(is_pair, y - all(data.reference.offset) - all(data.reference.contrast) * x);
            counts &= is_number(y) | ~is_pair;
            r += residual;
            xr = fused(x, residual, xr);
            rr = fused(residual, residual, rr);
            if constexpr (has_derivatives) {
                r0 = fused(residual, get(curve_.diffusion[0], k), r0);
                r1 = fused(residual, get(curve_.diffusion[1], k), r1);
                r2 = fused(residual, get(curve_.diffusion[2], k), r2);
            }
        });
        if (!lanes::every(counts)) {
            return false;
        }
        add(sums, AngleSums::one, AngleSums::residual, r);
        add(sums, AngleSums::x, AngleSums::residual, xr);
        add(sums, AngleSums::residual, AngleSums::residual, rr);
        if constexpr (has_derivatives) {
            add(sums, AngleSums::residual, AngleSums::first_derivative, r0);
            add(sums, AngleSums::residual, AngleSums::first_derivative + 1, r1);
            add(sums, AngleSums::residual, AngleSums::first_derivative + 2, r2);
        }
        add_curve_sums(sums);
        return true;
    }

    /// The columns of an angle with the angle's factors, to places from `first` on.
    void copy_columns(int count,
                      const PairModel::PhaseFactor& factor,
                      std::ptrdiff_t first,
                      RowColumns& to) const {
        const auto copy = [&](const Column& from, double scale, std::vector<double>& column) {
            for (int k = 0; k < count; ++k) {
                column[at(first + k)] = scale * from[at(k)];
            }
        };
        copy(columns_.x, 1, to.x);
        copy(columns_.residual, 1, to.residual);
        for (std::size_t p = 0; p < 3; ++p) {
            copy(columns_.diffusion[p], 1, to.derivatives[p]);
        }
        if constexpr (motion == Motion::laminar_flow) {
            for (std::size_t p = 0; p < 3; ++p) {
                copy(columns_.flow[p], factor.factor, to.derivatives[3 + p]);
            }
            copy(columns_.phase, factor.by_phi0, to.derivatives[6]);
        }
    }

    void values(int count, const PairModel::PhaseFactor& factor, double* x) const {
        for (int k = 0; k < count; k += lanes::width) {
            store(x + k, curve_at(k, factor).x);
        }
    }

    /// Turns the columns into those of a linear model with the gradient of the loss and, along each
    /// residual, its curvature.
    void weigh(int count, const nlsq::Loss& loss) {
        const double square = loss.scale * loss.scale;
        for (int k = 0; k < count; ++k) {
            const std::size_t pair = at(k);
            const double r = columns_.residual[pair];
            const double counts = columns_.one[pair];
            const auto rho = nlsq::loss_value(loss.kind, r * r / square);
            if constexpr (level == Level::influence) {
                columns_.one[pair] = counts * (rho.first + 2 * rho.second * (r * r / square));
                columns_.residual[pair] = rho.first * r;
            } else {
                const double weight = nlsq::curvature_weight(rho, r * r / square);
                columns_.loss[pair] = square * rho.value;
                columns_.one[pair] = counts * weight;
                columns_.x[pair] *= weight;
                columns_.residual[pair] *= rho.first / weight;
                scale_derivatives(pair, weight);
            }
        }
    }

    template <bool weighted>
    [[gnu::always_inline]] void sum(int count, LaneSums& sums) const {
        sum_value<weighted>(count, sums);
        if constexpr (has_derivatives) {
            cross<weighted>(count, columns_.diffusion, AngleSums::first_derivative, sums);
            if constexpr (motion == Motion::laminar_flow) {
                cross<weighted>(count, columns_.flow, AngleSums::first_derivative + 3, sums);
                sum_phase<weighted>(count, sums);
            }
        }
        if constexpr (level == Level::gram) {
            sum_gram(count, sums);
        }
    }

private:
    static constexpr bool has_derivatives = level == Level::gradient || level == Level::gram;

    struct Curve {
        Four x;
        Four by_exponent;
        Four by_phase;
    };

    static void put(Column& column, int k, Four value) { store(&column[at(k)], value); }
    static Four get(const Column& column, int k) { return load(&column[at(k)]); }

    void gather(int first, int row, int column, int count) {
        const auto take = [&](Column& to, std::span<const double> nodes) {
            differences(&to[at(first)], nodes.data(), row, column, count);
        };
        take(shared_.decay, model_.diffusion().integral());
        if constexpr (has_derivatives) {
            for (int p = 0; p < 3; ++p) {
                take(shared_.diffusion[p], model_.diffusion().derivative(p));
            }
        }
        if constexpr (motion == Motion::laminar_flow) {
            take(shared_.shear, model_.shear_rate().integral());
            if constexpr (has_derivatives) {
                for (int p = 0; p < 3; ++p) {
                    take(shared_.flow[p], model_.shear_rate().derivative(p));
                }
            }
        }
    }

    void pad(int k) {
        shared_.decay[at(k)] = 1;
        shared_.shear[at(k)] = 1;
        for (int p = 0; p < 3; ++p) {
            shared_.diffusion[p][at(k)] = 0;
            shared_.flow[p][at(k)] = 0;
        }
    }

    [[gnu::always_inline]] void share(int k) {
        const Length integral = smoothed(get(shared_.decay, k));
        put(shared_.decay, k, lanes::exp(all(slope_) * integral.value));
        if constexpr (has_derivatives) {
            const Four slope = all(slope_) * integral.slope;
            for (int p = 0; p < 3; ++p) {
                put(shared_.diffusion[p], k, slope * get(shared_.diffusion[p], k));
            }
        }
        if constexpr (motion == Motion::laminar_flow) {
            share_flow(k);
        }
    }

    [[gnu::always_inline]] void share_flow(int k) {
        const Four difference = get(shared_.shear, k);
        const Four integral = lanes::sqrt(fused(difference, difference, all(smoothing)));
        const Four inverse = all(1) / integral;
        put(shared_.shear, k, integral);
        put(shared_.inverse, k, inverse);
        if constexpr (has_derivatives) {
            const Four slope = difference * inverse;
            for (int p = 0; p < 3; ++p) {
                put(shared_.flow[p], k, slope * get(shared_.flow[p], k));
            }
        }
    }

    [[nodiscard]] Curve curve_at(int k, const PairModel::PhaseFactor& factor) const {
        const Four decay = get(shared_.decay, k);
        if constexpr (motion == Motion::diffusion) {
            return floored(decay, decay, all(0));
        } else {
            const Sinc sinc = sinc_at(k, factor.factor);
            if constexpr (shear == ShearTerm::paper) {
                const Four once = decay * sinc.value;
                const Four x = once * sinc.value;
                return {x, x, all(2) * once * sinc.slope};
            } else {
                const Four square = sinc.value * sinc.value;
                const Four part = decay * square;
                return floored(
                    part * square, part * square, all(4) * part * sinc.value * sinc.slope);
            }
        }
    }

    static Curve floored(Four x, Four by_exponent, Four by_phase) {
        const FourBits above = x > all(least_x);
        return {above ? x : all(least_x), keep(above, by_exponent), keep(above, by_phase)};
    }

    struct Sinc {
        Four value;
        Four slope;
    };

    [[nodiscard]] Sinc sinc_at(int k, double factor) const {
        const Four phase = all(factor) * get(shared_.shear, k);
        const Four inverse = all(factor == 0 ? 0 : 1 / factor) * get(shared_.inverse, k);
        const auto turned = lanes::sine_cosine(phase);
        const Four value = turned.sine * inverse;
        const Four slope = (turned.cosine - value) * inverse;

        const Four square = phase * phase;
        const FourBits small = square < all(small_phase * small_phase);
        const Four series = fused(square, fused(square, all(1.0 / 120), all(-1.0 / 6)), all(1));
        const Four series_slope = phase * fused(square, all(1.0 / 30), all(-1.0 / 3));
        return {small ? series : value, small ? series_slope : slope};
    }

    void derivatives(int k, Four by_exponent, Four by_phase) {
        for (int p = 0; p < 3; ++p) {
            put(columns_.diffusion[p], k, by_exponent * get(shared_.diffusion[p], k));
        }
        if constexpr (motion == Motion::laminar_flow) {
            for (int p = 0; p < 3; ++p) {
                put(columns_.flow[p], k, by_phase * get(shared_.flow[p], k));
            }
            put(columns_.phase, k, by_phase * get(shared_.shear, k));
        }
    }

    void scale_derivatives(std::size_t pair, double weight) {
        if constexpr (has_derivatives) {
            for (int p = 0; p < 3; ++p) {
                columns_.diffusion[p][pair] *= weight;
            }
            if constexpr (motion == Motion::laminar_flow) {
                for (int p = 0; p < 3; ++p) {
                    columns_.flow[p][pair] *= weight;
                }
                columns_.phase[pair] *= weight;
            }
        }
    }

    /// The column's share of a sum with that of ones, which are weights where there are any.
    template <bool weighted>
    [[nodiscard]] Four with_one(int k, Four column) const {
        if constexpr (weighted) {
            return get(columns_.one, k) * column;
        } else {
            return column;
        }
    }

    /// Sums of 1, x and r with each other.
    template <bool weighted>
    [[gnu::always_inline]] void sum_value(int count, LaneSums& sums) const {
        Four ones{};
        Four x{};
        Four r{};
        Four xx{};
        Four xr{};
        Four rr{};
        for (int k = 0; k < count; k += lanes::width) {
            const Four xk = get(columns_.x, k);
            const Four rk = get(columns_.residual, k);
            ones += with_one<weighted>(k, get(columns_.one, k));
            x += with_one<weighted>(k, xk);
            r += with_one<weighted>(k, rk);
            xx = fused(xk, xk, xx);
            xr = fused(xk, rk, xr);
            rr = weighted ? rr + get(columns_.loss, k) : fused(rk, rk, rr);
        }
        add(sums, AngleSums::one, AngleSums::one, ones);
        add(sums, AngleSums::one, AngleSums::x, x);
        add(sums, AngleSums::one, AngleSums::residual, r);
        add(sums, AngleSums::x, AngleSums::x, xx);
        add(sums, AngleSums::x, AngleSums::residual, xr);
        add(sums, AngleSums::residual, AngleSums::residual, rr);
    }

    /// step(k, which of the four are pairs)
    template <typename F>
    [[gnu::always_inline]] static void in_lanes(int count, F&& step) {
        const int whole = count / lanes::width * lanes::width;
        for (int k = 0; k < whole; k += lanes::width) {
            step(k, ~FourBits{});
        }
        if (whole < count) {
            step(whole, FourBits{0, 1, 2, 3} < static_cast<long long>(count - whole));
        }
    }

    [[gnu::always_inline]] void add_curve_sums(LaneSums& sums) const {
        add(sums, AngleSums::one, AngleSums::one, curve_sums_.ones);
        add(sums, AngleSums::one, AngleSums::x, curve_sums_.x);
        add(sums, AngleSums::x, AngleSums::x, curve_sums_.xx);
        constexpr int d = AngleSums::first_derivative;
        for (int p = 0; has_derivatives && p < 3; ++p) {
            add(sums, AngleSums::one, d + p, curve_sums_.by_one[p]);
            add(sums, AngleSums::x, d + p, curve_sums_.by_x[p]);
            for (int q = 0; level == Level::gram && q <= p; ++q) {
                add(sums, d + q, d + p, curve_gram_.products[AngleSums::index(d + q, d + p)]);
            }
        }
    }

    static void add(LaneSums& sums, int row, int column, Four value) {
        sums.products[AngleSums::index(row, column)] += value;
    }

    /// Sums of 1, x and r with three columns.
    template <bool weighted>
    [[gnu::always_inline]] void cross(int count,
                                      const Column (&three)[3],
                                      int first,
                                      LaneSums& sums) const {
        Four s0{}, s1{}, s2{}, x0{}, x1{}, x2{}, r0{}, r1{}, r2{};
        for (int k = 0; k < count; k += lanes::width) {
            const Four x = get(columns_.x, k);
            const Four r = get(columns_.residual, k);
            const Four c0 = get(three[0], k);
            const Four c1 = get(three[1], k);
            const Four c2 = get(three[2], k);
            s0 += with_one<weighted>(k, c0);
            s1 += with_one<weighted>(k, c1);
            s2 += with_one<weighted>(k, c2);
            x0 = fused(x, c0, x0);
            x1 = fused(x, c1, x1);
            x2 = fused(x, c2, x2);
            r0 = fused(r, c0, r0);
            r1 = fused(r, c1, r1);
            r2 = fused(r, c2, r2);
        }
        const Four all_sums[3][3] = {{s0, s1, s2}, {x0, x1, x2}, {r0, r1, r2}};
        for (int row = 0; row < 3; ++row) {
            for (int p = 0; p < 3; ++p) {
                add(sums, row, first + p, all_sums[row][p]);
            }
        }
    }

    template <bool weighted>
    [[gnu::always_inline]] void sum_phase(int count, LaneSums& sums) const {
        Four s{}, x{}, r{};
        for (int k = 0; k < count; k += lanes::width) {
            const Four c = get(columns_.phase, k);
            s += with_one<weighted>(k, c);
            x = fused(get(columns_.x, k), c, x);
            r = fused(get(columns_.residual, k), c, r);
        }
        constexpr int phase = AngleSums::first_derivative + 6;
        add(sums, AngleSums::one, phase, s);
        add(sums, AngleSums::x, phase, x);
        add(sums, AngleSums::residual, phase, r);
    }

    void sum_gram(int count, LaneSums& sums) const {
        constexpr int d = AngleSums::first_derivative;
        within(count, columns_.diffusion, d, sums);
        if constexpr (motion == Motion::laminar_flow) {
            within(count, columns_.flow, d + 3, sums);
            between(count, sums);
        }
    }

    void within(int count, const Column (&three)[3], int first, LaneSums& sums) const {
        Four s00{}, s01{}, s02{}, s11{}, s12{}, s22{};
        for (int k = 0; k < count; k += lanes::width) {
            const Four c0 = get(three[0], k);
            const Four c1 = get(three[1], k);
            const Four c2 = get(three[2], k);
            s00 = fused(c0, c0, s00);
            s01 = fused(c0, c1, s01);
            s02 = fused(c0, c2, s02);
            s11 = fused(c1, c1, s11);
            s12 = fused(c1, c2, s12);
            s22 = fused(c2, c2, s22);
        }
        add(sums, first, first, s00);
        add(sums, first, first + 1, s01);
        add(sums, first, first + 2, s02);
        add(sums, first + 1, first + 1, s11);
        add(sums, first + 1, first + 2, s12);
        add(sums, first + 2, first + 2, s22);
    }

    void between(int count, LaneSums& sums) const {
        Four s[3][3] = {};
        for (int k = 0; k < count; k += lanes::width) {
            const Four a[3] = {get(columns_.diffusion[0], k),
                               get(columns_.diffusion[1], k),
                               get(columns_.diffusion[2], k)};
            const Four b[3] = {
                get(columns_.flow[0], k), get(columns_.flow[1], k), get(columns_.flow[2], k)};
            for (int p = 0; p < 3; ++p) {
                for (int q = 0; q < 3; ++q) {
                    s[p][q] = fused(a[p], b[q], s[p][q]);
                }
            }
        }
        constexpr int d = AngleSums::first_derivative;
        for (int p = 0; p < 3; ++p) {
            for (int q = 0; q < 3; ++q) {
                add(sums, d + p, d + 3 + q, s[p][q]);
            }
        }
    }

    SharedColumns shared_;
    AngleColumns columns_;
    CurveColumns curve_;  // with sums of a chunk:
    LaneSums curve_gram_;
    CurveSums curve_sums_;
    const PairModel& model_;
    double slope_;  // of the exponent by ∫D
};

}  // namespace lockstep::xpcs::pass
