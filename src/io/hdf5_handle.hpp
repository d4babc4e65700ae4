#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

namespace lockstep::io {

/// Owns an identifier of the HDF5 library.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, Close close) noexcept : id_(id), close_(close) {}
    ~Hdf5Handle() { reset(); }
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, H5I_INVALID_HID);
            close_ = other.close_;
        }
        return *this;
    }

    [[nodiscard]] hid_t get() const noexcept { return id_; }
    [[nodiscard]] bool is_valid() const noexcept { return id_ >= 0; }
    /// @returns whether closing went well, which writing files is not known before
    bool reset() noexcept {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id < 0 || close_(id) >= 0;
    }

private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// The library may be in use by one thread at a time. Who holds the lock also keeps it from
/// printing its errors.
std::unique_lock<std::mutex> lock_hdf5();

/// What the library says of its last fault in this thread, without a full stop.
std::string hdf5_reason();

template <typename T>
hid_t hdf5_type();
template <>
inline hid_t hdf5_type<double>() {
    return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t hdf5_type<float>() {
    return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t hdf5_type<std::int64_t>() {
    return H5T_NATIVE_INT64;
}

}  // namespace lockstep::io
