#pragma once

#include <filesystem>
#include <string>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/homodyne/data.hpp"

#include "support/places.hpp"

namespace lockstep::formats::homodyne {

inline std::filesystem::path shared_data(const std::string& name) {
    return test::source_dir() / "tests/data/xpcs" / name;
}

/// A configuration for a file, with dt 0.1 s and the wavevector 0.0054 1/Å.
inline Configuration configuration_of(const std::filesystem::path& file,
                                      int start = 1,
                                      int end = -1,
                                      double q = 0.0054) {
    Configuration c;
    c.file = "a.yaml";
    c.data.file = file;
    c.analyzer.dt = 0.1;
    c.analyzer.start_frame = start;
    c.analyzer.end_frame = end;
    c.analyzer.wavevector_q = q;
    return c;
}

/// What loading is refused with; empty when it is not.
inline std::string load_refusal(const Configuration& configuration) {
    try {
        load(configuration);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Sum over the whole matrices of all angles.
inline double sum_of(const lockstep::xpcs::Measurement& m) {
    double sum = 0;
    for (const double value : m.c2) {
        sum += 2 * value;
    }
    for (const double value : m.diagonal) {
        sum += value;
    }
    return sum;
}

}  // namespace lockstep::formats::homodyne
