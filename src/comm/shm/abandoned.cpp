#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/comm/launch.hpp"

#include "comm/shm/control.hpp"

namespace lockstep::comm {
namespace {

bool are_all(std::string_view text, std::string_view of) {
    return !text.empty() && text.find_first_not_of(of) == text.npos;
}

std::string_view cut_last(std::string_view& text, char mark) {
    const auto at = text.rfind(mark);
    const auto last = at == text.npos ? std::string_view() : text.substr(at + 1);
    text = text.substr(0, at == text.npos ? 0 : at);
    return last;
}

constexpr std::string_view decimal = "0123456789";
constexpr std::string_view hexadecimal = "0123456789abcdef";

// "….<16 hexadecimal digits>.<letter><number>", as ShmRoom::name_of makes them.
bool is_derived(std::string_view name) {
    const auto kind = cut_last(name, '.');
    const auto nonce = cut_last(name, '.');
    return !name.empty() && nonce.size() == 16 && are_all(nonce, hexadecimal) && !kind.empty() &&
           kind[0] >= 'a' && kind[0] <= 'z' &&
           (kind.size() == 1 || are_all(kind.substr(1), decimal));
}

// "lockstep-<process>-<12 hexadecimal digits>", as the launcher makes them.
bool is_of_launcher(std::string_view name) {
    const auto digits = cut_last(name, '-');
    const auto process = cut_last(name, '-');
    return name == "lockstep" && are_all(process, decimal) && digits.size() == 12 &&
           are_all(digits, hexadecimal);
}

/// A file of shared memory, as somebody sees it who has not made it.
class Found {
public:
    explicit Found(const std::filesystem::path& path)
        : path_(path), file_(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
        if (file_ >= 0 && ::fstat(file_, &status_) != 0) {
            status_ = {};
        }
    }
    ~Found() {
        if (file_ >= 0) {
            ::close(file_);
        }
    }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;

    /// This program has made it, run by this user.
    [[nodiscard]] bool is_own() const {
        const auto name = path_.filename().string();
        return file_ >= 0 && S_ISREG(status_.st_mode) && (status_.st_mode & 07777) == 0600 &&
               status_.st_uid == ::geteuid() &&
               (is_derived(name) || is_of_launcher(name) || begins_with_mark());
    }
    /// Its maker has died. A file without a size may be new, and its lock yet to come.
    [[nodiscard]] bool is_abandoned() const {
        constexpr int making_seconds = 2;
        if (status_.st_size == 0 && std::time(nullptr) - status_.st_ctim.tv_sec < making_seconds) {
            return false;
        }
        return ::flock(file_, LOCK_EX | LOCK_NB) == 0 && is_still_there();
    }
    void remove() const { ::unlink(path_.c_str()); }

private:
    [[nodiscard]] bool begins_with_mark() const {
        std::uint64_t mark = 0;
        return ::pread(file_, &mark, sizeof mark, 0) == sizeof mark &&
               mark == ShmHeader::right_magic;
    }
    // Another run may have made memory of the same name meanwhile.
    [[nodiscard]] bool is_still_there() const {
        struct stat now {};
        return ::lstat(path_.c_str(), &now) == 0 && now.st_ino == status_.st_ino;
    }

    std::filesystem::path path_;
    int file_;
    struct stat status_ {};
};

std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> paths;
    std::error_code code;
    for (std::filesystem::directory_iterator entries("/dev/shm", code);
         !code && entries != end(entries);
         entries.increment(code)) {
        paths.push_back(entries->path());
    }
    return paths;
}

}  // namespace

void remove_abandoned_memory() {
    for (const auto& path : files()) {
        const Found found(path);
        if (found.is_own() && found.is_abandoned()) {
            found.remove();
        }
    }
}

}  // namespace lockstep::comm
