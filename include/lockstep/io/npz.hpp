#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/file.hpp"
#include "lockstep/io/npy.hpp"

namespace lockstep::io {

/// Arrays of a file that numpy.savez or savez_compressed wrote, read one at a time: a zip archive
/// whose members are .npy files.
class NpzFile {
public:
    /// @throws IoError  missing, unreadable; InputError  no zip archive, damaged, or a member that
    /// is encrypted, repeated or no .npy file
    explicit NpzFile(const std::filesystem::path& path);
    /// Of bytes that were read already, which must outlive this.
    /// @param name  file name for messages
    NpzFile(std::string_view bytes, std::string_view name);
    ~NpzFile();
    NpzFile(NpzFile&&) noexcept;
    NpzFile& operator=(NpzFile&&) noexcept;

    /// As they stand in the file, without ".npy".
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool has(std::string_view name) const noexcept;
    /// @param largest  [bytes] an array that is longer, or longer than its compressed bytes can
    /// stand for, is refused before there is memory for it
    /// @throws InputError  no such array; damaged (checksum); as parse_npy
    [[nodiscard]] NpyArray read(std::string_view name, std::uintmax_t largest = largest_file) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

enum class NpzStorage { stored, deflated };

/// Writes arrays one after the other into a file that numpy.load opens; it appears under its name
/// at close(). The bytes are a function of what was added.
class NpzWriter {
public:
    /// @throws IoError
    explicit NpzWriter(std::filesystem::path path, NpzStorage storage = NpzStorage::deflated);
    ~NpzWriter();  ///< without close(): the unfinished file is removed
    NpzWriter(NpzWriter&&) noexcept;
    NpzWriter& operator=(NpzWriter&&) noexcept;

    /// @param shape  lengths of the axes, whose product is the number of values; {} is one value
    /// @throws IoError  cannot be written; AssertionError  a name for the second time
    void add(std::string_view name,
             std::span<const double> values,
             std::span<const std::int64_t> shape);
    void add(std::string_view name,
             std::span<const float> values,
             std::span<const std::int64_t> shape);
    void add(std::string_view name,
             std::span<const std::int64_t> values,
             std::span<const std::int64_t> shape);
    /// An array that is made part by part, one for each index of its first axis, in the memory of
    /// one of them.
    /// @param part  gives part k, which is written before the next is asked for
    void add_parts(std::string_view name,
                   std::span<const std::int64_t> shape,
                   const std::function<std::span<const double>(std::int64_t)>& part);
    /// Texts in UTF-8.
    void add(std::string_view name,
             std::span<const std::string> values,
             std::span<const std::int64_t> shape);
    /// @throws IoError  the unfinished file is removed
    void close();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::io
