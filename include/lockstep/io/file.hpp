#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::io {

/// Whole content of a file.
/// @throws IoError  missing, a directory, no permission, read error: the message names the path and
/// the reason
std::string read_file(const std::filesystem::path& path);

/// Writes a file whole or not at all: temporary name in the same folder, fsync, rename, fsync of
/// the folder. Folders that are missing are made.
/// @throws IoError  with the path and the system's reason; the temporary file is removed
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder and its parents.
/// @throws IoError
void make_folder(const std::filesystem::path& path);

/// The temporary name under which a file is written before its rename; unique in this process.
std::filesystem::path temporary_name(const std::filesystem::path& path);

/// fsync of a finished temporary file, rename to `path`, fsync of the folder.
/// @throws IoError  the temporary file is removed
void commit_file(const std::filesystem::path& temporary, const std::filesystem::path& path);

}  // namespace lockstep::io
