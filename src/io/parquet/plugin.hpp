#pragma once

#include "io/parquet/library.hpp"

namespace lockstep::io {

/// As ParquetLibrary tells of them.
Table decode_parquet(std::string bytes, ParquetRest* rest, std::int64_t largest);
std::unique_ptr<ParquetDecoder> make_parquet_decoder(std::string bytes,
                                                     std::vector<std::string> columns);
std::unique_ptr<ParquetEncoder> make_parquet_encoder(const Table& schema,
                                                     const FileMetadata& metadata,
                                                     bool is_small,
                                                     ByteSink sink);
std::unique_ptr<Compressor> make_compressor();

}  // namespace lockstep::io
