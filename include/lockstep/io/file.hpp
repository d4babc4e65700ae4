#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::io {

/// When the bytes of a new file are on the disk. A killed process leaves whole files either way; a
/// machine that loses power may leave an empty file under the new name with `later`.
enum class Durability {
    now,    ///< before the call returns
    later,  ///< at the next sync_folder; thousands of small files cost little
};

/// Bytes that a file may have where its reader sets no limit of its own, and a text that is parsed
/// into a tree of values many times its size.
inline constexpr std::uintmax_t largest_file = std::uintmax_t{4} << 30;
inline constexpr std::uintmax_t largest_text = std::uintmax_t{256} << 20;

/// Whole content of a regular file. Anything else under the name (a pipe, a socket, a device, a
/// directory) is refused without waiting for it.
/// @param largest  [bytes] a longer file is refused before it is read
/// @throws IoError  missing, not a regular file, no permission, too long, read error: the message
/// names the path and the reason
std::string read_file(const std::filesystem::path& path, std::uintmax_t largest = largest_file);

/// Whether something has this name, be it a link that leads nowhere.
/// @throws IoError  nobody can tell, for example because a folder above may not be entered
bool is_there(const std::filesystem::path& path);

/// Writes a file whole or not at all: temporary name in the same folder, fsync, rename, fsync of
/// the folder. Folders that are missing are made.
/// @throws IoError  with the path and the system's reason; the temporary file is removed
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder and its parents.
/// @throws IoError
void make_folder(const std::filesystem::path& path);

/// The temporary name under which a file is written before its rename; unique in this process.
std::filesystem::path temporary_name(const std::filesystem::path& path);

enum class Subfolders { no, yes };

/// Removes what killed processes have left under temporary_name in a folder, where nobody writes
/// now. A folder that does not exist or cannot be read holds nothing.
void remove_temporaries(const std::filesystem::path& folder, Subfolders subfolders);

/// fsync of a finished temporary file, rename to `path`, fsync of the folder; the rename alone with
/// Durability::later.
/// @throws IoError  the temporary file is removed
void commit_file(const std::filesystem::path& temporary,
                 const std::filesystem::path& path,
                 Durability durability = Durability::now);

/// Brings everything that this machine wrote to the file system of `folder` to the disk.
/// @throws IoError
void sync_folder(const std::filesystem::path& folder);

}  // namespace lockstep::io
