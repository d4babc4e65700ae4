#include "lockstep/base/error.hpp"
#include "lockstep/io/hdf5.hpp"

namespace lockstep::io {

bool has_hdf5() noexcept {
    return false;
}

std::unique_ptr<Hdf5Reader> open_hdf5(const std::filesystem::path& path) {
    throw NotBuiltError("cannot read " + path.string() +
                        ": HDF5 is not in this build: configure with -DLOCKSTEP_WITH_HDF5=ON, or "
                        "convert the file to .npz");
}

std::unique_ptr<Hdf5Writer> create_hdf5(const std::filesystem::path& path) {
    throw NotBuiltError("cannot write " + path.string() +
                        ": HDF5 is not in this build: configure with -DLOCKSTEP_WITH_HDF5=ON, or "
                        "write .npz");
}

}  // namespace lockstep::io
