#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

namespace lockstep::formats::homodyne {

/// Whether the first frame, t = 0, stays in the measurement. homodyne's fits leave it out.
enum class FirstFrame { dropped, kept };

/// What a file has of what a configuration asks for; found without reading the matrices.
struct Selection {
    std::string layout;              ///< "APS-U", "homodyne's cache", …
    std::vector<std::string> names;  ///< [angles] of the matrices
    std::vector<double> q;           ///< [angles], Å⁻¹
    std::vector<double> phi;         ///< [angles] degrees in (-180, 180], ascending
    int file_frames = 0;
    int first = 0;                   ///< frame of the file, from 0
    int count = 0;                   ///< frames that are read
    std::vector<std::string> notes;  ///< what was decided, and doubts
};

/// A measurement and how it came about.
struct Loaded {
    lockstep::xpcs::Measurement measurement;
    Selection selection;
    /// [angles, frames + 1]: the row of the frame that was dropped, its diagonal first; empty when
    /// it was kept.
    std::vector<double> dropped{};
};

/// Reads what a configuration names: HDF5 files of the Advanced Photon Source (old and new), of
/// NeXus and of pyCHX, arrays of NumPy, and homodyne's cache. Nothing is widened, repaired or
/// guessed in silence: the notes say what was decided.
/// @throws IoError  missing, unreadable; InputError  names the file, the dataset, what was found
/// and what is allowed; NotBuiltError  HDF5 is not in this build
Loaded load(const Configuration& configuration, FirstFrame first = FirstFrame::dropped);

/// The same without the matrices.
Selection look_at(const Configuration& configuration);

/// The file under which homodyne caches what it loaded for this configuration.
std::filesystem::path cache_path(const Configuration& configuration);

/// Writes that cache, whole or not at all, of a measurement with its first frame.
/// @throws IoError
void write_cache(const Configuration& configuration, const Loaded& loaded);

/// (-180, 180] degrees.
double normalized_angle(double degrees) noexcept;

/// Doubts about values whose unit may be another than said: 1/nm for 1/Å, ms for s, nm or µm for Å.
/// Each is a sentence with the value, what is usual, and what to change.
std::vector<std::string> unit_doubts(const Configuration& configuration);

}  // namespace lockstep::formats::homodyne
