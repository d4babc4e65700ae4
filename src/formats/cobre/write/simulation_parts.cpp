#include "formats/cobre/write/simulation_parts.hpp"

#include <utility>

#include <fmt/format.h>

namespace lockstep::formats::cobre::out {

std::string part_name(int number) {
    return fmt::format("part-{:05d}.parquet", number);
}

SimulationParts::SimulationParts(std::filesystem::path folder, io::Table schema, PartLimits limits)
    : folder_(std::move(folder)), schema_(std::move(schema)), limits_(limits) {}

void SimulationParts::restart() noexcept {
    writer_.reset();
    parts_ = 0;
    rows_ = 0;
}

void SimulationParts::add(const io::Table& rows) {
    const std::size_t count = rows.rows();
    if (writer_ && rows_in_part_ > 0 && rows_in_part_ + count > limits_.rows_a_part) {
        end_part();
    }
    if (!writer_) {
        begin_part();
    }
    if (count == 0) {
        return;
    }
    if (rows_in_group_ > 0 && rows_in_group_ + count > limits_.rows_a_group) {
        writer_->end_group();
        rows_in_group_ = 0;
    }
    writer_->write(rows);
    rows_in_group_ += count;
    rows_in_part_ += count;
    rows_ += count;
}

void SimulationParts::close() {
    if (parts_ == 0) {
        begin_part();
    }
    if (writer_) {
        end_part();
    }
}

void SimulationParts::begin_part() {
    writer_.emplace(folder_ / part_name(parts_), schema_);
    ++parts_;
    rows_in_part_ = 0;
    rows_in_group_ = 0;
}

void SimulationParts::end_part() {
    writer_->close(io::Durability::later);
    writer_.reset();
}

}  // namespace lockstep::formats::cobre::out
