#pragma once

#include <filesystem>

namespace lockstep::io {

/// Where Arrow's libraries are, if not where the build found them: the folder of the Python package
/// pyarrow. To be told before the first Parquet file is touched, which loads them.
void set_arrow_folder(std::filesystem::path folder);

}  // namespace lockstep::io
