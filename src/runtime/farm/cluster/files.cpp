#include "runtime/farm/cluster/files.hpp"

#include <cstring>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "LSelem01";  // with the version of the format
constexpr std::size_t head_bytes = magic.size() + sizeof(Digest);

std::span<const char> chars(const std::string& text) {
    return {text.data(), text.size()};
}

std::string read_text(ByteReader& reader) {
    const auto characters = reader.read_array<char>();
    return {characters.begin(), characters.end()};
}

std::string_view characters(std::span<const std::byte> bytes) {
    return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

Digest digest_of(std::span<const std::byte> bytes) {
    DigestBuilder builder;
    builder.add_bytes(bytes);
    return builder.digest();
}

// Whoever looks sees all of it or nothing. That it survives a loss of power is not needed.
void write_whole(const fs::path& path, std::string_view text) {
    const auto temporary = io::temporary_name(path);
    std::ofstream file(temporary, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw IoError(fmt::format("cannot write {}", path.string()), IoError::Direction::write);
    }
    io::commit_file(temporary, path, io::Durability::later);
}

void write_sealed(const fs::path& path, const Bytes& bytes) {
    const auto digest = digest_of(bytes);
    std::string text(magic);
    text.append(characters(std::as_bytes(std::span(digest))));
    text.append(characters(bytes));
    write_whole(path, text);
}

std::optional<Bytes> unsealed(const std::string& text) {
    if (text.size() < head_bytes || !text.starts_with(magic)) {
        return {};
    }
    Digest digest{};
    std::memcpy(&digest, text.data() + magic.size(), sizeof digest);
    const auto bytes = std::as_bytes(std::span(text)).subspan(head_bytes);
    return digest_of(bytes) == digest ? std::optional(Bytes(bytes.begin(), bytes.end()))
                                      : std::nullopt;
}

fs::path file_of(const fs::path& array, int index, std::string_view kind) {
    return array / fmt::format("{}.{}", index, kind);
}

}  // namespace

std::string key_of(const Digest& identity, const Assignment& assignment) {
    DigestBuilder builder;
    builder.add(identity[0]);
    builder.add(identity[1]);
    builder.add(std::string_view(assignment.function));
    builder.add(assignment.number);
    builder.add_bytes(assignment.input);
    return lockstep::to_string(builder.digest());
}

fs::path results_folder(const fs::path& folder) {
    return folder / "results";
}

fs::path result_file(const fs::path& folder, const std::string& key) {
    return results_folder(folder) / (key + ".result");
}

std::string origin_of(const fs::path& array, int index) {
    return fmt::format("{}/{}", array.filename().string(), index);
}

void write_task(const fs::path& array, int index, const ElementTask& task) {
    ByteWriter writer;
    writer.add_array(chars(task.key));
    writer.add_array(pack(task.assignment));
    write_sealed(file_of(array, index, "task"), writer.take());
}

ElementTask read_task(const fs::path& array, int index) {
    const auto path = file_of(array, index, "task");
    const auto bytes = unsealed(io::read_file(path));
    if (!bytes) {
        throw InputError(fmt::format("{}: is no task, or damaged", path.string()));
    }
    ByteReader reader(*bytes);
    auto key = read_text(reader);
    return {unpack_assignment(reader.read_array<std::byte>()), std::move(key)};
}

void mark_begun(const fs::path& array, int index) {
    write_whole(file_of(array, index, "begun"), "");
}

bool has_begun(const fs::path& array, int index) {
    std::error_code ignored;
    return fs::exists(file_of(array, index, "begun"), ignored);
}

void write_result(const fs::path& folder, const std::string& key, const ElementResult& result) {
    ByteWriter writer;
    writer.add_array(chars(result.origin));
    writer.add_array(pack(result.report));
    write_sealed(result_file(folder, key), writer.take());
}

std::optional<ElementResult> read_result(const fs::path& folder, const std::string& key) {
    try {
        const auto bytes = unsealed(io::read_file(result_file(folder, key)));
        if (!bytes) {
            return {};
        }
        ByteReader reader(*bytes);
        auto origin = read_text(reader);
        return ElementResult{unpack_report(reader.read_array<std::byte>()), std::move(origin)};
    } catch (const IoError&) {  // it has gone, or is not to be seen yet
        return {};
    }
}

}  // namespace lockstep::runtime
