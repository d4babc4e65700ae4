#pragma once

#include <filesystem>
#include <string_view>

#include "lockstep/io/file.hpp"

namespace lockstep::io {

/// A file that is being written under a temporary name and appears under its own name at commit().
/// Folders that are missing are made; an existing file is replaced, anything else is refused.
class OutputFile {
public:
    /// @throws IoError
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();  ///< without commit(): the temporary file is removed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @throws IoError  with the path and the system's reason, for example a full disk
    void write(std::string_view bytes);
    /// @throws IoError  the temporary file is removed
    void commit(Durability durability = Durability::now);

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    int descriptor_ = -1;
    bool committed_ = false;
};

}  // namespace lockstep::io
