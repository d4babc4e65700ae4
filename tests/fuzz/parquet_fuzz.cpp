#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int file = ::memfd_create("fuzz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(file);
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
        std::abort();
    }
    try {
        lockstep::io::ParquetRest rest;
        const lockstep::io::Table table = lockstep::io::read_parquet(path, &rest);
        for (const lockstep::io::Column& column : table.columns) {
            if (column.size() != table.rows() ||
                (!column.present.empty() && column.present.size() != table.rows())) {
                std::abort();
            }
        }
    } catch (const lockstep::InputError&) {
    }
    return 0;
}
