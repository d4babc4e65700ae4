#include "io/parquet/plugin.hpp"

extern "C" __attribute__((visibility("default"))) const lockstep::io::ParquetLibrary*
lockstep_parquet_library() {
    static constexpr lockstep::io::ParquetLibrary library{lockstep::io::parquet_build,
                                                          lockstep::io::decode_parquet,
                                                          lockstep::io::make_parquet_decoder,
                                                          lockstep::io::make_parquet_encoder,
                                                          lockstep::io::make_compressor};
    return &library;
}
