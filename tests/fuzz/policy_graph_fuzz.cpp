#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzzed_case.hpp"

// The input is the stages.json of a case whose policy graph is a tree.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const lockstep::fuzz::FuzzedCase fuzzed("cases/sddp/node-tree");
    lockstep::io::write_file(fuzzed.file("stages.json"),
                             {reinterpret_cast<const char*>(data), size});
    fuzzed.read();
    return 0;
}
