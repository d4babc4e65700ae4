#include "lockstep/io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "io/output_file.hpp"

namespace lockstep::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied as they lie in memory");

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t prefix = magic.size() + 2;  // and the length of the header
constexpr std::size_t alignment = 64;

template <typename T>
constexpr std::string_view type_of = "";
template <>
constexpr std::string_view type_of<double> = "<f8";
template <>
constexpr std::string_view type_of<float> = "<f4";
template <>
constexpr std::string_view type_of<std::uint32_t> = "<u4";

// "(2, 3)"; one axis has a comma all the same.
std::string shape_text(std::span<const std::int64_t> shape) {
    return shape.size() == 1 ? fmt::format("({},)", shape[0])
                             : fmt::format("({})", fmt::join(shape, ", "));
}

std::string header(std::string_view type, std::span<const std::int64_t> shape) {
    std::string text = fmt::format(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape_text(shape));
    const std::size_t used = prefix + text.size() + 1;
    text.append((alignment - used % alignment) % alignment, ' ');
    text += '\n';
    std::string bytes(magic);
    bytes += static_cast<char>(text.size() & 0xFFU);
    bytes += static_cast<char>(text.size() >> 8U);
    return bytes + text;
}

template <typename T>
void write(const std::filesystem::path& path,
           std::span<const T> values,
           std::span<const std::int64_t> shape) {
    const void* const bytes = values.data();
    OutputFile file(path);
    file.write(header(type_of<T>, shape));
    file.write({static_cast<const char*>(bytes), values.size_bytes()});
    file.commit();
}

// The dictionary of a header: keys in any order, blanks where Python allows them.
class HeaderReader {
public:
    struct Header {
        std::string_view type;
        bool is_fortran = false;
        std::vector<std::int64_t> shape;
    };

    explicit HeaderReader(std::string_view text) : rest_(text) {}

    std::optional<Header> read() {
        if (!take('{')) {
            return std::nullopt;
        }
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':') || !read_value(*key)) {
                return std::nullopt;
            }
            static_cast<void>(take(','));
        }
        skip_blanks();
        const bool is_whole = found_ == all_found && rest_.empty();
        return is_whole ? std::optional(header_) : std::nullopt;
    }

private:
    static constexpr unsigned all_found = 7;

    bool read_value(std::string_view key) {
        if (key == "descr") {
            const auto type = quoted();
            header_.type = type.value_or("");
            return mark(1) && type.has_value();
        }
        if (key == "fortran_order") {
            header_.is_fortran = take("True");
            return mark(2) && (header_.is_fortran || take("False"));
        }
        return key == "shape" && mark(4) && read_shape();
    }

    bool mark(unsigned bit) {
        const bool is_new = (found_ & bit) == 0;
        found_ |= bit;
        return is_new;
    }

    bool read_shape() {
        if (!take('(')) {
            return false;
        }
        while (!take(')')) {
            skip_blanks();
            std::int64_t length = 0;
            const auto [end, fault] =
                std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
            if (fault != std::errc() || length < 0) {
                return false;
            }
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            header_.shape.push_back(length);
            static_cast<void>(take(','));
        }
        return true;
    }

    std::optional<std::string_view> quoted() {
        if (!take('\'')) {
            return std::nullopt;
        }
        const std::size_t end = rest_.find('\'');
        if (end == rest_.npos) {
            return std::nullopt;
        }
        const std::string_view text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool take(char wanted) { return take(std::string_view(&wanted, 1)); }
    bool take(std::string_view wanted) {
        skip_blanks();
        if (!rest_.starts_with(wanted)) {
            return false;
        }
        rest_.remove_prefix(wanted.size());
        return true;
    }
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    }

    std::string_view rest_;
    Header header_;
    unsigned found_ = 0;
};

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
    throw InputError(fmt::format("{}: {}", name, what));
}

std::size_t count_of(std::span<const std::int64_t> shape, std::size_t most, std::string_view name) {
    std::size_t count = 1;
    for (const std::int64_t length : shape) {
        if (length != 0 && count > most / at(length)) {
            refuse(name,
                   fmt::format("cut off: it has no room for the shape {}", shape_text(shape)));
        }
        count *= at(length);
    }
    return count;
}

template <typename T>
NpyArray values_in(std::string_view bytes, std::vector<std::int64_t> shape, std::string_view name) {
    const std::size_t count = count_of(shape, bytes.size() / sizeof(T), name);
    if (count * sizeof(T) != bytes.size()) {
        refuse(name,
               fmt::format("{} bytes of values, but the shape {} has {}",
                           bytes.size(),
                           shape_text(shape),
                           count * sizeof(T)));
    }
    std::vector<T> values(count);
    if (count > 0) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return {std::move(shape), std::move(values)};
}

}  // namespace

void write_npy(const std::filesystem::path& path,
               std::span<const double> values,
               std::span<const std::int64_t> shape) {
    write(path, values, shape);
}

void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               std::span<const std::int64_t> shape) {
    write(path, values, shape);
}

void write_npy(const std::filesystem::path& path,
               std::span<const std::uint32_t> values,
               std::span<const std::int64_t> shape) {
    write(path, values, shape);
}

NpyArray read_npy(const std::filesystem::path& path) {
    return parse_npy(read_file(path), path.string());
}

NpyArray parse_npy(std::string_view bytes, std::string_view name) {
    if (!bytes.starts_with(magic.substr(0, 6))) {
        refuse(name, "no file of NumPy (.npy)");
    }
    if (!bytes.starts_with(magic)) {
        refuse(name, "another version of NumPy's format than 1.0, as numpy.save writes it");
    }
    const std::size_t length = bytes.size() < prefix
                                   ? bytes.size()
                                   : static_cast<unsigned char>(bytes[magic.size()]) +
                                         256U * static_cast<unsigned char>(bytes[magic.size() + 1]);
    if (bytes.size() < prefix + length) {
        refuse(name, "cut off in its header");
    }
    auto header = HeaderReader(bytes.substr(prefix, length)).read();
    if (!header) {
        refuse(name, "damaged: its header is not {'descr': …, 'fortran_order': …, 'shape': …}");
    }
    if (header->is_fortran) {
        refuse(name, "stored column by column; save numpy.ascontiguousarray(array)");
    }
    const std::string_view values = bytes.substr(prefix + length);
    if (header->type == type_of<double>) {
        return values_in<double>(values, std::move(header->shape), name);
    }
    if (header->type == type_of<float>) {
        return values_in<float>(values, std::move(header->shape), name);
    }
    if (header->type == type_of<std::uint32_t>) {
        return values_in<std::uint32_t>(values, std::move(header->shape), name);
    }
    refuse(
        name,
        fmt::format("elements of type \"{}\": must be <f8, <f4 or <u4 (float64, float32, uint32)",
                    header->type));
}

}  // namespace lockstep::io
