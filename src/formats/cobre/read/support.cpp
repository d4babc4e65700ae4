#include <string>
#include <string_view>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Reports features by name.
class Refusals {
public:
    explicit Refusals(Problems& problems) : problems_(problems) {}

    void when(bool condition,
              const std::string& file,
              const std::string& entity,
              std::string_view feature) const {
        if (condition) {
            problems_.add(ProblemKind::not_supported,
                          file,
                          entity,
                          fmt::format("not supported yet: {}", feature));
        }
    }
    void line(bool condition,
              const char* file,
              int line,
              const char* noun,
              int id,
              std::string_view feature) const {
        if (condition) {
            const Origin origin = line_of(file, line, noun, id);
            when(true, origin.file, origin.entity, feature);
        }
    }

private:
    Problems& problems_;
};

void refuse_stages(const raw::Case& raw, const Refusals& refuse) {
    const char* file = "stages.json";
    for (const raw::Stage& stage : raw.stages.stages) {
        refuse.line(stage.sampling_method == raw::SamplingMethod::selective,
                    file,
                    stage.line,
                    "stage",
                    stage.id,
                    "the sampling method \"selective\"");
    }
}

// What is on its way would be lost where the last stage goes on with an earlier one.
void refuse_circle(const raw::Case& raw, const Refusals& refuse) {
    if (raw.stages.policy_graph.type != raw::GraphType::cyclic) {
        return;
    }
    constexpr const char* where = "in a policy graph of type \"cyclic\"";
    refuse.when(raw.config.policy.boundary.has_value(),
                "config.json",
                "policy.boundary",
                fmt::format("cuts after the last stage {}: it has no end", where));
    for (const raw::Hydro& hydro : raw.hydros) {
        refuse.line(hydro.travel_time_hours.value_or(0) > 0,
                    "system/hydros.json",
                    hydro.line,
                    "hydro",
                    hydro.id,
                    fmt::format("\"travel_time_hours\" {}", where));
    }
    for (const raw::Thermal& thermal : raw.thermals) {
        refuse.line(thermal.anticipated_config.has_value(),
                    "system/thermals.json",
                    thermal.line,
                    "thermal",
                    thermal.id,
                    fmt::format("\"anticipated_config\" {}", where));
    }
}

}  // namespace

void refuse_unsupported(const raw::Case& raw, Problems& problems) {
    const Refusals refuse(problems);
    refuse_stages(raw, refuse);
    refuse_circle(raw, refuse);
}

}  // namespace lockstep::formats::cobre
