#pragma once

#include "lockstep/formats/rl/environment_record.hpp"

namespace lockstep::formats::rl {

/// EnvironmentRecord as records::FieldReader takes it.
struct EnvironmentFields : EnvironmentRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"In the registry, or of the model", "FrozenLake-v1"});
        f.required("options", options, {"Parameters that were given"});
        f.required("file", file, {"Of a model; empty: an environment of the registry", ""});
        f.required("rules", rules, {"A line for people", "FrozenLake 4 x 4"});
        f.required("states", states, {"States", "16"});
        f.required("actions", actions, {"Actions", "4"});
    }
};

}  // namespace lockstep::formats::rl
