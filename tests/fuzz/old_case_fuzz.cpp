#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzzed_case.hpp"

// The first byte, a letter, chooses a JSON file of a case of Cobre 0.5, the rest is its text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const lockstep::fuzz::FuzzedCase fuzzed("tests/cases/cobre-0.5/d02-single-hydro");
    static const auto files = fuzzed.files(".json");
    if (size == 0) {
        return 0;
    }
    const auto& name = files[static_cast<std::size_t>(data[0] - 'a') % files.size()];
    lockstep::io::write_file(fuzzed.file(name),
                             {reinterpret_cast<const char*>(data) + 1, size - 1});
    fuzzed.read();
    fuzzed.restore(name);
    return 0;
}
