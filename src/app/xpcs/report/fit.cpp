#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"
#include "lockstep/xpcs/model/physics.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::FitRecord;
using formats::xpcs::ValueRecord;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double quantile_95 = 1.6448536269514722;  // of a normal variable

std::string number(const std::optional<double>& value, int significant = 3) {
    return value ? digits(*value, significant) : "–";
}

double reduced(const FitRecord& fit) {
    return fit.chi_squared / static_cast<double>(fit.degrees_of_freedom);
}

std::string model_words(const FitRecord& fit) {
    return fit.mode == "laminar_flow"
               ? fmt::format("diffusion in a laminar flow (the shear term of {})",
                             fit.shear_term == "paper" ? "the paper" : "homodyne")
               : "diffusion";
}

std::string scaling_words(const std::string& scaling) {
    return scaling == "individual" ? "a contrast and an offset of its own for each angle"
           : scaling == "averaged" ? "one contrast and one offset for all angles"
           : scaling == "constant" ? "contrasts and offsets that were given"
                                   : "contrasts and offsets as a Fourier series over the angles";
}

std::vector<std::string> physical_names(const FitRecord& fit) {
    std::vector<std::string> names;
    for (const auto& parameter : xpcs::parameters_of(
             fit.mode == "laminar_flow" ? xpcs::Motion::laminar_flow : xpcs::Motion::diffusion)) {
        names.emplace_back(parameter.name);
    }
    return names;
}

std::string error_words(const std::string& method) {
    if (method == "speckle") {
        return "Error bars are standard errors (68 %) by a parametric bootstrap: speckle patterns "
               "were simulated with the fit's parameters, contrast and photons, so that the errors "
               "hold although neighbouring points of C(t₁, t₂) are correlated.";
    }
    if (method == "blocks") {
        return "Error bars are standard errors (68 %) of a sandwich covariance: residuals count as "
               "correlated within blocks of time and as independent between them; such errors "
               "tend to be somewhat too small.";
    }
    return "Error bars are classical standard errors, as if all points of C(t₁, t₂) were "
           "independent. They are not, and such errors are several times too small: --errors "
           "speckle gives those to publish.";
}

void add_words(io::Page& page, const FitRecord& fit) {
    const auto& data = fit.data;
    page.paragraph(
        fmt::format("A model of {} with {} was fitted to {} pairs of frames: {}, {} of "
                    "{} s, q = {} Å⁻¹.",
                    model_words(fit),
                    scaling_words(fit.scaling),
                    count(data.pairs),
                    plural(data.angles, "angle"),
                    plural(data.frames, "frame"),
                    exact(data.dt),
                    exact(data.q)));
    page.paragraph(error_words(fit.error_method));
    if (!fit.is_converged) {
        page.paragraph(
            fmt::format("This is no minimum ({}): values and errors are provisional.", fit.ending));
    }
    if (!fit.remark.empty()) {
        page.paragraph(fmt::format("What the data do not determine: {}.", fit.remark));
    }
    std::vector<std::string> bounded;
    std::vector<std::string> cut;
    for (const ValueRecord& value : fit.values) {
        if (!value.cut.empty()) {
            cut.push_back(fmt::format("{} ({})", value.name, value.cut));
        }
        if (!value.bound.empty()) {
            bounded.push_back(fmt::format("{} ({})", value.name, value.bound));
        }
    }
    if (!bounded.empty()) {
        page.paragraph(
            fmt::format("At a bound, where errors mean little: {}.", fmt::join(bounded, ", ")));
    }
    if (!cut.empty()) {
        page.paragraph(
            fmt::format("Within one standard error of a bound, where an interval ends: {}.",
                        fmt::join(cut, ", ")));
    }
}

void add_held(io::Page& page, const FitRecord& fit) {
    std::vector<std::string> held;
    for (const auto& of : fit.held) {
        held.push_back(fmt::format("{} = {}", of.name, exact(of.value)));
    }
    if (!held.empty()) {
        page.paragraph(
            fmt::format("Held, and without a part in the errors: {}.", fmt::join(held, ", ")));
    }
}

void add_objective(io::Page& page, const FitRecord& fit) {
    if (fit.objective == "pairs") {
        return;
    }
    page.paragraph(fmt::format(
        "The objective is that of homodyne below 100,000 points (compat-grid): every element of "
        "the matrices counts, each pair of frames twice and the diagonal as the mean of its "
        "neighbours, with one σ. Errors are smaller by a factor of about √2 than where each pair "
        "counts once. homodyne reports the sum of the squared model as χ²: {}.",
        digits(fit.legacy_chi_squared.value_or(0), 10)));
}

void add_loss(io::Page& page, const FitRecord& fit) {
    if (fit.loss == "linear") {
        return;
    }
    page.paragraph(fmt::format(
        "Against outliers the sum of {} was minimised, which leaves the square at {} σ: it is {}. "
        "χ² above counts every residual in full.",
        fit.loss,
        exact(fit.loss_scale),
        digits(fit.minimised)));
}

std::string search_words(const formats::xpcs::SearchRecord& search) {
    if (search.is_skipped) {
        return "No search was made: the fit from the start was good enough.";
    }
    if (search.kind == "cma-es") {
        return fmt::format(
            "An evolution within the bounds (CMA-ES) looked for the minimum at {} "
            "points; the fit from the start alone ends at χ² = {}.",
            count(search.evaluations),
            digits(search.start_chi_squared));
    }
    return fmt::format("Fits from {} starts: {}",
                       search.starts,
                       search.minima.size() > 1
                           ? "several minima fit about as well, so that the data do not tell which "
                             "of them is meant. Choose by what else is known, with a start or "
                             "bounds near it."
                           : "one minimum fits best.");
}

/// What a search found, and the minima among which the data do not choose.
void add_search(io::Page& page, const FitRecord& fit) {
    if (!fit.search) {
        return;
    }
    page.paragraph(search_words(*fit.search));
    if (fit.search->minima.size() < 2) {
        return;
    }
    std::vector<std::string> head{"χ²", "Starts"};
    std::vector<std::vector<std::string>> rows;
    for (const auto& minimum : fit.search->minima) {
        auto& row = rows.emplace_back();
        row = {digits(minimum.chi_squared, 8), count(minimum.starts)};
        for (const double value : minimum.physical) {
            row.push_back(digits(value));
        }
    }
    const auto names = physical_names(fit);
    head.insert(head.end(), names.begin(), names.end());
    page.table(head, rows);
}

/// Angles that were fitted one by one.
void add_sequential(io::Page& page, const FitRecord& fit) {
    if (!fit.sequential) {
        return;
    }
    page.paragraph(fit.sequential->is_used
                       ? fmt::format("The parameters are combined from fits of single angles ({}).",
                                     fit.sequential->weighting)
                       : "Angles were fitted one by one too, but too few of them can be used.");
    std::vector<std::string> head{"φ [degrees]", "Used", "χ²"};
    const auto names = physical_names(fit);
    head.insert(head.end(), names.begin(), names.end());
    std::vector<std::vector<std::string>> rows;
    for (const auto& angle : fit.sequential->angles) {
        auto& row = rows.emplace_back();
        row = {exact(angle.phi), angle.is_used ? "yes" : angle.ending, digits(angle.chi_squared)};
        for (const double value : angle.physical) {
            row.push_back(digits(value));
        }
    }
    page.table(head, rows);
}

/// The values of the fit beside those with scales of their own.
void add_individual(io::Page& page, const FitRecord& fit) {
    if (!fit.individual) {
        return;
    }
    const auto& other = *fit.individual;
    page.paragraph(fmt::format(
        "With a contrast and an offset of its own for each angle χ² is {}, lower by {} for {}: {}",
        digits(other.chi_squared),
        digits(other.chi_squared_drop),
        plural(other.more_parameters, "more value"),
        other.is_better ? "more than chance takes away, so the angles differ and the scaling of "
                          "this fit biases its parameters. Compare both below."
                        : "no more than chance takes away, so the scaling of this fit serves."));
    if (!other.is_better) {
        return;
    }
    std::vector<std::vector<std::string>> rows;
    for (const ValueRecord& value : other.values) {
        const auto* own = find_value(fit, value.name);
        if (own != nullptr && is_physical(value.name)) {
            rows.push_back({with_unit(value),
                            digits(own->value),
                            number(own->error),
                            digits(value.value),
                            number(value.error)});
        }
    }
    page.table({"Parameter",
                fmt::format("This fit ({})", fit.scaling),
                "Error",
                "Scales of each angle",
                "Error"},
               rows);
}

void add_forest(io::Page& page, const XpcsResults& results) {
    const auto& fit = results.fit;
    io::Intervals forest{
        "90 % intervals about the fit",
        fmt::format("distance from the fit in its standard errors ({})", fit.error_method)};
    io::Intervals::Kind named{fmt::format("fit, {} errors", fit.error_method)};
    io::Intervals::Kind classical{"fit, classical errors"};
    io::Intervals::Kind posterior{"posterior, 5 to 95 %"};
    const auto put = [](io::Intervals::Kind& kind, double low, double middle, double high) {
        kind.low.push_back(low);
        kind.middle.push_back(middle);
        kind.high.push_back(high);
    };
    for (const ValueRecord& value : fit.values) {
        if (!is_physical(value.name) || !value.error || !(*value.error > 0)) {
            continue;
        }
        const double error = *value.error;
        const double share = quantile_95 * value.classical.value_or(nan) / error;
        forest.names.push_back(value.name);
        put(named, -quantile_95, 0, quantile_95);
        put(classical, -share, 0, share);
        const auto* drawn = find_quantity(results, value.name);
        const auto place = [&](double v) { return (v - value.value) / error; };
        drawn == nullptr
            ? put(posterior, nan, nan, nan)
            : put(posterior, place(drawn->q05), place(drawn->median), place(drawn->q95));
    }
    if (forest.names.empty()) {
        return;
    }
    forest.kinds = {std::move(named)};
    if (fit.error_method != "classical") {
        forest.kinds.push_back(std::move(classical));
    }
    if (results.posterior) {
        forest.kinds.push_back(std::move(posterior));
    }
    page.intervals(forest);
}

void add_values(io::Page& page, const XpcsResults& results) {
    std::vector<std::string> head{"Parameter",
                                  "Unit",
                                  "Value",
                                  fmt::format("Error ({})", results.fit.error_method),
                                  "Error (classical)"};
    if (results.posterior) {
        head.insert(head.end(), {"Posterior 5 %", "50 %", "95 %"});
    }
    std::vector<std::vector<std::string>> rows;
    for (const ValueRecord& value : results.fit.values) {
        std::vector<std::string> row{
            value.bound.empty() ? value.name
                                : fmt::format("{} (at its {} bound)", value.name, value.bound),
            value.unit == "1" ? "" : value.unit,
            digits(value.value),
            number(value.error),
            number(value.classical)};
        if (const auto* drawn = find_quantity(results, value.name)) {
            row.insert(row.end(), {digits(drawn->q05), digits(drawn->median), digits(drawn->q95)});
        }
        rows.push_back(std::move(row));
    }
    // Contrasts and offsets, of which there may be many, come last.
    std::stable_partition(rows.begin(), rows.end(), [](const auto& row) {
        return is_physical(row[0].substr(0, row[0].find(' ')));
    });
    page.table(head, rows);
}

double error_of(const FitRecord& fit, const std::string& what, std::size_t angle) {
    const auto* own = find_value(fit, fmt::format("{}_{}", what, angle));
    const auto* found = own != nullptr ? own : find_value(fit, what);
    return found != nullptr && found->error ? *found->error : nan;
}

/// Contrast or offset over the angles.
io::Plot scale_plot(const FitRecord& fit,
                    const std::string& what,
                    double formats::xpcs::AngleRecord::*member) {
    io::Plot plot;
    plot.title = what == "contrast" ? "Contrast by angle" : "Offset by angle";
    plot.x_label = "φ [degrees]";
    plot.y_label = what;
    io::Series line{what, {}, {}};
    io::Band band{"± standard error", {}, {}, {}};
    for (std::size_t a = 0; a < fit.angles.size(); ++a) {
        const double value = fit.angles[a].*member;
        const double error = error_of(fit, what, a);
        line.x.push_back(fit.angles[a].phi);
        line.y.push_back(value);
        band.low.push_back(value - error);
        band.high.push_back(value + error);
    }
    band.x = line.x;
    if (std::ranges::any_of(band.low, [](double v) { return std::isfinite(v); })) {
        plot.bands.push_back(std::move(band));
    }
    plot.lines.push_back(std::move(line));
    return plot;
}

void add_angles(io::Page& page, const FitRecord& fit) {
    if (fit.angles.size() > 1 && fit.scaling != "averaged") {
        page.plot(scale_plot(fit, "contrast", &formats::xpcs::AngleRecord::contrast));
        page.plot(scale_plot(fit, "offset", &formats::xpcs::AngleRecord::offset));
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& angle : fit.angles) {
        rows.push_back({fmt::format("{:.6g}", angle.phi),
                        digits(angle.contrast, 5),
                        digits(angle.offset),
                        digits(angle.sigma, 3),
                        digits(angle.residual, 3),
                        number(angle.photons),
                        number(angle.pixels)});
    }
    page.table({"φ [degrees]",
                "Contrast",
                "Offset",
                "σ of a point",
                "Residual (rms)",
                "Photons a pixel and frame",
                "Pixels"},
               rows);
}

}  // namespace

void add_fit_facts(io::Page& page, const XpcsResults& results) {
    const auto& fit = results.fit;
    page.facts(
        {{fit.is_converged ? "Converged" : "Not converged",
          plural(fit.iterations, "iteration"),
          fit.ending.substr(
              fit.ending.find(": ") == std::string::npos ? 0 : fit.ending.find(": ") + 2)},
         {"Reduced χ²",
          digits(reduced(fit), 4),
          "above 1 where neighbours share noise, as in speckle, or the model misses something"},
         {"χ²",
          digits(fit.chi_squared),
          fmt::format("{} once; {} degrees of freedom",
                      fit.objective == "pairs" ? "each pair of frames" : "each element",
                      count(fit.degrees_of_freedom))},
         {"Error bars", fit.error_method, "68 %; see below"},
         {"Condition",
          fit.condition ? digits(*fit.condition, 3) : "infinite",
          "1: parameters are independent; above 10⁶ hardly told apart"},
         {"Time", duration(fit.seconds), "of the fit with its errors"},
         {"Digest", fit.digest.substr(0, 8), "of the fit"}});
    add_words(page, fit);
    add_held(page, fit);
    add_objective(page, fit);
    add_loss(page, fit);
    add_search(page, fit);
    add_sequential(page, fit);
    add_individual(page, fit);
    for (const auto& note : fit.data.notes) {
        page.paragraph(fmt::format("While reading: {}.", note));
    }
}

void add_parameters(io::Page& page, const XpcsResults& results) {
    page.heading("Parameters");
    add_forest(page, results);
    add_values(page, results);
    page.heading("Contrast and offset");
    add_angles(page, results.fit);
}

void add_iterations(io::Page& page, const XpcsResults& results) {
    const auto& history = results.fit.history;
    if (history.size() < 2) {
        return;
    }
    io::Plot chi_squared{"χ² after each iteration", "iteration", "χ²"};
    io::Plot gradient{"Gradient after each iteration",
                      "iteration",
                      "largest cosine of residuals and derivatives"};
    chi_squared.lines = {{"χ²", {}, {}}};
    gradient.lines = {{"gradient", {}, {}}};
    for (const auto& iteration : history) {
        chi_squared.lines[0].x.push_back(iteration.number);
        chi_squared.lines[0].y.push_back(iteration.chi_squared);
        gradient.lines[0].x.push_back(iteration.number);
        gradient.lines[0].y.push_back(iteration.gradient);
    }
    chi_squared.log_y = true;
    gradient.log_y = true;
    // On a logarithmic axis a start near the minimum is a level line: show what it comes down by.
    const auto [least, most] = std::ranges::minmax(chi_squared.lines[0].y);
    if (!(most > 3 * least)) {
        chi_squared.title = "χ² above its last value";
        for (double& value : chi_squared.lines[0].y) {
            value -= history.back().chi_squared;
        }
    }
    page.heading("Iterations");
    page.plot(chi_squared);
    page.plot(gradient);
}

}  // namespace lockstep::app
