#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre::out {

/// "part-00003.parquet"
std::string part_name(int number);

/// Sizes of the files of a table. A scenario is never split over files or, where it fits into one,
/// over row groups.
struct PartLimits {
    std::size_t rows_a_group = std::size_t{1} << 17;
    std::size_t rows_a_part = std::size_t{1} << 20;
};

/// A simulation table in few files, which grows scenario by scenario; at most a row group of it is
/// in memory.
class SimulationParts {
public:
    /// @param folder  of the table
    SimulationParts(std::filesystem::path folder, io::Table schema, PartLimits limits = {});

    /// As if nothing had been added: the files are written again.
    void restart() noexcept;
    /// Rows of the next scenario. @throws IoError
    void add(const io::Table& rows);
    /// The last part; one without rows if there were none at all. @throws IoError
    void close();

    [[nodiscard]] int parts() const noexcept { return parts_; }
    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

private:
    void begin_part();
    void end_part();

    std::filesystem::path folder_;
    io::Table schema_;
    PartLimits limits_;
    std::optional<io::ParquetWriter> writer_;
    int parts_ = 0;
    std::size_t rows_ = 0;
    std::size_t rows_in_part_ = 0;
    std::size_t rows_in_group_ = 0;
};

}  // namespace lockstep::formats::cobre::out
