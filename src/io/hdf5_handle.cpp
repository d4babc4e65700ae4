#include "io/hdf5_handle.hpp"

namespace lockstep::io {
namespace {

// The innermost fault comes first; it is the cause of the others.
herr_t take_reason(unsigned /*number*/, const H5E_error2_t* error, void* text) {
    auto& reason = *static_cast<std::string*>(text);
    if (reason.empty() && error->desc != nullptr) {
        reason = error->desc;
    }
    return 0;
}

}  // namespace

std::unique_lock<std::mutex> lock_hdf5() {
    static std::mutex mutex;
    std::unique_lock lock(mutex);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return lock;
}

std::string hdf5_reason() {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
    H5Eclear2(H5E_DEFAULT);
    return reason.empty() ? "the HDF5 library gives no reason" : reason;
}

}  // namespace lockstep::io
