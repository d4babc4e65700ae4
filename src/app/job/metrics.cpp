#include "app/job/metrics.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace lockstep::app {
namespace {

std::string suffix_of(const std::string& unit) {
    if (unit == "$") {
        return "_dollars";
    }
    if (unit == "s") {
        return "_seconds";
    }
    if (unit == "B") {
        return "_bytes";
    }
    return unit == "1" ? "_ratio" : "";
}

std::string head(const std::string& name, const std::string& meaning) {
    return fmt::format("# HELP lockstep_{0} {1}\n# TYPE lockstep_{0} gauge\n", name, meaning);
}

std::string gauge(const std::string& name, const std::string& meaning, double value) {
    return head(name, meaning) + fmt::format("lockstep_{} {}\n", name, value);
}

// All ranks have the same figures.
std::string rank_gauge(const Progress& progress, std::size_t figure) {
    const auto& first = progress.ranks.front()[figure];
    const auto name = "rank_" + first.name + suffix_of(first.unit);
    auto text = head(name, first.meaning);
    for (std::size_t rank = 0; rank < progress.ranks.size(); ++rank) {
        text += fmt::format(
            "lockstep_{}{{rank=\"{}\"}} {}\n", name, rank, progress.ranks[rank][figure].value);
    }
    return text;
}

}  // namespace

std::string prometheus_text(const Progress& progress) {
    auto text = gauge(progress.step, "Done", static_cast<double>(progress.done));
    for (const auto& figure : progress.figures) {
        text += gauge(figure.name + suffix_of(figure.unit), figure.meaning, figure.value);
    }
    text += gauge("elapsed_seconds", "Time since the phase began", progress.seconds);
    if (!progress.ranks.empty()) {
        for (std::size_t figure = 0; figure < progress.ranks.front().size(); ++figure) {
            text += rank_gauge(progress, figure);
        }
    }
    return text;
}

}  // namespace lockstep::app
