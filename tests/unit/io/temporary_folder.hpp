#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace lockstep::io {

/// A folder of its own for a test, removed with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "lockstep-io-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            std::abort();
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

    /// Number of files and folders in it, hidden ones too.
    [[nodiscard]] std::size_t entries() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
            count += entry.path().empty() ? 0U : 1U;
        }
        return count;
    }

private:
    std::filesystem::path path_;
};

/// Message of the exception of kind E that `action` throws; empty when it throws none.
template <typename E, typename Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    return {};
}

}  // namespace lockstep::io
