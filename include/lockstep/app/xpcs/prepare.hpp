#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/xpcs/simulate.hpp"

namespace lockstep::app {

/// Where a physical parameter starts and between what.
struct PlannedParameter {
    std::string name;
    std::string unit;
    double start = 0;
    double lower = 0;
    double upper = 0;
    bool is_held = false;
};

/// What an analysis would use, found without reading the matrices.
struct XpcsPlan {
    std::string file;
    std::string layout;
    std::string mode;
    std::string scaling;
    double q = 0;               ///< 1/Å
    double gap = 0;             ///< Å
    double dt = 0;              ///< s
    int frames = 0;             ///< that are fitted
    std::vector<double> phi{};  ///< degrees
    std::string objective;      ///< "pairs", "compat-grid"
    double sigma = 0;           ///< of a value of c2; 0: from the data
    std::string loss;           ///< "linear", or a name and from where on it acts
    std::string search;         ///< how the minimum is looked for, in words
    std::string sequential;     ///< angles one by one, in words
    std::string errors;         ///< "speckle", "blocks", "classical"
    std::vector<PlannedParameter> parameters{};
    std::int64_t pairs = 0;              ///< of frames, over all angles
    double memory_bytes = 0;             ///< of a rank
    double fit_seconds = 0;              ///< on one core, roughly
    std::vector<std::string> notes{};    ///< what was decided
    std::vector<std::string> doubts{};   ///< values whose unit may be another
    std::vector<std::string> ignored{};  ///< keys that do nothing here, with the reason
};

/// Reads and checks everything that `request` names.
/// @throws InputError  every fault; IoError
XpcsPlan plan_analysis(const XpcsRequest& request);

/// A measurement that is made up.
struct MeasurementRequest {
    std::filesystem::path configuration;
    std::filesystem::path file;  ///< HDF5 that is written, in APS's older layout
    int frames = 64;
    std::vector<double> phi{};  ///< degrees; empty: six of a flow, three without
    double contrast = 0.3;
    double offset = 1;
    xpcs::SimulatedNoise noise{};
    int threads = 0;
};

/// Simulates with the configuration's start values as truth.
/// @throws InputError, IoError, NotBuiltError  this build has no HDF5
void simulate_measurement(const MeasurementRequest& request);

/// Makes a folder with a configuration and, unless `with_data` is false, a small data file whose
/// truth the configuration tells.
/// @throws InputError  the folder holds a config.yaml; IoError
void init_analysis(const std::filesystem::path& folder, const std::string& mode, bool with_data);

}  // namespace lockstep::app
