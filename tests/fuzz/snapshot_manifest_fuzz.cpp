#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lockstep/base/error.hpp"

#include "runtime/snapshot_manifest.hpp"

namespace {

using namespace lockstep::runtime;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

bool are_equal(const Manifest::Part& a, const Manifest::Part& b) {
    return a.file == b.file && a.size == b.size && a.digest == b.digest;
}

/// What was read once is written and read again without change; the build is that of the writer.
void check_round_trip(const Manifest& manifest) {
    const Manifest again = parse_manifest(to_text(manifest), "again");
    require(again.key.engine == manifest.key.engine && again.key.input == manifest.key.input &&
            again.key.options == manifest.key.options && again.iteration == manifest.iteration &&
            again.ranks == manifest.ranks && again.parts.size() == manifest.parts.size());
    for (std::size_t i = 0; i < again.parts.size(); ++i) {
        require(are_equal(again.parts[i], manifest.parts[i]));
    }
}

/// A manifest belongs to its own key, or is of another build and says so.
void check_own_key(const Manifest& manifest) {
    try {
        check_key(manifest, manifest.key, "fuzz");
    } catch (const SnapshotMismatch& mismatch) {
        require(std::string_view(mismatch.what()).find("another program") != std::string::npos);
    }
}

}  // namespace

/// Manifests of checkpoints: any text is one or an InputError that names the file; any name is that
/// of a folder of an iteration or not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto iteration = iteration_of_folder(text)) {
        require(folder_name(*iteration) == text);
    }
    try {
        const Manifest manifest = parse_manifest(text, "fuzz");
        check_round_trip(manifest);
        check_own_key(manifest);
    } catch (const lockstep::InputError& error) {
        require(std::string_view(error.what()).starts_with("fuzz:"));
    }
    return 0;
}
