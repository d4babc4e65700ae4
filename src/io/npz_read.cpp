#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/npz.hpp"

#include "io/descriptor.hpp"

namespace lockstep::io {
namespace {

constexpr std::string_view suffix = ".npy";
// No byte of deflate stands for more than this many (zlib's description of its limits).
constexpr std::uint64_t largest_ratio = 1032;
constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30;  // minizip counts in 32 bits
constexpr std::size_t longest_name = 4096;
constexpr unsigned long encrypted_flag = 1;

// What minizip reads from: a file or memory, at a place.
class Source {
public:
    explicit Source(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}
    explicit Source(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}

    unsigned long read(void* to, unsigned long count) {
        const std::uint64_t wanted = std::min<std::uint64_t>(count, size_ - place_);
        const std::uint64_t got = file_.get() < 0 ? copy(to, wanted) : read_file(to, wanted);
        place_ += got;
        is_short_ = got < count;
        return got;
    }
    [[nodiscard]] std::uint64_t place() const noexcept { return place_; }
    /// Whether the last read came to the end: minizip takes that for success when not told so.
    [[nodiscard]] bool is_short() const noexcept { return is_short_; }
    bool seek(std::uint64_t offset, int origin) {
        const std::uint64_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                                   : origin == ZLIB_FILEFUNC_SEEK_CUR ? place_
                                                                      : size_;
        if (offset > size_ - from) {
            return false;
        }
        place_ = from + offset;
        return true;
    }

private:
    std::uint64_t copy(void* to, std::uint64_t count) const {
        if (count > 0) {
            std::memcpy(to, bytes_.data() + place_, count);
        }
        return count;
    }

    std::uint64_t read_file(void* to, std::uint64_t count) const {
        std::uint64_t used = 0;
        while (used < count) {
            const ssize_t got = ::pread(file_.get(),
                                        static_cast<char*>(to) + used,
                                        count - used,
                                        static_cast<off_t>(place_ + used));
            if (got <= 0 && !(got < 0 && errno == EINTR)) {
                break;
            }
            used += got > 0 ? static_cast<std::uint64_t>(got) : 0;
        }
        return used;
    }

    Descriptor file_;
    std::string_view bytes_;
    std::uint64_t size_ = 0;
    std::uint64_t place_ = 0;
    bool is_short_ = false;
};

zlib_filefunc64_def functions_of(Source& source) {
    zlib_filefunc64_def functions{};
    functions.opaque = &source;
    functions.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
    functions.zread_file = [](void*, void* stream, void* to, unsigned long count) {
        return static_cast<Source*>(stream)->read(to, count);
    };
    functions.ztell64_file = [](void*, void* stream) {
        return ZPOS64_T{static_cast<Source*>(stream)->place()};
    };
    functions.zseek64_file = [](void*, void* stream, ZPOS64_T offset, int origin) {
        return static_cast<Source*>(stream)->seek(offset, origin) ? 0L : -1L;
    };
    functions.zclose_file = [](void*, void*) { return 0; };
    functions.zerror_file = [](void*, void* stream) {
        return static_cast<Source*>(stream)->is_short() ? 1 : 0;
    };
    return functions;
}

std::unique_ptr<Source> open_source(const std::filesystem::path& path) {
    Descriptor file = open_regular(path);
    struct stat status {};
    ::fstat(file.get(), &status);
    return std::make_unique<Source>(std::move(file), static_cast<std::uint64_t>(status.st_size));
}

struct Member {
    std::string name;
    unz64_file_pos place;
};

}  // namespace

class NpzFile::Impl {
public:
    Impl(std::unique_ptr<Source> source, std::string name)
        : source_(std::move(source)), name_(std::move(name)) {
        auto functions = functions_of(*source_);
        zip_.reset(unzOpen2_64(name_.c_str(), &functions));
        if (!zip_) {
            refuse("no zip archive, or cut off: must be a file of numpy.savez (.npz)");
        }
        list_members();
    }

    [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }

    [[nodiscard]] NpyArray read(std::string_view array, std::uintmax_t largest) const {
        const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& each) {
            return each.name == array;
        });
        if (found == members_.end()) {
            refuse(fmt::format("no array \"{}\"; it has {}", array, names_text()));
        }
        return parse_npy(content(*found, largest), fmt::format("{}: {}", name_, array));
    }

private:
    struct Close {
        void operator()(void* zip) const noexcept { unzClose(zip); }
    };

    [[noreturn]] void refuse(const std::string& what) const {
        throw InputError(fmt::format("{}: {}", name_, what));
    }
    [[noreturn]] void refuse(const Member& member, std::string_view what) const {
        refuse(fmt::format("array \"{}\" {}", member.name, what));
    }

    void list_members() {
        unz_global_info64 about{};
        unzGetGlobalInfo64(zip_.get(), &about);
        int code = about.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(zip_.get());
        while (code == UNZ_OK) {
            members_.push_back(member_here());
            code = unzGoToNextFile(zip_.get());
        }
        if (code != UNZ_END_OF_LIST_OF_FILE) {
            refuse("damaged: its list of arrays cannot be read");
        }
        require_unique_names();
    }

    Member member_here() {
        std::array<char, longest_name> name{};
        Member member{};
        const unz_file_info64 info = info_here(name);
        member.name =
            std::string(name.data(), std::min<std::size_t>(info.size_filename, name.size()));
        if (!member.name.ends_with(suffix)) {
            refuse(fmt::format("holds \"{}\", which is no array (.npy)", member.name));
        }
        member.name.resize(member.name.size() - suffix.size());
        if ((info.flag & encrypted_flag) != 0) {
            refuse(member, "is encrypted");
        }
        unzGetFilePos64(zip_.get(), &member.place);
        return member;
    }

    [[nodiscard]] unz_file_info64 info_here(std::span<char> name) const {
        unz_file_info64 info{};
        if (unzGetCurrentFileInfo64(
                zip_.get(), &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK) {
            refuse("damaged: its list of arrays cannot be read");
        }
        return info;
    }

    void require_unique_names() const {
        std::vector<std::string_view> sorted;
        for (const Member& member : members_) {
            sorted.push_back(member.name);
        }
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end()) {
            refuse(fmt::format("damaged: it holds the array \"{}\" twice", *twice));
        }
    }

    [[nodiscard]] std::string names_text() const {
        std::string text;
        for (const Member& member : members_) {
            text += (text.empty() ? "" : ", ") + member.name;
        }
        return text.empty() ? "none" : text;
    }

    [[nodiscard]] std::string content(const Member& member, std::uintmax_t largest) const {
        unz64_file_pos place = member.place;
        if (unzGoToFilePos64(zip_.get(), &place) != UNZ_OK) {
            refuse(member, "cannot be found: the file is damaged");
        }
        const unz_file_info64 info = info_here({});
        if (info.uncompressed_size > largest) {
            refuse(member,
                   fmt::format(
                       "has {} bytes, at most {} are allowed", info.uncompressed_size, largest));
        }
        if (info.uncompressed_size / largest_ratio > info.compressed_size) {
            refuse(member,
                   fmt::format("is damaged: {} bytes cannot stand for {}",
                               info.compressed_size,
                               info.uncompressed_size));
        }
        if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
            refuse(member, "is compressed otherwise than by deflate");
        }
        if (unzOpenCurrentFile(zip_.get()) != UNZ_OK) {
            refuse(member, "is damaged: it does not begin as the file's list says");
        }
        std::string bytes(info.uncompressed_size, '\0');
        const bool is_whole = fill(bytes) && unzeof(zip_.get()) == 1;
        if (unzCloseCurrentFile(zip_.get()) != UNZ_OK || !is_whole) {
            refuse(member, "is damaged: its checksum is not that of the file's list");
        }
        return bytes;
    }

    [[nodiscard]] bool fill(std::string& bytes) const {
        std::size_t used = 0;
        while (used < bytes.size()) {
            const auto count = std::min<std::uint64_t>(bytes.size() - used, largest_piece);
            const int got =
                unzReadCurrentFile(zip_.get(), bytes.data() + used, static_cast<unsigned>(count));
            if (got <= 0) {
                return false;
            }
            used += static_cast<std::size_t>(got);
        }
        return true;
    }

    std::unique_ptr<Source> source_;
    std::string name_;
    std::unique_ptr<void, Close> zip_;
    std::vector<Member> members_;
};

NpzFile::NpzFile(const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(open_source(path), path.string())) {}

NpzFile::NpzFile(std::string_view bytes, std::string_view name)
    : impl_(std::make_unique<Impl>(std::make_unique<Source>(bytes), std::string(name))) {}

NpzFile::~NpzFile() = default;
NpzFile::NpzFile(NpzFile&&) noexcept = default;
NpzFile& NpzFile::operator=(NpzFile&&) noexcept = default;

std::vector<std::string> NpzFile::names() const {
    std::vector<std::string> names;
    for (const Member& member : impl_->members()) {
        names.push_back(member.name);
    }
    return names;
}

bool NpzFile::has(std::string_view name) const noexcept {
    const auto& members = impl_->members();
    return std::any_of(
        members.begin(), members.end(), [&](const Member& member) { return member.name == name; });
}

NpyArray NpzFile::read(std::string_view name, std::uintmax_t largest) const {
    return impl_->read(name, largest);
}

}  // namespace lockstep::io
