#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "lockstep/base/error.hpp"

#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/pool_file.hpp"

namespace {

using namespace lockstep::formats::cobre::out;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Bytes are a file or an InputError that names it.
void read(const std::function<void()>& body) {
    try {
        body();
    } catch (const lockstep::InputError& error) {
        require(std::string_view(error.what()).starts_with("fuzz:"));
    }
}

void check_pool(const std::string& bytes) {
    const Pool pool = parse_pool(bytes, "fuzz");
    const auto cuts = static_cast<std::size_t>(pool.cuts.size());
    require(pool.cuts.iteration.size() == cuts && pool.cuts.active.size() == cuts);
    require(cuts == 0 || pool.cuts.slopes.rows().size() == cuts * pool.slots.size());
    for (const Slot& slot : pool.slots) {
        require(!to_string(slot).empty());
        require(!slot.start || to_date(to_number(*slot.start)) == slot.start);
    }
}

void check_manifest(const std::string& bytes) {
    const Manifest manifest = parse_manifest(bytes, "fuzz");
    for (const auto& node : manifest.nodes) {
        require(node.pool >= 0 && node.pool < manifest.pools);
    }
}

}  // namespace

/// Files of a policy: manifests and cuts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    read([&] { check_pool(bytes); });
    read([&] { check_manifest(bytes); });
    return 0;
}
