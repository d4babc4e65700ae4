#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/policy_graph.hpp"
#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/production.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::formats::cobre {

/// What training begins with.
enum class PolicyMode {
    fresh,       ///< nothing
    warm_start,  ///< the cuts of the policy folder; iterations are numbered from 1
    resume       ///< the same; iterations go on where those cuts' training ended
};

/// config.json: what to do with a case.
struct Config {
    bool training_enabled = true;
    sddp::TrainOptions train;
    bool simulation_enabled = false;
    sddp::SimulateOptions simulate;
    std::string policy_path = "./policy";  ///< relative to the output directory
    PolicyMode policy_mode = PolicyMode::fresh;
    std::string boundary_path;  ///< relative to the case; empty: no boundary policy
    bool is_boundary_strict = false;
    bool export_stochastic = false;
    bool export_fitting_points = false;
};

/// A term of a generic constraint as the format names it.
struct NamedTerm {
    std::string kind;      ///< "thermal_generation"
    std::string variable;  ///< "thermal_generation(id=0, block=all)"
};

/// The terms of a generic constraint, like terms merged, and their coefficients in its rows.
struct NamedTerms {
    std::vector<NamedTerm> terms;
    std::vector<double> coefficients;  ///< [rows of the constraint × terms]
};

/// Net evaporation of a plant in a stage: intercept + slope·volume, the tangent of the plant's
/// curve at a reference volume. Also where it is 0 the whole month.
struct EvaporationLine {
    int hydro_id = 0;
    int stage_id = 0;  ///< as declared
    double intercept_m3s = 0;
    double slope_m3s_per_hm3 = 0;
    double reference_hm3 = 0;
    bool is_reference_given = false;  ///< else the middle of the storage range
};

/// A residual ratio that a case of Cobre 0.5 gives; the engine derives its own.
struct DeclaredRatio {
    int hydro_id = 0;
    int stage_id = 0;
    double ratio = 1;
};

/// Planes that were fitted to a plant, and the stages that have them.
struct FittedPlanes {
    int hydro_id = 0;
    std::vector<int> stage_ids;  ///< as declared, ascending
    sddp::FitTask task;
    sddp::ProductionFit fit;
};

/// What an engine is to solve, every reference resolved; sddp::build_process makes a problem of it.
struct Study {
    sddp::Calendar calendar;
    sddp::System system;
    sddp::ProcessData process;
    sddp::PolicyGraph graph;
};

/// What a case says besides: how it is to be run, and what outputs tell of it.
struct CaseFacts {
    std::filesystem::path directory;
    Config config;
    std::vector<NamedTerms> constraint_terms;        ///< [constraints]
    std::vector<EvaporationLine> evaporation_lines;  ///< by plant, then stage
    std::vector<DeclaredRatio> declared_ratios;      ///< of a case of 0.5
    std::vector<FittedPlanes> fitted_planes;         ///< by plant, then first stage
    Digest input_digest{};     ///< over the bytes of all files read, by relative path
    Digest model_digest{};     ///< the same without config.json
    Digest training_digest{};  ///< of config.json, settings included, as far as it decides a policy
};

/// A case directory in the 0.18 format.
struct Case {
    CaseFacts facts;
    Study study;
};

/// Reads a case. Every mistake of every file goes into `problems`; when it has errors the result
/// must not be used. A feature of the format that is not modelled is an error of kind
/// not_supported, "not supported yet: …".
/// @throws IoError  the directory itself is missing or unreadable
Case read_case(const std::filesystem::path& directory,
               const std::vector<Setting>& settings,
               Problems& problems);

/// Adds what sddp::build_process found to `problems`, with the file and the field that each of the
/// engine's subjects (lockstep/sddp/subject.hpp) stands in.
void add_located(const Problems& found, Problems& problems);

}  // namespace lockstep::formats::cobre
