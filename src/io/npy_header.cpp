#include "io/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::io {
namespace {

constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t prefix = magic.size() + 2;  // and the length of the dictionary
constexpr std::size_t alignment = 64;

// The dictionary of a header: keys in any order, blanks where Python allows them.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : rest_(text) {}

    std::optional<NpyHeader> read() {
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
            header_.is_by_columns = take("True");
            return mark(2) && (header_.is_by_columns || take("False"));
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
    NpyHeader header_;
    unsigned found_ = 0;
};

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
    throw InputError(fmt::format("{}: {}", name, what));
}

}  // namespace

std::string npy_shape_text(std::span<const std::int64_t> shape) {
    return shape.size() == 1 ? fmt::format("({},)", shape[0])
                             : fmt::format("({})", fmt::join(shape, ", "));
}

std::string npy_header(std::string_view type, std::span<const std::int64_t> shape) {
    std::string text = fmt::format(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, npy_shape_text(shape));
    const std::size_t used = prefix + text.size() + 1;
    text.append((alignment - used % alignment) % alignment, ' ');
    text += '\n';
    std::string bytes(magic);
    bytes += static_cast<char>(text.size() & 0xFFU);
    bytes += static_cast<char>(text.size() >> 8U);
    return bytes + text;
}

NpyHeader parse_npy_header(std::string_view bytes, std::string_view name) {
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
    header->size = prefix + length;
    return std::move(*header);
}

}  // namespace lockstep::io
