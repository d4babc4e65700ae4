#include <array>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/io/file.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {
namespace {

// Files of one-time curves look like ours and hold nothing for a fit of two times.
constexpr std::array<const char*, 3> one_time_curves{
    "entry/1_XPCS/results/g2", "xpcs/multitau/normalized_g2", "exchange/norm-0-g2"};

// Matrices of a layout, and what says where on the detector they belong.
struct Needed {
    const char* matrices;
    std::array<const char*, 2> lists;
};
constexpr std::array<Needed, 2> needed{
    Needed{"exchange/C2T_all", {"xpcs/dqlist", "xpcs/dphilist"}},
    Needed{"xpcs/twotime/correlation_map",
           {"xpcs/qmap/dynamic_v_list_dim0", "xpcs/qmap/dynamic_v_list_dim1"}}};

void refuse_missing_lists(const io::Hdf5Reader& file, const std::string& name) {
    for (const Needed& of : needed) {
        for (const char* const list : of.lists) {
            if (file.kind(of.matrices) == io::Hdf5Kind::group &&
                file.kind(list) != io::Hdf5Kind::numbers) {
                refuse(name,
                       fmt::format("has matrices (/{}), but no numbers as /{}, which says the "
                                   "wavevectors or angles that they belong to: add them, or name "
                                   "one matrix as lockstep.data.dataset",
                                   of.matrices,
                                   list));
            }
        }
    }
}

[[noreturn]] void refuse_layout(const io::Hdf5Reader& file, const std::string& name) {
    for (const char* const curve : one_time_curves) {
        if (file.kind(curve) != io::Hdf5Kind::absent) {
            refuse(name,
                   fmt::format("holds one-time curves (/{}) and no two-time matrix: run the "
                               "correlator with two-time correlation",
                               curve));
        }
    }
    refuse_missing_lists(file, name);
    refuse(
        name,
        fmt::format("its layout is not known (at its root: {}): must be of the APS "
                    "(/exchange/C2T_all with /xpcs/dqlist, or /xpcs/twotime/correlation_map with "
                    "/xpcs/qmap), NeXus or pyCHX, or name a dataset as lockstep.data.dataset",
                    fmt::join(file.names(""), ", ")));
}

std::unique_ptr<MatrixSource> open_hdf5_matrices(const std::filesystem::path& path,
                                                 const Configuration& configuration) {
    const std::shared_ptr<io::Hdf5Reader> file = io::open_hdf5(path);
    const std::string name = path.string();
    if (auto source = open_dataset(file, configuration)) {
        return source;
    }
    for (const auto& open : {open_aps_u, open_aps_old, open_nexus, open_pychx}) {
        if (auto source = open(file, name)) {
            return source;
        }
    }
    refuse_layout(*file, name);
}

std::unique_ptr<MatrixSource> open_numpy(const std::filesystem::path& path,
                                         const Configuration& configuration) {
    if (path.extension() == ".npz") {
        if (auto source = open_cache(path, configuration)) {
            return source;
        }
    }
    return open_array(path, configuration);
}

}  // namespace

std::unique_ptr<MatrixSource> open_matrices(const Configuration& configuration) {
    const std::filesystem::path& path = configuration.data.file;
    if (path.empty()) {
        refuse(configuration.file,
               "names no data: set experimental_data.data_folder_path and data_file_name");
    }
    if (!io::is_there(path)) {
        const std::filesystem::path cache = cache_path(configuration);
        if (configuration.data.cache_is_used && io::is_there(cache)) {
            if (auto source = open_cache(cache, configuration)) {
                return source;
            }
        }
        throw IoError(
            fmt::format("cannot read {}: no such file (experimental_data of {}; the path is "
                        "relative to the folder that the program runs in)",
                        path.string(),
                        configuration.file),
            IoError::Direction::read);
    }
    const std::string extension = path.extension().string();
    return extension == ".npz" || extension == ".npy" ? open_numpy(path, configuration)
                                                      : open_hdf5_matrices(path, configuration);
}

}  // namespace lockstep::formats::homodyne
