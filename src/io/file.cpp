#include "lockstep/io/file.hpp"

#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "io/descriptor.hpp"
#include "io/output_file.hpp"

namespace lockstep::io {

namespace fs = std::filesystem;

namespace {

std::string reason(int code) {
    return std::error_code(code, std::generic_category()).message();
}

// The system's calls take a name to its first zero byte: another file, or a temporary one that is
// always there already.
bool is_cut(const fs::path& path) {
    return path.native().find('\0') != fs::path::string_type::npos;
}
constexpr const char* cut_name = "its name has a zero byte";

/// What is thrown is told to its first zero byte too.
std::string shown(const fs::path& path) {
    std::string name = path.string();
    for (auto zero = name.find('\0'); zero != name.npos; zero = name.find('\0')) {
        name.replace(zero, 1, "\\0");
    }
    return name;
}

[[noreturn]] void fail_read(const fs::path& path, const std::string& why) {
    throw IoError(fmt::format("cannot read {}: {}", shown(path), why), IoError::Direction::read);
}

[[noreturn]] void fail_write(const fs::path& path, const std::string& why) {
    throw IoError(fmt::format("cannot write {}: {}", shown(path), why), IoError::Direction::write);
}

[[noreturn]] void fail_folder(const fs::path& path, const std::string& why) {
    throw IoError(fmt::format("cannot make the folder {}: {}", shown(path), why),
                  IoError::Direction::write);
}

/// 0, or the reason why the bytes may not have reached the disk. File systems that know no fsync
/// (EINVAL) promise nothing, and there is nothing to wait for.
int sync_errno(int descriptor) {
    while (::fsync(descriptor) != 0) {
        if (errno == EINVAL || errno == ENOTSUP) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int sync_path_errno(const fs::path& path, int flags) {
    const Descriptor file(::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC));
    return file.get() < 0 ? errno : sync_errno(file.get());
}

fs::path folder_of(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

void remove_quietly(const fs::path& path) noexcept {
    ::unlink(path.c_str());
}

/// A device or folder under the final name would be replaced by the rename (or refuse it late).
void require_replaceable(const fs::path& path) {
    if (is_cut(path)) {
        fail_write(path, cut_name);
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        fail_write(path, reason(EISDIR));
    }
    if (!S_ISREG(status.st_mode)) {
        fail_write(path, "not a regular file");
    }
}

std::string kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return reason(EISDIR);
        case S_IFIFO:
            return "it is a pipe, must be a regular file";
        case S_IFSOCK:
            return "it is a socket, must be a regular file";
        default:
            return "it is a device, must be a regular file";
    }
}

void require_regular(const fs::path& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) {
        fail_read(path, kind_of(status.st_mode));
    }
}

[[noreturn]] void fail_long(const fs::path& path, std::uintmax_t size, std::uintmax_t largest) {
    fail_read(path, fmt::format("it has {} bytes or more, at most {} are allowed", size, largest));
}

std::size_t guessed_size(int descriptor, const fs::path& path, std::uintmax_t largest) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        fail_read(path, reason(errno));
    }
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size > largest) {
        fail_long(path, size, largest);
    }
    return static_cast<std::size_t>(size);
}

/// The part of a path that is there but is no folder; empty when there is none.
fs::path file_in_the_way(const fs::path& path) {
    fs::path part;
    for (const fs::path& name : path) {
        part /= name;
        std::error_code ignored;
        if (fs::exists(part, ignored) && !fs::is_directory(part, ignored)) {
            return part;
        }
    }
    return {};
}

/// What temporary_name makes: ".NAME.tmp-PROCESS-NUMBER".
bool is_temporary_name(std::string_view name) {
    const auto mark = name.rfind(".tmp-");
    if (!name.starts_with('.') || mark == 0 || mark == name.npos) {
        return false;
    }
    const auto numbers = name.substr(mark + 5);
    const auto dash = numbers.find('-');
    return dash != numbers.npos && dash > 0 && dash + 1 < numbers.size() &&
           numbers.find_first_not_of("0123456789-") == numbers.npos && numbers.rfind('-') == dash;
}

}  // namespace

// Looks before it opens, for the opening alone does something to some devices, and after it, for
// the name may have changed hands; the opening of a pipe does not wait for its writer.
Descriptor open_regular(const fs::path& path) {
    if (is_cut(path)) {
        fail_read(path, cut_name);
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        fail_read(path, reason(errno));
    }
    require_regular(path, status);
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) {
        fail_read(path, reason(errno));
    }
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        fail_read(path, "it was exchanged for something else while it was opened");
    }
    return file;
}

std::string read_file(const fs::path& path, std::uintmax_t largest) {
    const Descriptor file = open_regular(path);
    // The size is a guess only: the file may grow, and those in /proc say 0.
    std::string content(guessed_size(file.get(), path, largest) + 1, '\0');
    std::size_t used = 0;
    while (true) {
        const ssize_t got = ::read(file.get(), content.data() + used, content.size() - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail_read(path, reason(errno));
        }
        if (got == 0) {
            break;
        }
        used += static_cast<std::size_t>(got);
        if (used > largest) {
            fail_long(path, used, largest);
        }
        if (used == content.size()) {
            content.resize(2 * content.size() + 4096);
        }
    }
    content.resize(used);
    return content;
}

bool is_there(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
        return true;
    }
    if (errno != ENOENT && errno != ENOTDIR) {
        fail_read(path, reason(errno));
    }
    return false;
}

void write_file(const fs::path& path, std::string_view content) {
    OutputFile file(path);
    file.write(content);
    file.commit();
}

void make_folder(const fs::path& path) {
    if (is_cut(path)) {
        fail_folder(path, cut_name);
    }
    std::error_code error;
    fs::create_directories(path, error);
    if (!error) {
        return;
    }
    const fs::path obstacle = file_in_the_way(path);
    fail_folder(
        path,
        obstacle.empty() ? error.message() : fmt::format("{} is not a folder", obstacle.string()));
}

fs::path temporary_name(const fs::path& path) {
    if (is_cut(path)) {
        fail_write(path, cut_name);
    }
    // Hidden, so that readers of a whole folder pass over it; the process number keeps ranks apart.
    static std::atomic<unsigned long> next{0};
    constexpr std::size_t longest_stem = 200;  // a file name may have 255 bytes
    return path.parent_path() / fmt::format(".{}.tmp-{}-{}",
                                            path.filename().string().substr(0, longest_stem),
                                            ::getpid(),
                                            next.fetch_add(1, std::memory_order_relaxed));
}

void remove_temporaries(const fs::path& folder, Subfolders subfolders) {
    std::error_code code;
    const auto remove_from = [&](auto entries) {
        for (; !code && entries != end(entries); entries.increment(code)) {
            if (is_temporary_name(entries->path().filename().string())) {
                remove_quietly(entries->path());
            }
        }
    };
    if (subfolders == Subfolders::yes) {
        remove_from(fs::recursive_directory_iterator(folder, code));
    } else {
        remove_from(fs::directory_iterator(folder, code));
    }
}

void commit_file(const fs::path& temporary, const fs::path& path, Durability durability) {
    int code = durability == Durability::now ? sync_path_errno(temporary, 0) : 0;
    if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) {
        code = errno;
    }
    if (code != 0) {
        remove_quietly(temporary);
        fail_write(path, reason(code));
    }
    if (durability == Durability::later) {
        return;
    }
    code = sync_path_errno(folder_of(path), O_DIRECTORY);
    if (code != 0 && code != EACCES) {  // a folder may be writable but not readable
        fail_write(path, reason(code));
    }
}

void sync_folder(const fs::path& folder) {
    const Descriptor descriptor(::open(folder.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
    if (descriptor.get() < 0 || ::syncfs(descriptor.get()) != 0) {
        fail_write(folder, reason(errno));
    }
}

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
    require_replaceable(path_);
    if (path_.has_parent_path()) {
        make_folder(path_.parent_path());
    }
    do {  // a killed process of the same number may have left its temporary file
        temporary_ = temporary_name(path_);
        descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
    if (descriptor_ < 0) {
        fail_write(path_, reason(errno));
    }
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!committed_) {
        remove_quietly(temporary_);
    }
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            fail_write(path_, reason(errno));
        }
    }
}

void OutputFile::commit(Durability durability) {
    const int closed = ::close(descriptor_);
    const int code = errno;
    descriptor_ = -1;
    if (closed != 0 && code != EINTR) {  // network file systems report a full disk here
        fail_write(path_, reason(code));
    }
    commit_file(temporary_, path_, durability);
    committed_ = true;
}

}  // namespace lockstep::io
