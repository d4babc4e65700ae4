#include "lockstep/app/compare.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "app/wing.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using formats::OutputPart;

constexpr auto none = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> part_names(const OutputOnDisk& left, const OutputOnDisk& right) {
    std::vector<std::string> names;
    for (const auto* side : {&left, &right}) {
        for (const auto& part : side->metadata.parts) {
            if (std::find(names.begin(), names.end(), part.name) == names.end()) {
                names.push_back(part.name);
            }
        }
    }
    return names;
}

std::string digest_of(const OutputPart* part) {
    return part == nullptr ? "none" : part->digest;
}

bool is_equal(const Comparison::Digests& digests) {
    return digests.left == digests.right;
}

Difference one_sided(const std::string& part, const std::string& where, bool is_left) {
    return {part,
            where,
            "present on one side only",
            is_left ? "present" : "absent",
            is_left ? "absent" : "present",
            none,
            none};
}

Difference on_neither(const std::string& part, const std::string& where) {
    return {part, where, "on neither side", "absent", "absent", none, none};
}

// Files below a path of a part, relative to it; "" for a file itself. A folder that cannot be read
// is no empty one.
std::set<std::string> files_below(const fs::path& path) {
    std::set<std::string> files;
    std::error_code code;
    if (!io::is_there(path)) {
        return files;
    }
    if (fs::is_regular_file(path, code)) {
        return {""};
    }
    for (fs::recursive_directory_iterator entries(path, code), end; !code && entries != end;
         entries.increment(code)) {
        if (entries->is_regular_file(code)) {
            files.insert(entries->path().lexically_relative(path).string());
        }
    }
    if (code) {
        throw IoError(fmt::format("cannot read {}: {}", path.string(), code.message()),
                      IoError::Direction::read);
    }
    return files;
}

// The table that a file is a piece of, "x" for "x/part-00001.parquet" and "x/key=1/data.parquet";
// else the file itself.
std::string table_of(const std::string& file) {
    const fs::path path(file);
    const auto folder = path.parent_path();
    if (folder.filename().string().find('=') != std::string::npos) {
        return folder.parent_path().string();
    }
    return path.filename().string().starts_with("part-") ? folder.string() : file;
}

// Forgets tables that both sides have, one in parts and one in folders: what they hold is compared.
void forget_other_layouts(const std::set<std::string>& left, std::vector<std::string>& lonely) {
    std::set<std::string> of_left;
    std::set<std::string> of_right;
    for (const auto& file : lonely) {
        (left.contains(file) ? of_left : of_right).insert(table_of(file));
    }
    std::erase_if(lonely, [&](const std::string& file) {
        return of_left.contains(table_of(file)) && of_right.contains(table_of(file));
    });
}

// The first file of a path that only one side has.
std::optional<Difference> differing_files(const std::string& part,
                                          const fs::path& left,
                                          const fs::path& right,
                                          const std::string& name) {
    const auto a = files_below(left);
    const auto b = files_below(right);
    if (a.empty() && b.empty()) {
        return on_neither(part, name);
    }
    std::vector<std::string> lonely;
    std::set_symmetric_difference(
        a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(lonely));
    forget_other_layouts(a, lonely);
    if (lonely.empty()) {
        return std::nullopt;
    }
    const auto file = (fs::path(name) / lonely.front()).lexically_normal().string();
    return one_sided(part, "file " + file, a.contains(lonely.front()));
}

std::optional<Difference> differing_presence(const OutputOnDisk& left,
                                             const OutputOnDisk& right,
                                             const OutputPart& a,
                                             const OutputPart& b) {
    if (a.paths.size() != b.paths.size()) {
        return Difference{a.name,
                          "paths",
                          "number",
                          std::to_string(a.paths.size()),
                          std::to_string(b.paths.size()),
                          none,
                          none};
    }
    for (std::size_t i = 0; i < a.paths.size(); ++i) {
        if (auto found = differing_files(
                a.name, left.directory / a.paths[i], right.directory / b.paths[i], a.paths[i])) {
            return found;
        }
    }
    return std::nullopt;
}

void compare_part(const Wing& wing,
                  const OutputOnDisk& left,
                  const OutputOnDisk& right,
                  const std::string& name,
                  Depth depth,
                  Comparison& comparison) {
    const auto* a = left.metadata.part(name);
    const auto* b = right.metadata.part(name);
    comparison.digests.push_back({name, digest_of(a), digest_of(b)});
    if (a == nullptr || b == nullptr) {
        return;
    }
    comparison.is_whole &= a->is_whole && b->is_whole;
    auto missing = differing_presence(left, right, *a, *b);
    if (missing) {
        comparison.differences.push_back(*std::move(missing));
        return;
    }
    if (depth == Depth::files || a->digest != b->digest) {
        for (auto& difference : wing.differences({left.directory, *a}, {right.directory, *b})) {
            comparison.differences.push_back(std::move(difference));
        }
    }
}

// "training and simulation"
std::string names_of(const std::vector<Comparison::Digests>& digests) {
    std::string names;
    for (const auto& entry : digests) {
        if (!is_equal(entry)) {
            names += (names.empty() ? "" : " and ") + entry.part;
        }
    }
    return names;
}

std::string sentence_of(const Comparison& comparison) {
    if (comparison.is_same) {
        return comparison.is_whole
                   ? "The results are the same bits."
                   : "The results are the same bits as far as they go: they are not whole, a run "
                     "ended early.";
    }
    if (comparison.differences.empty()) {
        return fmt::format("The results differ: the digests of {} are not equal.",
                           names_of(comparison.digests));
    }
    const auto& first = comparison.differences.front();
    return fmt::format(
        "The results differ, first in the {} at {}: {}.", first.part, first.where, first.quantity);
}

bool all_equal(const std::vector<Comparison::Digests>& digests) {
    return std::all_of(digests.begin(), digests.end(), [](const auto& entry) {
        return entry.part == "input" || is_equal(entry);
    });
}

}  // namespace

Comparison compare_with(std::span<const Wing> known,
                        const fs::path& left_directory,
                        const fs::path& right_directory,
                        Depth depth) {
    const auto left = open_output(left_directory);
    const auto right = open_output(right_directory);
    const auto& wing = wing_of(left, known);
    if (left.metadata.engine != right.metadata.engine) {
        throw InputError(fmt::format("{} holds results of {}, {} of {}",
                                     left_directory.string(),
                                     left.metadata.engine,
                                     right_directory.string(),
                                     right.metadata.engine));
    }
    Comparison comparison;
    comparison.digests.push_back(
        {"input", left.metadata.input_digest, right.metadata.input_digest});
    for (const auto& name : part_names(left, right)) {
        compare_part(wing, left, right, name, depth, comparison);
    }
    comparison.is_same = all_equal(comparison.digests) && comparison.differences.empty();
    comparison.sentence = sentence_of(comparison);
    return comparison;
}

Comparison compare(const fs::path& left, const fs::path& right, Depth depth) {
    return compare_with(wings(), left, right, depth);
}

}  // namespace lockstep::app
