#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <policy_generated.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

namespace lockstep::formats::cobre::out {

namespace flat = ::Cobre::IO::Policy;

/// The root table of a policy file, every offset in it checked.
template <typename Table>
class Buffer {
public:
    /// @throws IoError, InputError  it is damaged, or something else
    explicit Buffer(const std::filesystem::path& path)
        : Buffer(io::read_file(path, FLATBUFFERS_MAX_BUFFER_SIZE), path.string()) {}
    /// @param file  whose bytes they are, for messages
    Buffer(std::string bytes, std::string file) : file_(std::move(file)), bytes_(std::move(bytes)) {
        const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
        constexpr auto least = sizeof(flatbuffers::uoffset_t) + flatbuffers::kFileIdentifierLength;
        if (bytes_.size() < least || !flatbuffers::BufferHasIdentifier(data, identifier)) {
            throw InputError(fmt::format(
                "{}: no policy file: the identifier \"{}\" is missing", file_, identifier));
        }
        // A table takes four bytes at least, so that this many are all there can be.
        flatbuffers::Verifier verifier(
            data, bytes_.size(), 64, static_cast<flatbuffers::uoffset_t>(bytes_.size()));
        if (!verifier.VerifyBuffer<Table>(identifier)) {
            throw InputError(fmt::format("{}: the file is damaged or cut short", file_));
        }
    }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    const Table& operator*() const noexcept { return *flatbuffers::GetRoot<Table>(bytes_.data()); }
    const Table* operator->() const noexcept { return &**this; }

private:
    static constexpr const char* identifier = "CBVF";
    std::string file_;
    std::string bytes_;
};

/// Numbers of a list that a file may leave out.
template <typename T>
std::size_t size_of(const flatbuffers::Vector<T>* list) noexcept {
    return list == nullptr ? 0 : list->size();
}

/// Writes what a builder holds, `root` being its root.
/// @throws IoError
template <typename Table>
void write_buffer(const std::filesystem::path& path,
                  flatbuffers::FlatBufferBuilder& builder,
                  flatbuffers::Offset<Table> root) {
    builder.Finish(root, "CBVF");
    io::write_file(path,
                   {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
}

}  // namespace lockstep::formats::cobre::out
