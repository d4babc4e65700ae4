#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre {

/// The files of one case. A file that cannot be read is a problem of that file.
class Files {
public:
    /// @throws IoError  the directory is missing or unreadable
    Files(std::filesystem::path directory, Problems& problems);

    /// Whether there is something under this name, readable or not.
    [[nodiscard]] bool has(const std::string& name) const;

    /// Content, or nothing when an optional file is absent or after a report.
    std::optional<io::Json> json(const std::string& name, Presence presence);
    std::optional<ParquetFile> parquet(const std::string& name, Presence presence);

    /// A JSON file without a report; nothing when it is not there or cannot be read.
    [[nodiscard]] std::optional<io::Json> peek(const std::string& name) const;

    /// From now on this is read in the place of what the directory has under the name.
    void show(const std::string& name, io::Json root) { shown_[name] = std::move(root); }
    void show(const std::string& name, io::Table table) { shown_[name] = std::move(table); }
    /// From now on nothing is there under this name.
    void hide(const std::string& name) { shown_[name] = std::monostate(); }

    /// Fills a struct with fields() from a JSON file.
    template <typename T>
    void read(const std::string& name, Presence presence, T& out) {
        if (const auto root = json(name, presence)) {
            read(name, *root, out);
        }
    }
    template <typename T>
    void read(const std::string& name, const io::Json& root, T& out) {
        const FileReport report(name, problems_);
        const Place place;
        read_value(ValueAt{root, place, report}, out, {});
    }

    /// Rows of a Parquet file; nothing when it is absent.
    template <typename Row>
    void read(const std::string& name, Presence presence, std::optional<std::vector<Row>>& out) {
        if (const auto file = parquet(name, presence)) {
            out = read_rows<Row>(*file, problems_);
        }
    }

    /// Warns of files in the known folders that no reader of this format asks for.
    void warn_of_unknown(const std::vector<std::string_view>& known) const;

    /// Over names and bytes of all files read but `except`, in order of their names.
    [[nodiscard]] Digest digest(std::string_view except = {}) const;

private:
    std::optional<std::string> bytes(const std::string& name, Presence presence);

    std::filesystem::path directory_;
    Problems& problems_;
    std::map<std::string, Digest> read_;
    std::map<std::string, std::variant<std::monostate, io::Json, io::Table>> shown_;
};

}  // namespace lockstep::formats::cobre
