#include "io/parquet/library.hpp"

extern "C" const lockstep::io::ParquetLibrary* lockstep_parquet_library();

namespace lockstep::io {

// For programs that have Arrow in them: fuzz targets, whose code all has to be instrumented.
const ParquetLibrary& parquet_library() {
    return *lockstep_parquet_library();
}

}  // namespace lockstep::io
