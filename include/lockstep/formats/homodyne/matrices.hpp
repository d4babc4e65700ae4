#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "lockstep/formats/homodyne/data.hpp"

namespace lockstep::formats::homodyne {

/// Two-time matrices of one wavevector that are in memory.
struct WholeMatrices {
    double q = 0;               ///< [Å⁻¹]
    double gap = 0;             ///< [Å]
    double dt = 0;              ///< [s]
    int first_frame = 0;        ///< t_k = (first_frame + k)·dt
    std::vector<double> phi{};  ///< [angles] degrees in (-180, 180], ascending
    int frames = 0;
    std::span<const double> values{};  ///< [angles, frames, frames], full or halves
};

/// The measurement, as of a file with these matrices: a frame at t = 0 is dropped where two are
/// left, and values that are not finite are masked.
/// @throws InputError  what the measurement cannot be, and a matrix that is not symmetric
Loaded load(const WholeMatrices& matrices);

/// The same matrices again: full, with the frame that was dropped.
/// @{
int whole_frames(const Loaded& loaded) noexcept;
/// @param full  [frames, frames]
void fill_whole(const Loaded& loaded, int angle, std::span<double> full);
/// @}

/// Writes matrices with the first frame in the older layout of the Advanced Photon Source: upper
/// triangles with the diagonal.
/// @throws IoError; NotBuiltError  this build has no HDF5
void write_aps(const std::filesystem::path& file, const Loaded& loaded);

/// Writes them in the layout of homodyne's cache, with dt and gap in its metadata.
/// @throws IoError
void write_npz(const std::filesystem::path& file, const Loaded& loaded);

}  // namespace lockstep::formats::homodyne
