#include <fmt/format.h>

#include "lockstep/formats/homodyne/data.hpp"

namespace lockstep::formats::homodyne {
namespace {

struct Usual {
    std::string_view field;
    std::string_view unit;
    double low;
    double high;
    std::string_view when_low;
    std::string_view when_high;
};

// Those of q and the gap are homodyne's. It takes frames of up to 1000 s, so that milliseconds
// would pass for seconds.
constexpr Usual usual_q{"analyzer_parameters.scattering.wavevector_q",
                        "1/Å",
                        1e-4,
                        1,
                        "is it in 1/pm?",
                        "if it is in 1/nm, divide it by 10"};
constexpr Usual usual_gap{"analyzer_parameters.geometry.stator_rotor_gap",
                          "Å",
                          1e5,
                          1e8,
                          "if it is in nm, multiply it by 10, in µm by 10000, in mm by 1e7",
                          "is it in pm?"};
constexpr Usual usual_dt{"analyzer_parameters.dt",
                         "s",
                         1e-6,
                         10,
                         "is it in hours?",
                         "if it is in ms, divide it by 1000, in µs by 1e6"};

void doubt(double value, const Usual& usual, std::vector<std::string>& doubts) {
    if (value >= usual.low && value <= usual.high) {
        return;
    }
    doubts.push_back(fmt::format("{} is {} {}, usual are {} to {}: {}",
                                 usual.field,
                                 value,
                                 usual.unit,
                                 usual.low,
                                 usual.high,
                                 value < usual.low ? usual.when_low : usual.when_high));
}

}  // namespace

std::vector<std::string> unit_doubts(const Configuration& configuration) {
    std::vector<std::string> doubts;
    doubt(configuration.analyzer.wavevector_q, usual_q, doubts);
    if (configuration.motion == lockstep::xpcs::Motion::laminar_flow) {
        doubt(configuration.analyzer.gap, usual_gap, doubts);
    }
    doubt(configuration.analyzer.dt, usual_dt, doubts);
    return doubts;
}

}  // namespace lockstep::formats::homodyne
