#pragma once

#include "lockstep/base/bytes.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre::out {

/// Appends the rows of a table of numbers and dates, without its names.
void pack_rows(const io::Table& table, ByteWriter& out);

/// Rows of a table whose columns are those of `table`, which are replaced.
/// @throws InputError  the bytes are of other columns
void unpack_rows(ByteReader& in, io::Table& table);

}  // namespace lockstep::formats::cobre::out
