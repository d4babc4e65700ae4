#include "app/xpcs/batch/inputs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <glob.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array data_extensions{".h5", ".hdf", ".hdf5", ".nxs", ".npz", ".npy"};

/// homodyne's caches lie beside their sources.
bool is_data(const fs::path& file) {
    return std::ranges::find(data_extensions, file.extension()) != data_extensions.end() &&
           !file.filename().string().starts_with("cached_c2");
}

/// One that is damaged is a dataset that fails, not one that is passed over.
bool is_configuration(const fs::path& file) {
    return is_xpcs_configuration(file, true);
}

using Accepts = bool (*)(const fs::path&);

std::vector<fs::path> in_folder(const fs::path& folder, Accepts accepts, const char* what) {
    std::vector<fs::path> files;
    std::error_code code;
    for (fs::directory_iterator entries(folder, code), end; !code && entries != end;
         entries.increment(code)) {
        if (entries->is_regular_file(code) && accepts(entries->path())) {
            files.push_back(entries->path());
        }
    }
    if (code) {
        throw IoError(fmt::format("{} cannot be read: {}", folder.string(), code.message()),
                      IoError::Direction::read);
    }
    if (files.empty()) {
        throw InputError(fmt::format("{}: holds no {}", folder.string(), what));
    }
    return files;
}

std::vector<fs::path> matching(const std::string& pattern) {
    ::glob_t found{};
    std::vector<fs::path> files;
    if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
        files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    ::globfree(&found);
    if (files.empty()) {
        throw InputError(fmt::format("no file matches the pattern {}", pattern));
    }
    return files;
}

/// What a word of the command line stands for.
std::vector<fs::path> files_of(const std::string& word, Accepts accepts, const char* what) {
    std::vector<fs::path> files;
    if (fs::is_directory(word)) {
        files = in_folder(word, accepts, what);
    } else if (io::is_there(word)) {
        files = {word};
    } else if (word.find_first_of("*?[") != std::string::npos) {
        files = matching(word);
    } else {
        throw IoError(fmt::format("{}: no such file or folder", word), IoError::Direction::read);
    }
    std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
        return comes_before(a.string(), b.string());
    });
    return files;
}

std::vector<fs::path> all_files(const BatchRequest& request) {
    const bool are_data = !request.each.run.input.empty();
    const auto accepts = are_data ? is_data : is_configuration;
    const auto* what = are_data ? "data file (.h5, .hdf, .hdf5, .nxs, .npz, .npy)"
                                : "configuration of homodyne (.yaml, .yml, .json); for data files "
                                  "name theirs with --config";
    std::vector<fs::path> all;
    for (const auto& word : request.inputs) {
        for (auto& file : files_of(word, accepts, what)) {
            if (std::ranges::find(all, file.lexically_normal()) == all.end()) {
                all.push_back(file.lexically_normal());
            }
        }
    }
    return all;
}

bool are_distinct(const std::vector<std::string>& names) {
    auto sorted = names;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) == sorted.end();
}

/// File names, with those of their folders where they are not enough: config.yaml in many folders.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
    std::vector<std::string> short_names;
    std::vector<std::string> long_names;
    for (const auto& file : files) {
        const auto stem = file.stem().string();
        const auto folder = fs::absolute(file).parent_path().filename().string();
        short_names.push_back(stem);
        long_names.push_back(folder + "-" + stem);
    }
    return are_distinct(short_names) ? short_names : long_names;
}

void require_distinct(const std::vector<std::string>& names, const std::vector<fs::path>& files) {
    std::map<std::string, fs::path> seen;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto [place, is_new] = seen.emplace(names[k], files[k]);
        if (!is_new) {
            throw InputError(
                fmt::format("{} and {} would both write into {}: rename one, or run "
                            "them as two batches",
                            place->second.string(),
                            files[k].string(),
                            names[k]));
        }
    }
}

std::int64_t size_of(const fs::path& file) {
    std::error_code code;
    const auto bytes = fs::file_size(file, code);
    return code ? 1 : std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
}

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// The number at the front, without leading zeros, which is taken off the text.
std::string_view take_number(std::string_view& text) noexcept {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    auto number = text.substr(0, end);
    text.remove_prefix(end);
    while (number.size() > 1 && number.front() == '0') {
        number.remove_prefix(1);
    }
    return number;
}

}  // namespace

bool comes_before(std::string_view a, std::string_view b) noexcept {
    const auto whole_a = a;
    const auto whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const auto left = take_number(a);
            const auto right = take_number(b);
            if (left != right) {
                return left.size() != right.size() ? left.size() < right.size() : left < right;
            }
        } else if (a.front() != b.front()) {
            return a.front() < b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.empty() && b.empty() ? whole_a < whole_b : a.empty();
}

std::vector<BatchItem> batch_items(const BatchRequest& request,
                                   const std::filesystem::path& output) {
    const auto files = all_files(request);
    if (files.empty()) {
        throw InputError("a batch needs files, folders or patterns of datasets");
    }
    const auto names = names_of(files);
    require_distinct(names, files);
    std::vector<BatchItem> items;
    for (std::size_t k = 0; k < files.size(); ++k) {
        BatchItem item{names[k], request.each, size_of(files[k])};
        if (request.each.run.input.empty()) {
            item.request.run.input = files[k];
        } else {
            item.request.data_file = files[k].string();
        }
        item.request.run.output = output / names[k];
        item.request.run.metrics.clear();
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace lockstep::app
