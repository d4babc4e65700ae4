#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <minizip/zip.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/npz.hpp"

#include "io/npy_header.hpp"
#include "io/npy_values.hpp"
#include "io/utf8.hpp"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // minizip counts in 32 bits
constexpr std::size_t zip64_from = 0xffff'0000;              // a little less than 4 GiB
constexpr int quick = 1;  // level: noise of measurements does not shrink further at any other
constexpr unsigned long no_time = 0x0021'0000;  // 1980-01-01, the first that a zip archive knows

std::size_t count_of(std::span<const std::int64_t> shape) {
    return at(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

std::span<const std::int64_t> checked(std::span<const std::int64_t> shape, std::size_t values) {
    if (count_of(shape) != values) {
        throw AssertionError(
            fmt::format("{} values for the shape {}", values, npy_shape_text(shape)));
    }
    return shape;
}

std::u32string letters_of(std::string_view text) {
    std::u32string letters;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        letters += length == 0 ? U'\uFFFD' : static_cast<char32_t>(utf8_code(text));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return letters;
}

}  // namespace

class NpzWriter::Impl {
public:
    Impl(fs::path path, NpzStorage storage) : path_(std::move(path)), storage_(storage) {
        if (path_.has_parent_path()) {
            make_folder(path_.parent_path());
        }
        temporary_ = temporary_name(path_);
        zip_ = zipOpen64(temporary_.c_str(), APPEND_STATUS_CREATE);
        if (zip_ == nullptr) {
            fail();
        }
    }
    ~Impl() {
        if (zip_ != nullptr) {
            zipClose(zip_, nullptr);
            remove();
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void add(std::string_view name,
             std::string_view type,
             std::string_view values,
             std::span<const std::int64_t> shape) {
        begin(name, values.size());
        write(npy_header(type, shape));
        write(values);
        check(zipCloseFileInZip(zip_));
    }

    void add_parts(std::string_view name,
                   std::span<const std::int64_t> shape,
                   const std::function<std::span<const double>(std::int64_t)>& part) {
        const std::size_t size = count_of(shape) * sizeof(double);
        begin(name, size);
        write(npy_header(npy_type<double>, shape));
        for (std::int64_t k = 0; k < shape.front(); ++k) {
            const std::string_view bytes = bytes_of(part(k));
            if (bytes.size() * at(shape.front()) != size) {
                throw AssertionError(
                    fmt::format("part {} of array \"{}\" has {} bytes", k, name, bytes.size()));
            }
            write(bytes);
        }
        check(zipCloseFileInZip(zip_));
    }

    void close() {
        check(zipClose(std::exchange(zip_, nullptr), nullptr));
        commit_file(temporary_, path_);
    }

private:
    void begin(std::string_view array, std::size_t size) {
        if (!names_.insert(std::string(array)).second) {
            throw AssertionError(fmt::format("array \"{}\" is added twice", array));
        }
        const std::string name = fmt::format("{}.npy", array);
        zip_fileinfo info{};
        info.dosDate = no_time;
        const int method = storage_ == NpzStorage::deflated ? Z_DEFLATED : 0;
        const int is_long = size >= zip64_from ? 1 : 0;
        check(zipOpenNewFileInZip64(
            zip_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, method, quick, is_long));
    }

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t count = std::min(bytes.size(), largest_piece);
            check(zipWriteInFileInZip(zip_, bytes.data(), static_cast<unsigned>(count)));
            bytes.remove_prefix(count);
        }
    }

    void check(int code) {
        if (code != ZIP_OK) {
            fail();
        }
    }

    [[noreturn]] void fail() {
        const std::string why = errno == 0 ? "no room or no permission" : std::strerror(errno);
        if (zip_ == nullptr) {
            remove();
        }
        throw IoError(fmt::format("cannot write {}: {}", path_.string(), why),
                      IoError::Direction::write);
    }

    void remove() noexcept {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }

    fs::path path_;
    fs::path temporary_;
    NpzStorage storage_;
    zipFile zip_ = nullptr;
    std::set<std::string> names_;
};

NpzWriter::NpzWriter(fs::path path, NpzStorage storage)
    : impl_(std::make_unique<Impl>(std::move(path), storage)) {}

NpzWriter::~NpzWriter() = default;
NpzWriter::NpzWriter(NpzWriter&&) noexcept = default;
NpzWriter& NpzWriter::operator=(NpzWriter&&) noexcept = default;

void NpzWriter::add(std::string_view name,
                    std::span<const double> values,
                    std::span<const std::int64_t> shape) {
    impl_->add(name, npy_type<double>, bytes_of(values), checked(shape, values.size()));
}

void NpzWriter::add(std::string_view name,
                    std::span<const float> values,
                    std::span<const std::int64_t> shape) {
    impl_->add(name, npy_type<float>, bytes_of(values), checked(shape, values.size()));
}

void NpzWriter::add(std::string_view name,
                    std::span<const std::int64_t> values,
                    std::span<const std::int64_t> shape) {
    impl_->add(name, npy_type<std::int64_t>, bytes_of(values), checked(shape, values.size()));
}

void NpzWriter::add_parts(std::string_view name,
                          std::span<const std::int64_t> shape,
                          const std::function<std::span<const double>(std::int64_t)>& part) {
    impl_->add_parts(name, shape, part);
}

void NpzWriter::add(std::string_view name,
                    std::span<const std::string> values,
                    std::span<const std::int64_t> shape) {
    std::vector<std::u32string> texts;
    std::size_t longest = 1;  // NumPy has no text type without room for a letter
    for (const std::string& value : values) {
        texts.push_back(letters_of(value));
        longest = std::max(longest, texts.back().size());
    }
    std::u32string all;
    for (std::u32string& text : texts) {
        text.resize(longest, U'\0');
        all += text;
    }
    impl_->add(name,
               fmt::format("<U{}", longest),
               bytes_of(std::span<const char32_t>(all.data(), all.size())),
               checked(shape, values.size()));
}

void NpzWriter::close() {
    impl_->close();
}

}  // namespace lockstep::io
