#include "lockstep/io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "io/npy_header.hpp"
#include "io/npy_values.hpp"
#include "io/output_file.hpp"
#include "io/utf8.hpp"

namespace lockstep::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied as they lie in memory");

constexpr std::size_t letter_size = 4;  // UTF-32

template <typename T>
void write(const std::filesystem::path& path,
           std::span<const T> values,
           std::span<const std::int64_t> shape) {
    OutputFile file(path);
    file.write(npy_header(npy_type<T>, shape));
    file.write(bytes_of(values));
    file.commit();
}

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
    throw InputError(fmt::format("{}: {}", name, what));
}

std::size_t count_of(std::span<const std::int64_t> shape, std::size_t most, std::string_view name) {
    std::size_t count = 1;
    for (const std::int64_t length : shape) {
        if (length != 0 && count > most / at(length)) {
            refuse(name,
                   fmt::format("cut off: it has no room for the shape {}", npy_shape_text(shape)));
        }
        count *= at(length);
    }
    return count;
}

// How many elements of `size` bytes there are: as many as the shape says and the bytes hold.
std::size_t checked_count(const NpyHeader& header,
                          std::string_view bytes,
                          std::size_t size,
                          std::string_view name) {
    const std::size_t count = count_of(header.shape, bytes.size() / size, name);
    if (count * size != bytes.size()) {
        refuse(name,
               fmt::format("{} bytes of values, but the shape {} has {}",
                           bytes.size(),
                           npy_shape_text(header.shape),
                           count * size));
    }
    return count;
}

// Where the next element by rows stands in an array by columns; goes through `place` like a clock.
std::size_t next_by_rows(std::vector<std::int64_t>& place, std::span<const std::int64_t> shape) {
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++place[axis] < shape[axis]) {
            break;
        }
        place[axis] = 0;
    }
    std::size_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        offset = offset * at(shape[axis]) + at(place[axis]);
    }
    return offset;
}

template <typename T>
std::vector<T> by_rows(std::vector<T> by_columns, std::span<const std::int64_t> shape) {
    std::vector<T> values(by_columns.size());
    std::vector<std::int64_t> place(shape.size());
    std::size_t from = 0;
    for (auto&& value : values) {
        value = std::move(by_columns[from]);
        from = next_by_rows(place, shape);
    }
    return values;
}

template <typename T>
NpyArray array_of(std::vector<T> values, NpyHeader header) {
    if (header.is_by_columns && header.shape.size() > 1) {
        values = by_rows(std::move(values), header.shape);
    }
    return {std::move(header.shape), std::move(values)};
}

template <typename T>
std::vector<T> values_in(std::string_view bytes, const NpyHeader& header, std::string_view name) {
    std::vector<T> values(checked_count(header, bytes, sizeof(T), name));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
}

std::vector<std::int64_t> short_integers_in(std::string_view bytes,
                                            const NpyHeader& header,
                                            std::string_view name) {
    const auto values = values_in<std::int32_t>(bytes, header, name);
    return {values.begin(), values.end()};
}

std::vector<bool> truths_in(std::string_view bytes,
                            const NpyHeader& header,
                            std::string_view name) {
    checked_count(header, bytes, 1, name);
    std::vector<bool> values;
    values.reserve(bytes.size());
    for (const char byte : bytes) {
        if (byte != 0 && byte != 1) {
            refuse(name, "damaged: a truth value is neither 0 nor 1");
        }
        values.push_back(byte == 1);
    }
    return values;
}

// Letters up to the zeros that fill the room of an element.
std::string text_in(std::string_view bytes, std::string_view name) {
    std::string text;
    std::size_t zeros = 0;
    for (std::size_t k = 0; k + letter_size <= bytes.size(); k += letter_size) {
        std::uint32_t letter = 0;
        std::memcpy(&letter, bytes.data() + k, letter_size);
        if (letter == 0) {
            ++zeros;
            continue;
        }
        text.append(std::exchange(zeros, 0), '\0');
        if (!append_utf8(letter, text)) {
            refuse(name, fmt::format("damaged: {:#x} is no Unicode character", letter));
        }
    }
    return text;
}

std::vector<std::string> texts_in(std::string_view bytes,
                                  const NpyHeader& header,
                                  std::string_view name) {
    constexpr std::size_t longest = std::size_t{1} << 28;
    std::size_t letters = 0;
    for (const char digit : header.type.substr(2)) {
        const bool is_digit = digit >= '0' && digit <= '9' && letters < longest;
        letters = is_digit ? 10 * letters + static_cast<std::size_t>(digit - '0') : longest;
    }
    if (letters == 0 || letters >= longest) {
        refuse(name, fmt::format("damaged: texts of type \"{}\"", header.type));
    }
    const std::size_t size = letter_size * letters;
    std::vector<std::string> values(checked_count(header, bytes, size, name));
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = text_in(bytes.substr(k * size, size), name);
    }
    return values;
}

[[noreturn]] void refuse_type(std::string_view type, std::string_view name) {
    if (type.find('O') != type.npos) {
        refuse(name,
               "holds Python objects (pickle), which can run programs: save numbers or texts "
               "instead");
    }
    refuse(name,
           fmt::format("elements of type \"{}\": must be <f8, <f4, <u4, <i8, <i4, |b1 or <U… "
                       "(float64, float32, uint32, int64, int32, bool, text)",
                       type));
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
    NpyHeader header = parse_npy_header(bytes, name);
    const std::string_view values = bytes.substr(header.size);
    const std::string_view type = header.type;
    const auto read = [&](auto reader) {
        auto found = reader(values, header, name);
        return array_of(std::move(found), std::move(header));
    };
    if (type == npy_type<double>) {
        return read(values_in<double>);
    }
    if (type == npy_type<float>) {
        return read(values_in<float>);
    }
    if (type == npy_type<std::uint32_t>) {
        return read(values_in<std::uint32_t>);
    }
    if (type == npy_type<std::int64_t>) {
        return read(values_in<std::int64_t>);
    }
    if (type == "<i4") {
        return read(short_integers_in);
    }
    if (type == "|b1") {
        return read(truths_in);
    }
    if (type.starts_with("<U")) {
        return read(texts_in);
    }
    refuse_type(type, name);
}

}  // namespace lockstep::io
