#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/hdf5.hpp"

#include "io/descriptor.hpp"
#include "io/hdf5_handle.hpp"

namespace lockstep::io {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20;
constexpr std::int64_t most_texts = 1'000'000;

std::string as_path(std::string_view name) {
    return name.starts_with('/') ? std::string(name) : fmt::format("/{}", name);
}

std::vector<hsize_t> sizes(const std::vector<std::int64_t>& lengths) {
    return {lengths.begin(), lengths.end()};
}

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Hdf5Kind kind_of(hid_t type) {
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
        case H5T_FLOAT:
            return Hdf5Kind::numbers;
        case H5T_STRING:
            return Hdf5Kind::text;
        default:
            return Hdf5Kind::other;
    }
}

// Dataset or attribute alike: its type, its shape, and how it is read.
struct Values {
    Hdf5Handle type;
    Hdf5Handle space;
    std::function<herr_t(hid_t, void*)> read;
};

std::vector<std::int64_t> shape_of(hid_t space) {
    std::array<hsize_t, H5S_MAX_RANK> lengths{};
    const int rank = H5Sget_simple_extent_dims(space, lengths.data(), nullptr);
    return {lengths.begin(), lengths.begin() + std::max(rank, 0)};
}

// Texts of fixed length, filled up with zeros or blanks.
std::vector<std::string> fixed_texts(const Values& values, std::size_t count) {
    const std::size_t size = std::min(H5Tget_size(values.type.get()), longest_text);
    std::string bytes(count * size, '\0');
    if (values.read(values.type.get(), bytes.data()) < 0) {
        throw InputError(hdf5_reason());
    }
    const bool has_blanks = H5Tget_strpad(values.type.get()) == H5T_STR_SPACEPAD;
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < count; ++k) {
        std::string text = bytes.substr(k * size, size);
        text.resize(std::min(text.find('\0'), text.size()));
        if (has_blanks) {
            text.resize(text.find_last_not_of(' ') + 1);
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

std::vector<std::string> free_texts(const Values& values, std::size_t count) {
    std::vector<char*> found(count, nullptr);
    if (values.read(values.type.get(), found.data()) < 0) {
        throw InputError(hdf5_reason());
    }
    std::vector<std::string> texts;
    for (const char* const text : found) {
        texts.emplace_back(text == nullptr ? "" : text);
    }
    H5Dvlen_reclaim(values.type.get(), values.space.get(), H5P_DEFAULT, found.data());
    return texts;
}

std::vector<std::string> texts_of(const Values& values) {
    const auto count = H5Sget_simple_extent_npoints(values.space.get());
    if (count < 0 || count > most_texts) {
        throw InputError(fmt::format("{} texts, at most {} are allowed", count, most_texts));
    }
    return H5Tis_variable_str(values.type.get()) > 0 ? free_texts(values, at(count))
                                                     : fixed_texts(values, at(count));
}

herr_t push_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

herr_t push_attribute(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

class Reader final : public Hdf5Reader {
public:
    explicit Reader(const std::filesystem::path& path) : name_(path.string()) {
        static_cast<void>(open_regular(path));
        const auto lock = lock_hdf5();
        Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_file_locking(access.get(), false, true);
        if (H5Fis_hdf5(path.c_str()) <= 0) {
            H5Eclear2(H5E_DEFAULT);
            throw InputError(name_ + ": not an HDF5 file, or cut off");
        }
        file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
        if (!file_.is_valid()) {
            throw InputError(fmt::format("{}: damaged HDF5 file: {}", name_, hdf5_reason()));
        }
    }
    ~Reader() override {
        const auto lock = lock_hdf5();
        file_.reset();
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    [[nodiscard]] Hdf5Kind kind(std::string_view name) const override {
        const auto lock = lock_hdf5();
        return kind_at(as_path(name));
    }

    [[nodiscard]] std::vector<std::string> names(std::string_view group) const override {
        const auto lock = lock_hdf5();
        const Hdf5Handle object = open(group);
        std::vector<std::string> found;
        hsize_t start = 0;
        if (H5Literate(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &start, push_name, &found) <
            0) {
            refuse(group, fmt::format("cannot be listed: {}", hdf5_reason()));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    [[nodiscard]] std::vector<std::int64_t> shape(std::string_view dataset) const override {
        const auto lock = lock_hdf5();
        return shape_of(values_at(dataset).space.get());
    }

    void read(std::string_view dataset, const Hdf5Slab& slab, std::span<double> to) const override {
        read_slab(dataset, slab, to);
    }
    void read(std::string_view dataset, const Hdf5Slab& slab, std::span<float> to) const override {
        read_slab(dataset, slab, to);
    }
    void read(std::string_view dataset,
              const Hdf5Slab& slab,
              std::span<std::int64_t> to) const override {
        read_slab(dataset, slab, to);
    }

    [[nodiscard]] std::vector<double> numbers(std::string_view dataset,
                                              std::int64_t largest) const override {
        const auto lock = lock_hdf5();
        const Values values = numbers_at(dataset);
        const auto count = H5Sget_simple_extent_npoints(values.space.get());
        if (count < 0 || count > largest) {
            refuse(dataset, fmt::format("has {} numbers, at most {} are allowed", count, largest));
        }
        std::vector<double> numbers(at(count));
        if (values.read(H5T_NATIVE_DOUBLE, numbers.data()) < 0) {
            refuse(dataset, fmt::format("cannot be read: {}", hdf5_reason()));
        }
        return numbers;
    }

    [[nodiscard]] std::vector<std::string> texts(std::string_view dataset) const override {
        const auto lock = lock_hdf5();
        const Values values = values_at(dataset);
        if (kind_of(values.type.get()) != Hdf5Kind::text) {
            refuse(dataset, "holds no text");
        }
        try {
            return texts_of(values);
        } catch (const InputError& error) {
            refuse(dataset, fmt::format("cannot be read: {}", error.what()));
        }
    }

    [[nodiscard]] std::vector<std::string> attributes(std::string_view object) const override {
        const auto lock = lock_hdf5();
        const Hdf5Handle opened = open(object);
        std::vector<std::string> found;
        hsize_t start = 0;
        if (H5Aiterate2(
                opened.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &start, push_attribute, &found) < 0) {
            refuse(object, fmt::format("has unreadable attributes: {}", hdf5_reason()));
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    [[nodiscard]] std::optional<Hdf5Attribute> attribute(std::string_view object,
                                                         std::string_view name) const override {
        const auto lock = lock_hdf5();
        const Hdf5Handle opened = open(object);
        const std::string key(name);
        if (H5Aexists(opened.get(), key.c_str()) <= 0) {
            H5Eclear2(H5E_DEFAULT);
            return std::nullopt;
        }
        const Hdf5Handle attribute(H5Aopen(opened.get(), key.c_str(), H5P_DEFAULT), H5Aclose);
        try {
            return value_of(attribute.get());
        } catch (const InputError& error) {
            refuse(object, fmt::format("has an unreadable attribute {}: {}", name, error.what()));
        }
    }

private:
    [[noreturn]] void refuse(std::string_view object, const std::string& what) const {
        throw InputError(fmt::format("{}: {} {}", name_, as_path(object), what));
    }

    // Every part of the path is asked for: to the library a part that is missing is an error.
    [[nodiscard]] bool is_there(const std::string& path) const {
        for (std::size_t slash = path.find('/', 1); path.size() > 1;
             slash = path.find('/', slash + 1)) {
            const std::string part = path.substr(0, slash);
            if (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) <= 0 ||
                H5Oexists_by_name(file_.get(), part.c_str(), H5P_DEFAULT) <= 0) {
                H5Eclear2(H5E_DEFAULT);
                return false;
            }
            if (slash == path.npos) {
                break;
            }
        }
        return true;
    }

    [[nodiscard]] Hdf5Kind kind_at(const std::string& path) const {
        if (!is_there(path)) {
            return Hdf5Kind::absent;
        }
        const Hdf5Handle object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
        switch (H5Iget_type(object.get())) {
            case H5I_GROUP:
                return Hdf5Kind::group;
            case H5I_DATASET:
                return kind_of(Hdf5Handle(H5Dget_type(object.get()), H5Tclose).get());
            default:
                H5Eclear2(H5E_DEFAULT);
                return Hdf5Kind::other;
        }
    }

    [[nodiscard]] Hdf5Handle open(std::string_view name) const {
        const std::string path = as_path(name);
        if (!is_there(path)) {
            refuse(name, "is not there");
        }
        Hdf5Handle object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
        if (!object.is_valid()) {
            refuse(name, fmt::format("cannot be opened: {}", hdf5_reason()));
        }
        return object;
    }

    [[nodiscard]] Values values_at(std::string_view dataset) const {
        auto object = std::make_shared<Hdf5Handle>(open(dataset));
        if (H5Iget_type(object->get()) != H5I_DATASET) {
            refuse(dataset, "is no dataset");
        }
        return {Hdf5Handle(H5Dget_type(object->get()), H5Tclose),
                Hdf5Handle(H5Dget_space(object->get()), H5Sclose),
                [object](hid_t type, void* to) {
                    return H5Dread(object->get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
                }};
    }

    [[nodiscard]] Values numbers_at(std::string_view dataset) const {
        Values values = values_at(dataset);
        if (kind_of(values.type.get()) != Hdf5Kind::numbers) {
            refuse(dataset, "holds no numbers");
        }
        return values;
    }

    [[nodiscard]] static std::optional<Hdf5Attribute> value_of(hid_t attribute) {
        const Values values{
            Hdf5Handle(H5Aget_type(attribute), H5Tclose),
            Hdf5Handle(H5Aget_space(attribute), H5Sclose),
            [attribute](hid_t type, void* to) { return H5Aread(attribute, type, to); }};
        const Hdf5Kind kind = kind_of(values.type.get());
        if (kind == Hdf5Kind::text) {
            return texts_of(values);
        }
        const auto count = H5Sget_simple_extent_npoints(values.space.get());
        if (kind != Hdf5Kind::numbers || count < 0) {
            return std::nullopt;
        }
        std::vector<double> numbers(at(count));
        if (values.read(H5T_NATIVE_DOUBLE, numbers.data()) < 0) {
            throw InputError(hdf5_reason());
        }
        return numbers;
    }

    void check_slab(std::string_view dataset,
                    const Hdf5Slab& slab,
                    const std::vector<std::int64_t>& shape,
                    std::size_t room) const {
        bool fits = slab.start.size() == shape.size() && slab.count.size() == shape.size();
        for (std::size_t k = 0; fits && k < shape.size(); ++k) {
            fits = slab.start[k] >= 0 && slab.count[k] >= 0 &&
                   slab.count[k] <= shape[k] - slab.start[k];
        }
        if (!fits) {
            refuse(dataset,
                   fmt::format("has the shape ({}): no part from ({}) of ({})",
                               fmt::join(shape, ", "),
                               fmt::join(slab.start, ", "),
                               fmt::join(slab.count, ", ")));
        }
        if (at(count_of(slab.count)) != room) {
            throw AssertionError(fmt::format("{}: a part of ({}) does not fit into {} values",
                                             as_path(dataset),
                                             fmt::join(slab.count, ", "),
                                             room));
        }
    }

    template <typename T>
    void read_slab(std::string_view dataset, const Hdf5Slab& slab, std::span<T> to) const {
        const auto lock = lock_hdf5();
        const Values values = numbers_at(dataset);
        check_slab(dataset, slab, shape_of(values.space.get()), to.size());
        if (to.empty()) {
            return;
        }
        const std::vector<hsize_t> start = sizes(slab.start);
        const std::vector<hsize_t> count = sizes(slab.count);
        if (!start.empty()) {
            H5Sselect_hyperslab(
                values.space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
        }
        const Hdf5Handle room(
            start.empty() ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
            H5Sclose);
        const Hdf5Handle object = open(dataset);
        if (H5Dread(object.get(),
                    hdf5_type<T>(),
                    room.get(),
                    values.space.get(),
                    H5P_DEFAULT,
                    to.data()) < 0) {
            refuse(dataset, fmt::format("cannot be read: {}", hdf5_reason()));
        }
    }

    std::string name_;
    Hdf5Handle file_;
};

}  // namespace

std::unique_ptr<Hdf5Reader> open_hdf5(const std::filesystem::path& path) {
    return std::make_unique<Reader>(path);
}

}  // namespace lockstep::io
