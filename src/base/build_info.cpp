#include "lockstep/base/build_info.hpp"

#include "build_info_values.hpp"

namespace lockstep {

const BuildInfo& build_info() {
    static const BuildInfo info{
        .version = build_values::version,
        .commit = build_values::commit,
        .compiler = build_values::compiler,
        .flags = build_values::flags,
        .build_type = build_values::build_type,
        .libraries =
            {
                {"HiGHS", build_values::highs},
                {"Clp", build_values::clp},
                {"Arrow", build_values::arrow},
                {"HDF5", build_values::hdf5},
                {"minizip", build_values::minizip},
                {"fmt", build_values::fmt},
                {"nlohmann_json", build_values::nlohmann_json},
            },
    };
    return info;
}

}  // namespace lockstep
