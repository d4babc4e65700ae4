#include "app/xpcs/shards/job_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "app/xpcs/shards/build_mark.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr std::string_view magic = "LSshards";
constexpr std::uint64_t format_version = 1;

/// What the file begins with; the index and the shards follow.
struct Head {
    std::array<char, magic.size()> magic_text;
    std::uint64_t version;
    std::size_t index_bytes;
    Digest index_digest;
};

Digest digest_of(std::span<const std::byte> bytes) {
    DigestBuilder builder;
    builder.add_bytes(bytes);
    return builder.digest();
}

/// Build, settings, places and digests of the shards.
Bytes index_of(const Bytes& settings,
               const std::vector<std::size_t>& ends,
               const std::vector<Digest>& digests) {
    ByteWriter writer;
    writer.add_array(std::span<const char>(build_mark()));
    writer.add_array(settings);
    writer.add_array(ends);
    writer.add_array(digests);
    return writer.take();
}

/// A file under a temporary name until it is whole.
class NewFile {
public:
    explicit NewFile(const fs::path& path) : path_(path), temporary_(io::temporary_name(path)) {
        io::make_folder(path.parent_path());
        stream_.open(temporary_, std::ios::binary);
    }
    ~NewFile() {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void seek(std::size_t place) { stream_.seekp(static_cast<std::streamoff>(place)); }
    void write(std::span<const std::byte> bytes) {
        stream_.write(static_cast<const char*>(static_cast<const void*>(bytes.data())),
                      static_cast<std::streamsize>(bytes.size()));
    }
    void commit() {
        stream_.close();
        if (!stream_) {
            throw IoError(fmt::format("cannot write {}", path_.string()),
                          IoError::Direction::write);
        }
        io::commit_file(temporary_, path_, io::Durability::later);
    }

private:
    fs::path path_;
    fs::path temporary_;
    std::ofstream stream_;
};

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
    throw InputError(fmt::format("{}: {}", path.string(), why));
}

}  // namespace

Digest write_shard_job(const fs::path& path, const xpcs::ShardWork& work) {
    const auto settings = work.settings();
    std::vector<std::size_t> ends(at(work.shards()) + 1);
    std::vector<Digest> digests(at(work.shards()));
    ends[0] = sizeof(Head) + index_of(settings, ends, digests).size();
    NewFile file(path);
    file.seek(ends[0]);
    for (int shard = 0; shard < work.shards(); ++shard) {
        const auto bytes = work.shard_bytes(shard);
        digests[at(shard)] = digest_of(bytes);
        ends[at(shard) + 1] = ends[at(shard)] + bytes.size();
        file.write(bytes);
    }
    const auto index = index_of(settings, ends, digests);
    Head head{{}, format_version, index.size(), digest_of(index)};
    std::ranges::copy(magic, head.magic_text.begin());
    file.seek(0);
    file.write(std::as_bytes(std::span(&head, 1)));
    file.write(index);
    file.commit();
    return head.index_digest;
}

ShardJob::ShardJob(const fs::path& path) : path_(path), file_(path) {
    const auto bytes = file_.bytes();
    Head head{};
    if (bytes.size() < sizeof head) {
        refuse(path, "is no job of shards");
    }
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::string_view(head.magic_text.data(), head.magic_text.size()) != magic) {
        refuse(path, "is no job of shards");
    }
    if (head.version != format_version) {
        refuse(path,
               fmt::format("has format version {}, must be {}", head.version, format_version));
    }
    const auto rest = bytes.subspan(sizeof head);
    if (head.index_bytes > rest.size() ||
        digest_of(rest.first(head.index_bytes)) != head.index_digest) {
        refuse(path, "is damaged");
    }
    ByteReader reader(rest.first(head.index_bytes));
    const auto build = reader.read_array<char>();
    if (std::string_view(build.data(), build.size()) != build_mark()) {
        refuse(path,
               fmt::format("was written by another build, {}; this is {}",
                           std::string_view(build.data(), build.size()),
                           build_mark()));
    }
    settings_ = reader.view_array<std::byte>();
    ends_ = reader.read_array<std::size_t>();
    digests_ = reader.read_array<Digest>();
    if (ends_.back() != bytes.size()) {
        refuse(path, "is cut off");
    }
}

std::span<const std::byte> ShardJob::shard(int number) const {
    const auto begin = ends_[at(number)];
    const auto bytes = file_.bytes().subspan(begin, ends_[at(number) + 1] - begin);
    if (digest_of(bytes) != digests_[at(number)]) {
        refuse(path_, fmt::format("shard {} is damaged", number));
    }
    return bytes;
}

xpcs::ShardWork ShardJob::work() const {
    return {settings_, [this](int number) { return shard(number); }};
}

}  // namespace lockstep::app
