#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/io/table.hpp"

namespace lockstep::io {

/// A Parquet file that is read row group by row group, for tables that do not fit into memory: one
/// group at a time is held. Columns have the types that read_parquet gives them.
class TableGroups {
public:
    /// @param columns  those that are read, where the file has them; empty: all
    /// @throws as read_parquet
    explicit TableGroups(const std::filesystem::path& path, std::vector<std::string> columns = {});
    ~TableGroups();
    TableGroups(TableGroups&&) noexcept;
    TableGroups& operator=(TableGroups&&) noexcept;

    /// Number of row groups; 0 for a table without rows.
    [[nodiscard]] int size() const noexcept;
    /// Rows of a group; the same columns whichever group it is.
    /// @throws InputError  damaged
    [[nodiscard]] Table read(int group) const;
    /// The columns without rows.
    [[nodiscard]] Table schema() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::io
