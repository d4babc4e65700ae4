#include "lockstep/runtime/snapshot.hpp"

#include <algorithm>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "runtime/snapshot_manifest.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kept = 3;

Digest digest_of(std::span<const std::byte> bytes) {
    DigestBuilder builder;
    builder.add_bytes(bytes);
    return builder.digest();
}

std::string part_name(int index) {
    return fmt::format("part-{:05}.bin", index);
}

/// What a rank has written of a part.
struct Written {
    std::uint64_t size = 0;
    Digest digest{};
};

Written write_part(const fs::path& file, std::span<const std::byte> bytes) {
    const void* start = bytes.data();
    io::write_file(file, {static_cast<const char*>(start), bytes.size()});
    return {bytes.size(), digest_of(bytes)};
}

// Iteration numbers of the snapshot folders, newest first. A directory that is there and cannot be
// read is not an empty one.
std::vector<std::int64_t> iterations_in(const fs::path& directory) {
    std::vector<std::int64_t> found;
    if (!io::is_there(directory)) {
        return found;
    }
    std::error_code code;
    for (fs::directory_iterator entry(directory, code); !code && entry != end(entry);
         entry.increment(code)) {
        if (const auto iteration = iteration_of_folder(entry->path().filename().string())) {
            found.push_back(*iteration);
        }
    }
    if (code) {
        throw IoError(fmt::format("cannot read {}: {}", directory.string(), code.message()),
                      IoError::Direction::read);
    }
    std::sort(found.begin(), found.end(), std::greater<>());
    return found;
}

// The link appears under its name in one step, like a file.
void switch_latest(const fs::path& directory, const fs::path& folder) {
    const auto temporary = io::temporary_name(directory / "latest");
    fs::create_directory_symlink(folder.filename(), temporary);
    fs::rename(temporary, directory / "latest");
}

// Ranks on different hosts may see different folders under one name.
void must_be_equal(comm::Communicator& ranks,
                   const std::vector<std::int64_t>& own,
                   const fs::path& directory) {
    DigestBuilder builder;
    for (const auto iteration : own) {
        builder.add(iteration);
    }
    if (!comm::is_equal_on_all(ranks, builder.digest())) {
        throw InputError(fmt::format(
            "{}: the ranks see different checkpoints; it must be on a shared file system",
            directory.string()));
    }
}

bool is_part_name(std::string_view name) {
    constexpr std::string_view before = "part-";
    constexpr std::string_view after = ".bin";
    return name.starts_with(before) && name.ends_with(after) &&
           name.size() > before.size() + after.size() &&
           name.substr(0, name.size() - after.size())
                   .find_first_not_of("0123456789", before.size()) == name.npos;
}

// The manifest first, so that no moment shows half a snapshot. What else lies in the folder is
// somebody's, and keeps it.
void remove_snapshot(const fs::path& folder) {
    fs::remove(folder / manifest_name);
    io::remove_temporaries(folder, io::Subfolders::no);
    std::vector<fs::path> parts;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (is_part_name(entry.path().filename().string())) {
            parts.push_back(entry.path());
        }
    }
    for (const auto& part : parts) {
        fs::remove(part);
    }
    std::error_code not_empty;
    fs::remove(folder, not_empty);
}

}  // namespace

std::vector<std::byte> Snapshot::part(int index) const {
    const auto file = folder_ / part_name(index);
    const auto& named = parts_[at(index)];
    const auto text = io::read_file(file, named.size);
    const auto bytes = std::as_bytes(std::span(text));
    if (bytes.size() != named.size || digest_of(bytes) != named.digest) {
        throw InputError(
            fmt::format("{}: its bytes are not those that the manifest names", file.string()));
    }
    return {bytes.begin(), bytes.end()};
}

SnapshotStore::SnapshotStore(fs::path directory, SnapshotKey key)
    : directory_(std::move(directory)), key_(std::move(key)) {}

fs::path SnapshotStore::folder_of(std::int64_t iteration) const {
    return directory_ / folder_name(iteration);
}

bool SnapshotStore::save(comm::Communicator& ranks,
                         std::int64_t iteration,
                         int parts,
                         const std::function<std::vector<std::byte>(int)>& part,
                         std::string& problem) const {
    const auto mine = block_of(parts, ranks.rank(), ranks.size());
    std::vector<Written> own(static_cast<std::size_t>(mine.size()));
    const auto attempt = [&](auto&& body) {
        try {
            body();
        } catch (const Error& error) {
            problem = error.what();
        } catch (const fs::filesystem_error& error) {
            problem = error.what();
        }
        return ranks.allreduce(problem.empty() ? 0 : 1, comm::ReduceOp::max) == 0;
    };
    problem.clear();
    const bool all_written = attempt([&] {
        for (auto index = mine.begin; index < mine.end; ++index) {
            const auto number = static_cast<int>(index);
            own[at(index - mine.begin)] =
                write_part(folder_of(iteration) / part_name(number), part(number));
        }
    });
    if (!all_written) {
        if (ranks.rank() == 0) {
            try {
                remove_snapshot(folder_of(iteration));  // room for the next one
            } catch (const fs::filesystem_error&) {
                // it is not whole, and so disturbs nobody
            }
        }
        return false;
    }
    std::vector<Written> all(static_cast<std::size_t>(parts));
    ranks.allgatherv(std::span<const Written>(own),
                     std::span<Written>(all),
                     comm::Layout::blocks(parts, 1, ranks.size()));
    return attempt([&] {
        if (ranks.rank() != 0) {
            return;
        }
        Manifest manifest{key_, iteration, ranks.size(), {}, {}};
        for (const auto& written : all) {
            manifest.parts.push_back(
                {part_name(static_cast<int>(manifest.parts.size())), written.size, written.digest});
        }
        io::write_file(folder_of(iteration) / manifest_name, to_text(manifest));
        switch_latest(directory_, folder_of(iteration));
        prune(iteration);
    });
}

// Folders of later iterations are leftovers of a run that this one has overtaken.
void SnapshotStore::prune(std::int64_t newest) const {
    std::size_t seen = 0;
    for (const auto iteration : iterations_in(directory_)) {
        if (iteration > newest || ++seen > kept) {
            remove_snapshot(folder_of(iteration));
        }
    }
}

// Iterations whose manifest is there, newest first; the others were killed before they were whole.
std::vector<std::int64_t> SnapshotStore::whole_ones() const {
    auto found = iterations_in(directory_);
    std::erase_if(found, [this](std::int64_t iteration) {
        return !io::is_there(folder_of(iteration) / manifest_name);
    });
    return found;
}

// Checked by all ranks together; all throw where one of them finds a fault.
Snapshot SnapshotStore::open(comm::Communicator& ranks, std::int64_t iteration) const {
    std::optional<Snapshot> snapshot;
    comm::agree(ranks, [&] {
        const auto file = folder_of(iteration) / manifest_name;
        const auto manifest = read_manifest(file);
        check_key(manifest, key_, file);
        if (manifest.iteration != iteration) {
            throw InputError(fmt::format("{}: \"iteration\" is {}, its folder says {}",
                                         file.string(),
                                         manifest.iteration,
                                         iteration));
        }
        std::vector<SnapshotPart> parts;
        for (const auto& part : manifest.parts) {
            parts.push_back({part.size, part.digest});
        }
        snapshot.emplace(folder_of(iteration), iteration, std::move(parts));
        const auto mine = block_of(snapshot->parts(), ranks.rank(), ranks.size());
        for (auto index = mine.begin; index < mine.end; ++index) {
            static_cast<void>(snapshot->part(static_cast<int>(index)));
        }
    });
    return *std::move(snapshot);
}

std::optional<Snapshot> SnapshotStore::load(comm::Communicator& ranks,
                                            std::vector<std::string>& passed_over) const {
    std::vector<std::int64_t> own;
    comm::agree(ranks, [&] { own = whole_ones(); });
    must_be_equal(ranks, own, directory_);
    for (const auto iteration : own) {
        try {
            return open(ranks, iteration);
        } catch (const SnapshotMismatch&) {
            throw;
        } catch (const CommError&) {
            throw;
        } catch (const Error& error) {
            passed_over.push_back(
                fmt::format("checkpoint of iteration {} is damaged and passed "
                            "over: {}",
                            iteration,
                            error.what()));
        }
    }
    if (!passed_over.empty()) {
        throw InputError(
            fmt::format("{}: no checkpoint is whole; {}; remove the directory to start anew",
                        directory_.string(),
                        passed_over.front()));
    }
    return std::nullopt;
}

}  // namespace lockstep::runtime
