#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/hdf5.hpp"

#include "io/hdf5_handle.hpp"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

Hdf5Handle text_type() {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

Hdf5Handle space_of(std::span<const std::int64_t> shape) {
    const std::vector<hsize_t> lengths(shape.begin(), shape.end());
    return {lengths.empty()
                ? H5Screate(H5S_SCALAR)
                : H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr),
            H5Sclose};
}

/// As attributes are: a single value or a list.
Hdf5Handle list_of(std::size_t count) {
    const std::vector<std::int64_t> shape(count == 1 ? 0 : 1, static_cast<std::int64_t>(count));
    return space_of(shape);
}

Hdf5Handle fixed_text(std::size_t length) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), length + 1);
    return type;
}

/// An axis of a dataset that a scale belongs to.
struct Use {
    hobj_ref_t dataset;
    int axis;
};

Hdf5Handle use_type() {
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Use)), H5Tclose);
    H5Tinsert(type.get(), "dataset", HOFFSET(Use, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type.get(), "dimension", HOFFSET(Use, axis), H5T_NATIVE_INT);
    return type;
}

Hdf5Handle creation(const Hdf5Storage& storage) {
    Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(list.get(), false);  // else the bytes depend on the clock
    if (!storage.chunk.empty()) {
        const std::vector<hsize_t> chunk(storage.chunk.begin(), storage.chunk.end());
        H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
    }
    if (storage.deflate > 0) {
        H5Pset_deflate(list.get(), static_cast<unsigned>(storage.deflate));
    }
    return list;
}

class Writer final : public Hdf5Writer {
public:
    explicit Writer(fs::path path) : path_(std::move(path)) {
        if (path_.has_parent_path()) {
            make_folder(path_.parent_path());
        }
        temporary_ = temporary_name(path_);
        const auto lock = lock_hdf5();
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_file_locking(access.get(), false, true);
        file_ = Hdf5Handle(H5Fcreate(temporary_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                           H5Fclose);
        require(file_.is_valid());
        links_ = Hdf5Handle(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
        H5Pset_create_intermediate_group(links_.get(), 1);
    }
    ~Writer() override {
        const auto lock = lock_hdf5();
        links_.reset();
        if (file_.is_valid()) {
            file_.reset();
            remove();
        }
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void write(std::string_view dataset,
               std::span<const double> values,
               std::span<const std::int64_t> shape,
               const Hdf5Storage& storage) override {
        write_numbers(dataset, values, shape, storage);
    }
    void write(std::string_view dataset,
               std::span<const float> values,
               std::span<const std::int64_t> shape,
               const Hdf5Storage& storage) override {
        write_numbers(dataset, values, shape, storage);
    }
    void write(std::string_view dataset,
               std::span<const std::int64_t> values,
               std::span<const std::int64_t> shape,
               const Hdf5Storage& storage) override {
        write_numbers(dataset, values, shape, storage);
    }

    void write(std::string_view dataset, const std::string& text) override {
        const auto lock = lock_hdf5();
        const char* const letters = text.c_str();
        write_values(dataset, text_type().get(), space_of({}), {}, &letters);
    }

    void set(std::string_view object, std::string_view name, const Hdf5Attribute& value) override {
        const auto lock = lock_hdf5();
        const Hdf5Handle opened = open(object);
        if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
            set_values(opened, name, H5T_NATIVE_DOUBLE, list_of(numbers->size()), numbers->data());
            return;
        }
        std::vector<const char*> letters;
        for (const std::string& text : std::get<std::vector<std::string>>(value)) {
            letters.push_back(text.c_str());
        }
        set_values(opened, name, text_type().get(), list_of(letters.size()), letters.data());
    }

    void label(std::string_view dataset, std::span<const std::string> scales) override {
        const auto lock = lock_hdf5();
        const Hdf5Handle labelled = open(dataset);
        std::vector<hobj_ref_t> references;
        std::vector<hvl_t> axes;
        references.reserve(scales.size());
        for (const std::string& scale : scales) {
            uses_[scale].push_back({reference_to(dataset), static_cast<int>(axes.size())});
            references.push_back(reference_to(scale));
            axes.push_back({1, &references.back()});
        }
        const Hdf5Handle type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
        const std::vector<std::int64_t> shape{std::ssize(axes)};
        set_values(labelled, "DIMENSION_LIST", type.get(), space_of(shape), axes.data());
    }

    void close() override {
        {
            const auto lock = lock_hdf5();
            write_scales();
            links_.reset();
            require(file_.reset());
        }
        commit_file(temporary_, path_);
    }

private:
    void require(bool went_well) {
        if (went_well) {
            return;
        }
        const std::string why = hdf5_reason();
        if (!file_.is_valid()) {
            remove();
        }
        throw IoError(fmt::format("cannot write {}: {}", path_.string(), why),
                      IoError::Direction::write);
    }

    void remove() noexcept {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }

    void write_values(std::string_view dataset,
                      hid_t type,
                      const Hdf5Handle& space,
                      const Hdf5Storage& storage,
                      const void* values) {
        const Hdf5Handle list = creation(storage);
        const Hdf5Handle created(H5Dcreate2(file_.get(),
                                            std::string(dataset).c_str(),
                                            type,
                                            space.get(),
                                            links_.get(),
                                            list.get(),
                                            H5P_DEFAULT),
                                 H5Dclose);
        require(created.is_valid());
        require(H5Dwrite(created.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }

    template <typename T>
    void write_numbers(std::string_view dataset,
                       std::span<const T> values,
                       std::span<const std::int64_t> shape,
                       const Hdf5Storage& storage) {
        const auto lock = lock_hdf5();
        const Hdf5Handle space = space_of(shape);
        if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(values.size())) {
            throw AssertionError(fmt::format("{}: {} values for the shape ({})",
                                             dataset,
                                             values.size(),
                                             fmt::join(shape, ", ")));
        }
        write_values(dataset, hdf5_type<T>(), space, storage, values.data());
    }

    void set_values(const Hdf5Handle& object,
                    std::string_view name,
                    hid_t type,
                    const Hdf5Handle& space,
                    const void* values) {
        const Hdf5Handle created(H5Acreate2(object.get(),
                                            std::string(name).c_str(),
                                            type,
                                            space.get(),
                                            H5P_DEFAULT,
                                            H5P_DEFAULT),
                                 H5Aclose);
        require(created.is_valid());
        require(H5Awrite(created.get(), type, values) >= 0);
    }

    Hdf5Handle open(std::string_view object) {
        Hdf5Handle opened(H5Oopen(file_.get(), std::string(object).c_str(), H5P_DEFAULT), H5Oclose);
        require(opened.is_valid());
        return opened;
    }

    hobj_ref_t reference_to(std::string_view object) {
        hobj_ref_t reference{};
        require(H5Rcreate(&reference,
                          file_.get(),
                          std::string(object).c_str(),
                          H5R_OBJECT,
                          H5I_INVALID_HID) >= 0);
        return reference;
    }

    /// What makes datasets dimension scales: the specification wants texts of fixed length.
    void write_scales() {
        const Hdf5Handle type = use_type();
        for (const auto& [scale, uses] : uses_) {
            const Hdf5Handle opened = open(scale);
            const std::string name = scale.substr(scale.rfind('/') + 1);
            for (const auto& [key, text] :
                 {std::pair<const char*, std::string>{"CLASS", "DIMENSION_SCALE"},
                  {"NAME", name}}) {
                set_values(opened, key, fixed_text(text.size()).get(), space_of({}), text.c_str());
            }
            const std::vector<std::int64_t> shape{std::ssize(uses)};
            set_values(opened, "REFERENCE_LIST", type.get(), space_of(shape), uses.data());
        }
    }

    fs::path path_;
    fs::path temporary_;
    Hdf5Handle file_;
    Hdf5Handle links_;
    std::map<std::string, std::vector<Use>> uses_;  ///< of each scale
};

}  // namespace

bool has_hdf5() noexcept {
    return true;
}

std::unique_ptr<Hdf5Writer> create_hdf5(const fs::path& path) {
    return std::make_unique<Writer>(path);
}

}  // namespace lockstep::io
