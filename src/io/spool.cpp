#include "lockstep/io/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "io/descriptor.hpp"
#include "io/parquet/library.hpp"

namespace lockstep::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view spool_name = "spool";
constexpr std::uint64_t mark = 0x6c6f6f7073;  ///< in front of each record
/// Longer ones are no records: nothing here is simulated in pieces of so many bytes.
constexpr std::uint64_t longest_record = std::uint64_t{1} << 32;

/// In front of a record. Files never outlive a run, so the machine's byte order is good enough.
struct Head {
    std::uint64_t mark = 0;
    std::int64_t number = 0;
    std::uint64_t stored = 0;  ///< compressed bytes that follow
    std::uint64_t size = 0;    ///< of the record
    Digest digest{};           ///< of the compressed bytes
};

[[noreturn]] void fail(const fs::path& path, std::string_view what, IoError::Direction direction) {
    const char* verb = direction == IoError::Direction::read ? "read" : "write";
    throw IoError(fmt::format("cannot {} {}: {}", verb, path.string(), what), direction);
}

[[noreturn]] void fail(const fs::path& path, IoError::Direction direction) {
    fail(path, std::generic_category().message(errno), direction);
}

Digest digest_of(std::span<const std::byte> bytes) {
    DigestBuilder builder;
    builder.add_bytes(bytes);
    return builder.digest();
}

}  // namespace

class Spool::Impl {
public:
    explicit Impl(const fs::path& folder) : codec_(parquet_library().compressor()) {
        make_folder(folder);
        do {  // another machine may have a process of the same number
            path_ = temporary_name(folder / spool_name);
            file_ = Descriptor(
                ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0666));
        } while (file_.get() < 0 && (errno == EEXIST || errno == EINTR));
        if (file_.get() < 0) {
            fail(path_, IoError::Direction::write);
        }
    }

    void append(std::int64_t number, std::span<const std::byte> record) {
        bytes_.resize(sizeof(Head) + codec_->bound(record));
        const auto body = std::span(bytes_).subspan(sizeof(Head));
        const std::size_t length = codec_->compress(record, body);
        const Head head{mark, number, length, record.size(), digest_of(body.first(length))};
        std::copy_n(std::as_bytes(std::span(&head, 1)).begin(), sizeof head, bytes_.begin());
        write(std::span(bytes_).first(sizeof head + length));
    }

    void sync() {
        while (::fsync(file_.get()) != 0) {
            if (errno == EINVAL || errno == ENOTSUP) {
                return;
            }
            if (errno != EINTR) {
                fail(path_, IoError::Direction::write);
            }
        }
    }

private:
    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
            if (written > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(written));
            } else if (errno != EINTR) {
                fail(path_, IoError::Direction::write);
            }
        }
    }

    fs::path path_;
    Descriptor file_;
    std::unique_ptr<Compressor> codec_;
    std::vector<std::byte> bytes_;  ///< of the record under way
};

Spool::Spool(const fs::path& folder) : impl_(std::make_unique<Impl>(folder)) {}
Spool::~Spool() = default;
Spool::Spool(Spool&&) noexcept = default;
Spool& Spool::operator=(Spool&&) noexcept = default;

void Spool::append(std::int64_t number, std::span<const std::byte> record) {
    impl_->append(number, record);
}

void Spool::sync() {
    impl_->sync();
}

class SpooledRecords::Impl {
public:
    explicit Impl(const fs::path& folder)
        : codec_(parquet_library().compressor()), folder_(folder) {
        const std::string start = fmt::format(".{}.tmp-", spool_name);
        std::error_code code;
        for (fs::directory_iterator entry(folder, code); !code && entry != end(entry);
             entry.increment(code)) {
            if (entry->path().filename().string().starts_with(start)) {
                add_file(entry->path());
            }
        }
        if (code) {
            fail(folder, code.message(), IoError::Direction::read);
        }
    }

    [[nodiscard]] std::vector<std::byte> read(std::int64_t number) const {
        const auto [first, last] = places_.equal_range(number);
        for (auto place = first; place != last; ++place) {
            if (auto record = read(place->second)) {
                return *std::move(record);
            }
        }
        fail(folder_,
             fmt::format("no rank left the whole of record {}", number),
             IoError::Direction::read);
    }

    void remove() noexcept {
        for (const File& file : files_) {
            ::unlink(file.path.c_str());
        }
        places_.clear();
    }

private:
    struct File {
        fs::path path;
        Descriptor descriptor;
    };
    struct Place {
        std::size_t file = 0;
        std::uint64_t offset = 0;
        Head head;
    };

    /// Up to the first torn record, after which there is none.
    void add_file(const fs::path& path) {
        Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (descriptor.get() < 0) {
            fail(path, IoError::Direction::read);
        }
        files_.push_back({path, std::move(descriptor)});
        const File& file = files_.back();
        Head head;
        std::uint64_t offset = 0;
        while (read_at(file, offset, std::as_writable_bytes(std::span(&head, 1))) &&
               head.mark == mark && head.stored <= longest_record && head.size <= longest_record) {
            offset += sizeof head;
            places_.emplace(head.number, Place{files_.size() - 1, offset, head});
            offset += head.stored;
        }
    }

    /// @return false when the file ends before
    static bool read_at(const File& file, std::uint64_t offset, std::span<std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t got = ::pread(
                file.descriptor.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (got < 0 && errno != EINTR) {
                fail(file.path, IoError::Direction::read);
            }
            if (got == 0) {
                return false;
            }
            if (got > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(got));
                offset += static_cast<std::uint64_t>(got);
            }
        }
        return true;
    }

    [[nodiscard]] std::optional<std::vector<std::byte>> read(const Place& place) const {
        std::vector<std::byte> stored(static_cast<std::size_t>(place.head.stored));
        if (!read_at(files_[place.file], place.offset, stored) ||
            digest_of(stored) != place.head.digest) {
            return std::nullopt;
        }
        std::vector<std::byte> record(static_cast<std::size_t>(place.head.size));
        if (!codec_->decompress(stored, record)) {
            return std::nullopt;
        }
        return record;
    }

    std::unique_ptr<Compressor> codec_;
    fs::path folder_;
    std::vector<File> files_;
    std::multimap<std::int64_t, Place> places_;
};

SpooledRecords::SpooledRecords(const fs::path& folder) : impl_(std::make_unique<Impl>(folder)) {}
SpooledRecords::~SpooledRecords() = default;
SpooledRecords::SpooledRecords(SpooledRecords&&) noexcept = default;
SpooledRecords& SpooledRecords::operator=(SpooledRecords&&) noexcept = default;

std::vector<std::byte> SpooledRecords::read(std::int64_t number) const {
    return impl_->read(number);
}

void SpooledRecords::remove() noexcept {
    impl_->remove();
}

}  // namespace lockstep::io
