#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "support/places.hpp"

namespace lockstep::formats::cobre::test {

inline std::filesystem::path bundled(const std::string& name) {
    return lockstep::test::source_dir() / "cases/sddp" / name;
}

/// The value at a dotted path ("hydros.0.reservoir"), nullptr when there is none.
inline io::Json* find(io::Json& root, std::string_view path) {
    io::Json* at = &root;
    while (at != nullptr && !path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string_view head = path.substr(0, dot);
        path.remove_prefix(std::min(dot + 1, path.size()));
        io::Json* next = nullptr;
        if (auto* array = at->if_array()) {
            std::size_t index = array->size();
            std::from_chars(head.data(), head.data() + head.size(), index);
            next = index < array->size() ? &(*array)[index] : nullptr;
        } else if (auto* object = at->if_object()) {
            for (auto& [key, value] : *object) {
                next = key == head ? &value : next;
            }
        }
        at = next;
    }
    return at;
}

/// A column of required 32-bit integers, and others.
inline io::Column ints(std::string name, std::vector<std::int32_t> values) {
    return {std::move(name), std::move(values), false, {}};
}
inline io::Column reals(std::string name, std::vector<double> values) {
    return {std::move(name), std::move(values), false, {}};
}
/// Empty entries are null.
inline io::Column optional_ints(std::string name,
                                const std::vector<std::optional<std::int32_t>>& values) {
    io::Column column{std::move(name), std::vector<std::int32_t>{}, true, {}};
    for (const auto& value : values) {
        std::get<std::vector<std::int32_t>>(column.values).push_back(value.value_or(0));
        column.present.push_back(value ? 1 : 0);
    }
    return column;
}
inline io::Column optional_reals(std::string name,
                                 const std::vector<std::optional<double>>& values) {
    io::Column column{std::move(name), std::vector<double>{}, true, {}};
    for (const auto& value : values) {
        std::get<std::vector<double>>(column.values).push_back(value.value_or(0));
        column.present.push_back(value ? 1 : 0);
    }
    return column;
}

/// A writable copy of a bundled case.
class CaseCopy {
public:
    explicit CaseCopy(const std::string& name) {
        std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        std::filesystem::copy(bundled(name), path(), std::filesystem::copy_options::recursive);
    }
    ~CaseCopy() { std::filesystem::remove_all(folder_); }
    CaseCopy(const CaseCopy&) = delete;
    CaseCopy& operator=(const CaseCopy&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return folder_ / "case"; }

    void write_text(const std::string& file, std::string_view content) const {
        std::filesystem::create_directories((path() / file).parent_path());
        std::ofstream(path() / file, std::ios::binary) << content;
    }
    void write(const std::string& file, const io::Json& json) const {
        write_text(file, io::to_text(json, 1));
    }
    void write(const std::string& file, std::vector<io::Column> columns) const {
        io::write_parquet(path() / file, io::Table{std::move(columns)});
    }
    [[nodiscard]] io::Json json(const std::string& file) const {
        return io::read_json(path() / file);
    }
    /// Replaces or adds the value at a dotted path.
    void set(const std::string& file, const std::string& at, io::Json value) const {
        io::Json root = json(file);
        if (io::Json* present = find(root, at)) {
            *present = std::move(value);
        } else {
            const std::size_t dot = at.rfind('.');
            io::Json* parent = dot == std::string::npos ? &root : find(root, at.substr(0, dot));
            ASSERT_NE(parent, nullptr) << at;
            parent->set(at.substr(dot == std::string::npos ? 0 : dot + 1), std::move(value));
        }
        write(file, root);
    }
    /// Appends a copy of an element of an array, with changes.
    void append_copy(const std::string& file,
                     const std::string& array,
                     const std::vector<std::pair<std::string, io::Json>>& changes) const {
        io::Json root = json(file);
        io::Json* values = find(root, array);
        ASSERT_NE(values, nullptr);
        io::Json copy = values->if_array()->front();
        for (const auto& [key, value] : changes) {
            *find(copy, key) = value;
        }
        values->push(std::move(copy));
        write(file, root);
    }
    void erase(const std::string& file, const std::string& parent, const std::string& key) const {
        io::Json root = json(file);
        std::erase_if(*find(root, parent)->if_object(),
                      [&](const auto& m) { return m.first == key; });
        write(file, root);
    }

    /// Reads the case; problems() then tells what was wrong.
    Case read(const std::vector<Setting>& settings = {}) {
        problems_ = Problems{};
        return read_case(path(), settings, problems_);
    }
    /// All errors as printed.
    std::vector<std::string> errors(const std::vector<Setting>& settings = {}) {
        read(settings);
        return texts(false);
    }
    std::vector<std::string> warnings() {
        read();
        return texts(true);
    }
    [[nodiscard]] const Problems& problems() const { return problems_; }

private:
    [[nodiscard]] std::vector<std::string> texts(bool warnings) const {
        std::vector<std::string> out;
        for (const Problem& problem : problems_.all()) {
            if (is_warning(problem.kind) == warnings) {
                out.push_back(to_string(problem));
            }
        }
        return out;
    }

    std::filesystem::path folder_;
    Problems problems_;
};

}  // namespace lockstep::formats::cobre::test
