#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre::translate {

// Changes to tables; columns that are not there are passed over.

void rename_column(io::Table& table, std::string_view from, std::string to);
void drop_column(io::Table& table, std::string_view name);

/// Leaves the rows for which `keep` is true.
void filter_rows(io::Table& table, const std::function<bool(std::size_t row)>& keep);

/// A number of any type; nothing where it is absent, null or no number.
std::optional<double> number_at(const io::Table& table, std::string_view column, std::size_t row);

/// A nullable column of reals, all null; the one that is there if it is of reals.
/// @return nullptr when there is one of another type
io::Column* real_column(io::Table& table, const std::string& name);

void set_real(io::Column& column, std::size_t row, std::optional<double> value);

}  // namespace lockstep::formats::cobre::translate
