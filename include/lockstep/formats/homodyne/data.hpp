#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/shared_array.hpp"
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

/// A matrix beside the values of its pairs.
struct MatrixFacts {
    std::string shape;                  ///< "full and symmetric", "halves: …"
    std::vector<double> diagonal{};     ///< [frames] of the measurement
    std::vector<double> dropped{};      ///< as Loaded::dropped, of one angle
    std::vector<std::int64_t> pairs{};  ///< [frames that are read] with a value
    std::int64_t masked = 0;            ///< pairs without a value
    std::int64_t infinite = 0;          ///< of these
    double sum = 0;                     ///< of the values
};

/// The matrices that a configuration names, to be read one by one: ranks that hold a measurement
/// once read some of them each.
class Matrices {
public:
    /// Finds out what there is, without reading a matrix.
    /// @throws as load()
    explicit Matrices(const Configuration& configuration, FirstFrame first = FirstFrame::dropped);
    ~Matrices();
    Matrices(const Matrices&) = delete;
    Matrices& operator=(const Matrices&) = delete;

    [[nodiscard]] int angles() const noexcept;
    /// Pairs of frames of an angle.
    [[nodiscard]] std::int64_t pairs() const noexcept;
    /// The values of an angle into `c2` [pairs].
    /// @throws as load()
    MatrixFacts read(int angle, std::span<double> c2);
    /// The measurement, with the values of all angles in memory of its own.
    /// @throws as load()
    Loaded read_all();
    /// The measurement, with the values and the facts of all angles.
    /// @param c2  [angles, pairs]
    /// @throws as load()
    [[nodiscard]] Loaded assemble(SharedArray<double> c2,
                                  const std::vector<MatrixFacts>& facts) const;

private:
    struct State;
    std::unique_ptr<State> state_;
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

/// Whether homodyne would write that cache: `cache_file_path` names a folder, `cache_strategy` is
/// not none, and the data are no arrays of NumPy themselves.
bool is_cache_wanted(const Configuration& configuration);

/// Writes that cache, whole or not at all, of matrices with the first frame, be it in the
/// measurement or dropped; beside it phi_angles_list.txt and wavevector_q_list.txt.
/// @throws IoError
void write_cache(const Configuration& configuration, const Loaded& loaded);

/// (-180, 180] degrees.
double normalized_angle(double degrees) noexcept;

/// Doubts about values whose unit may be another than said: 1/nm for 1/Å, ms for s, nm or µm for Å.
/// Each is a sentence with the value, what is usual, and what to change.
std::vector<std::string> unit_doubts(const Configuration& configuration);

}  // namespace lockstep::formats::homodyne
