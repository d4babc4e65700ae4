#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs {

/// Pixels of a detector that sees speckle, equation (17) of docs/xpcs/theory.md: each the sum of a
/// few independent Gaussian fields' intensities, counted photon by photon. What a pixel sees is a
/// function of (seed, what it is for, angle, pixel).
class Speckle {
public:
    static constexpr int width = 8;  ///< pixels that are made together

    /// @param g1  [pairs] of the fields, packed row by row above the diagonal
    /// @param contrast  in (0, 1]: of 1 / contrast modes
    /// @param photons  mean per pixel and frame; infinity: the intensity itself
    /// @param purpose  names the random numbers: those of data are not those of their errors
    Speckle(std::span<const double> g1,
            int frames,
            double contrast,
            double photons,
            std::uint64_t seed,
            std::string_view purpose,
            int angle);

    struct Scratch {
        explicit Scratch(int frames);
        AlignedVector<double> normals;  // [frames, width]
        std::vector<double> row;        // [frames]
    };

    /// Counts over their mean of pixels first, first + 1, …; [frames, width].
    void fill(std::int64_t first, Scratch& scratch, std::span<double> counts) const;

private:
    void add_mode(std::int64_t first,
                  std::uint32_t step,
                  double weight,
                  Scratch& scratch,
                  std::span<double> intensity) const;
    void count_photons(std::int64_t first, Scratch& scratch, std::span<double> counts) const;
    [[nodiscard]] std::uint64_t item(std::int64_t pixel) const noexcept;

    int frames_;
    double photons_;
    int angle_;
    std::vector<double> mode_weights_;  // of mean intensity, sum 1
    AlignedVector<double> factor_;      // Cholesky factor of g1, packed by rows
    runtime::Random fields_;
    runtime::Random counts_;
};

}  // namespace lockstep::xpcs
