#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::app {

/// What was read and what will be done with it.
struct RunFacts {
    std::string engine;  ///< "sddp", "xpcs", "rl"
    std::string name;    ///< of the input: its directory or file
    std::filesystem::path input;
    std::filesystem::path output;
    int ranks = 1;
    int threads = 1;  ///< of each rank
    std::string backend;
    std::string headline;                   ///< the input in words: "12 stages, 147 hydros"
    io::Json details = io::Json::object();  ///< the engine's own facts, for programs
};

/// A number that a phase has to show.
struct Figure {
    std::string name;     ///< of a JSON member and of a metric: "lower_bound"
    double value = 0;     ///< in `unit`
    std::string unit;     ///< "$", "s", "B", "1" (a ratio), "#" (a plain number); "": a count
    std::string label;    ///< for people: "lower"; empty: for programs only
    std::string meaning;  ///< one line
    std::optional<double> half_width{};  ///< of a 95 % confidence interval; 0: one sample
};

/// When a phase will end.
struct Forecast {
    double seconds = 0;
    bool is_limit = false;  ///< a rule that nobody can foresee may end it sooner
};

/// How far a phase is. Figures are in order of importance.
struct Progress {
    std::string phase;  ///< "training"
    std::string step;   ///< what is counted: "iteration"
    std::int64_t done = 0;
    std::int64_t total = 0;  ///< 0: not known
    double seconds = 0;      ///< since the phase began
    std::optional<Forecast> left{};
    std::vector<Figure> figures{};
    std::vector<std::vector<Figure>> ranks{};  ///< [ranks], the same figures for each
    bool is_told = false;  ///< each step has a notice that says more
};

/// How a phase ended.
struct PhaseEnd {
    std::string phase;
    std::string sentence;  ///< "50 iterations in 12 s, ended by iteration limit"
};

/// What a notice is about.
enum class Notice {
    news,     ///< the user may like to know: a run goes on from a checkpoint
    trouble,  ///< the user must know: a rank was lost, a checkpoint was not written
};

/// Receives what a run has to tell, whatever its engine. The base class ignores everything.
///
/// Called on every rank; only the first should speak. Calls come from the thread that called the
/// use case.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_warning(const Problem&) {}
    virtual void on_notice(Notice, const std::string&) {}
    virtual void on_start(const RunFacts&) {}
    virtual void on_progress(const Progress&) {}
    virtual void on_phase_end(const PhaseEnd&) {}
    /// Asked between steps, besides the signals; true on any rank ends the work on all of them with
    /// everything written.
    virtual bool stop_requested() { return false; }
};

}  // namespace lockstep::app
