#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "formats/cobre/read/input/describe.hpp"
#include "formats/records/settings.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* path = "config.json";

using Names = std::initializer_list<std::string_view>;

void add_members(const io::Json& object, const Names& skipped, DigestBuilder& builder) {
    if (object.if_object() == nullptr) {
        return;
    }
    for (const auto& [key, value] : *object.if_object()) {
        if (std::find(skipped.begin(), skipped.end(), key) == skipped.end()) {
            builder.add(key + io::to_text(value));
        }
    }
}

// Limits, checkpoints, exports and the simulation may change while training is interrupted.
Digest training_digest(const io::Json& config) {
    DigestBuilder builder;
    add_members(config, {"$schema", "training", "simulation", "exports", "policy"}, builder);
    if (const auto* training = config.find("training")) {
        add_members(*training, {"stopping_rules", "stopping_mode", "enabled"}, builder);
    }
    return builder.digest();
}

io::Json schema() {
    return records::schema_of(raw::Config{}, {});
}

void read(const Reading& r) {
    if (auto root = r.files.json(path, Presence::required)) {
        apply_settings(*root, path, schema(), r.settings, r.problems);
        r.out.training_digest = training_digest(*root);
        r.files.read(path, *root, r.out.config);
    }
}

}  // namespace

InputFile config_file() {
    return {path,
            "What to do with the case: training, simulation, policy, how inflows are fitted",
            FileUse::required,
            read,
            schema};
}

}  // namespace lockstep::formats::cobre
