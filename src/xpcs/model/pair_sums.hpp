#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/xpcs/model/measurement.hpp"
#include "lockstep/xpcs/model/physics.hpp"
#include "lockstep/xpcs/model/scale.hpp"
#include "lockstep/xpcs/nlsq/loss.hpp"

#include "xpcs/model/lanes.hpp"
#include "xpcs/model/pair_selection.hpp"
#include "xpcs/model/transport.hpp"

namespace lockstep::xpcs {

/// How much of the sums somebody needs. With a loss that is not linear, `influence` gives that of
/// the residuals: ψ = ρ' r in the column of the residuals and dψ/dr in that of ones.
enum class Level { value, gradient, gram, influence };

/// Products of columns, summed over the pairs of frames of one angle. The columns: 1, x = g1², the
/// residual r, the derivatives of x by D0, alpha, D_offset, by gamma_dot_t0, beta,
/// gamma_dot_t_offset and by phi0, the last four without the angle's own factor.
struct AngleSums {
    static constexpr int columns = 10;
    static constexpr int one = 0;
    static constexpr int x = 1;
    static constexpr int residual = 2;
    static constexpr int first_derivative = 3;

    static constexpr std::size_t index(int row, int column) noexcept {
        const int low = row < column ? row : column;
        const int high = row < column ? column : row;
        return static_cast<std::size_t>(high * (high + 1) / 2 + low);
    }
    [[nodiscard]] double operator()(int row, int column) const noexcept {
        return products[index(row, column)];
    }
    double& operator()(int row, int column) noexcept { return products[index(row, column)]; }

    std::array<double, 55> products{};

    void add(const AngleSums& other) noexcept {
        for (std::size_t i = 0; i < products.size(); ++i) {
            products[i] += other.products[i];
        }
    }
};

/// Sums of one angle on their way, a lane each.
struct alignas(64) LaneSums {
    lanes::Four products[55] = {};

    /// The first products; the others are 0.
    void fold_into(AngleSums& sums, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            sums.products[i] += lanes::fold(products[i]);
        }
    }
};

/// Room for the sums of all angles, so that adding allocates nothing.
using PairScratch = AlignedVector<LaneSums>;

/// What the residuals of an angle are taken from: y - offset - contrast x. NaN marks pairs that do
/// not count.
///
/// With a loss that is not linear columns are weighted, equation (26) of docs/xpcs/theory.md: their
/// products are those of a Gauss-Newton step, and (residual, residual) is Σ scale² ρ.
struct AngleData {
    std::span<const double> c2;  ///< [pairs], packed row by row above the diagonal
    Scale reference{};
    nlsq::Loss loss{};  ///< its scale in the unit of c2; of one kind at all angles
};

/// What the pairs of one row are at an angle.
struct RowColumns {
    explicit RowColumns(int frames)
        : x(static_cast<std::size_t>(frames)), residual(x), derivatives{x, x, x, x, x, x, x} {}

    std::vector<double> x;                           // g1²; 0 where a pair does not count
    std::vector<double> residual;                    // 0 where it does not
    std::array<std::vector<double>, 7> derivatives;  // of x by the physical parameters
};

/// The model at one point of its parameters, ready to be summed over pairs of frames.
class PairModel {
public:
    PairModel(Motion motion,
              ShearTerm shear,
              const Geometry& geometry,
              const FrameTimes& frames,
              std::span<const double> angles);

    /// @param parameters  as parameters_of()
    void set(std::span<const double> parameters);

    [[nodiscard]] Motion motion() const noexcept { return motion_; }
    [[nodiscard]] ShearTerm shear() const noexcept { return shear_; }
    /// q² dt / 2
    [[nodiscard]] double half_q2_dt() const noexcept { return half_q2_dt_; }
    [[nodiscard]] int frames() const noexcept { return frames_; }
    [[nodiscard]] int angles() const noexcept { return static_cast<int>(phi_.size()); }
    [[nodiscard]] std::ptrdiff_t pairs() const noexcept { return pair_count(frames_); }
    /// D(t) and γ̇(t) at the frames.
    [[nodiscard]] const Coefficient& diffusion() const noexcept { return diffusion_; }
    [[nodiscard]] const Coefficient& shear_rate() const noexcept { return shear_rate_; }

    /// Adds the pairs [begin, end) of all angles to `sums` [angles]. Pairs are summed in an order
    /// that depends on the range alone.
    /// @param scratch  any
    void add(std::ptrdiff_t begin,
             std::ptrdiff_t end,
             std::span<const AngleData> data,
             Level level,
             std::span<AngleSums> sums,
             PairScratch& scratch) const;

    /// The same of chosen pairs [begin, end), whose data are those of `data`.
    void add_chosen(const PairSelection& pairs,
                    std::ptrdiff_t begin,
                    std::ptrdiff_t end,
                    std::span<const AngleData> data,
                    Level level,
                    std::span<AngleSums> sums,
                    PairScratch& scratch) const;

    /// g1² of the pairs [begin, end) of an angle.
    void fill(std::ptrdiff_t begin, std::ptrdiff_t end, int angle, std::span<double> x) const;

    /// Columns of a row's pairs at an angle: of pair (row, row + 1 + k) at place k.
    void fill_row(int row, int angle, const AngleData& data, RowColumns& columns) const;

    /// The same of chosen pairs, whose data are those of `data`: of pair k at place k.
    void fill_chosen(const PairSelection& pairs,
                     int angle,
                     const AngleData& data,
                     RowColumns& columns) const;

    /// Puts the factors of the angles into sums of derivatives by the parameters of the flow, and
    /// completes the products with that by phi0.
    void finish(std::span<AngleSums> sums, Level level) const;

    /// How the phase of the shear term goes with the flow: by phase = factor ∫γ̇, and with phi0.
    struct PhaseFactor {
        double factor;
        double by_phi0;  // per degree
    };

private:
    template <Level level, bool has_loss, typename AnyWalk>
    void add_at(AnyWalk walk,
                std::ptrdiff_t begin,
                std::ptrdiff_t end,
                std::span<const AngleData> data,
                std::span<AngleSums> sums,
                PairScratch& scratch) const;
    template <typename AnyWalk>
    void add_along(AnyWalk walk,
                   std::ptrdiff_t begin,
                   std::ptrdiff_t end,
                   std::span<const AngleData> data,
                   Level level,
                   std::span<AngleSums> sums,
                   PairScratch& scratch) const;
    template <typename AnyWalk>
    void fill_along(AnyWalk walk,
                    std::ptrdiff_t begin,
                    std::ptrdiff_t end,
                    int angle,
                    const AngleData& data,
                    RowColumns& columns) const;

    Motion motion_;
    ShearTerm shear_;
    int frames_;
    double half_q2_dt_;
    double phase_;  // q L dt / 2π, or π times that
    std::vector<double> phi_;
    Coefficient diffusion_;
    Coefficient shear_rate_;
    double rate_ = 0;
    double rate_offset_ = 0;
    std::vector<PhaseFactor> factors_;  // [angles]
};

}  // namespace lockstep::xpcs
