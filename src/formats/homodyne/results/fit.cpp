#include <array>
#include <cstdint>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npz.hpp"

#include "formats/homodyne/results/record_json.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::Json;

constexpr int format_version = 1;

Json estimate(double value, double error) {
    Json json;
    json.set("value", number(value));
    json.set("uncertainty", number(error));
    return json;
}

// homodyne's files have room for one contrast and offset: means of the values and of their errors.
ScaleEstimate mean_of(std::span<const ScaleEstimate> scales) {
    ScaleEstimate sum;
    for (const ScaleEstimate& scale : scales) {
        sum.contrast += scale.contrast;
        sum.contrast_error += scale.contrast_error;
        sum.offset += scale.offset;
        sum.offset_error += scale.offset_error;
    }
    const auto count = static_cast<double>(scales.size());
    return {sum.contrast / count,
            sum.contrast_error / count,
            sum.offset / count,
            sum.offset_error / count};
}

Json parameters(const FitRecord& r) {
    const ScaleEstimate mean = mean_of(r.scales);
    Json all;
    all.set("contrast", estimate(mean.contrast, mean.contrast_error));
    all.set("offset", estimate(mean.offset, mean.offset_error));
    for (const Estimate& each : r.physical) {
        all.set(each.name, estimate(each.value, each.error));
    }
    Json json;
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("chi_squared", number(r.chi_squared));
    json.set("reduced_chi_squared", number(r.reduced_chi_squared()));
    json.set("convergence_status", r.status);
    json.set("parameters", std::move(all));
    return json;
}

Json dataset(const Subject& s) {
    const auto angles = static_cast<std::int64_t>(s.phi.size());
    const std::int64_t square = std::int64_t{s.frames} * s.frames;
    Json json;
    json.set("n_angles", angles);
    json.set("n_time_points", square);
    json.set("total_data_points", angles * square);
    json.set("fitted_data_points", s.points);
    json.set("q_value", number(s.q));
    return json;
}

Json analysis(const FitRecord& r) {
    Json quality;
    quality.set("chi_squared", number(r.chi_squared));
    quality.set("reduced_chi_squared", number(r.reduced_chi_squared()));
    quality.set("degrees_of_freedom", r.degrees_of_freedom);
    quality.set("quality_flag", r.quality);
    Json summary;
    summary.set("convergence_status", r.status);
    summary.set("iterations", r.iterations);
    summary.set("execution_time", number(r.seconds));
    Json json;
    json.set("method", "nlsq");
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("fit_quality", std::move(quality));
    json.set("dataset_info", dataset(r.subject));
    json.set("optimization_summary", std::move(summary));
    return json;
}

Json device() {
    Json json;
    json.set("platform", "cpu");
    json.set("device", "lockstep");
    json.set("fallback_occurred", false);
    json.set("fallback_reason", Json());
    return json;
}

Json convergence(const FitRecord& r) {
    Json how;
    how.set("status", r.status);
    how.set("iterations", r.iterations);
    how.set("execution_time", number(r.seconds));
    how.set("final_chi_squared", number(r.chi_squared));
    Json checks = Json::object();
    bool has_passed = true;
    for (const auto& [name, passed] : r.checks) {
        checks.set(name, passed);
        has_passed = has_passed && passed;
    }
    Json json;
    json.set("convergence", std::move(how));
    json.set("recovery_actions", Json::array());
    json.set("quality_flag", r.quality);
    json.set("device_info", device());
    json.set("quality_validation_passed", has_passed);
    json.set("quality_warnings", texts(r.warnings));
    json.set("quality_checks", std::move(checks));
    return json;
}

/// homodyne's sections, of which those are off that one objective for all sizes makes needless.
Json diagnostics(const FitRecord& r) {
    Json solver;
    solver.set("method", "trust region; contrast and offset are eliminated");
    solver.set("status", r.status);
    solver.set("ending", r.ending);
    solver.set("iterations", r.iterations);
    solver.set("function_evaluations", r.evaluations);
    solver.set("gradient_cosine", number(r.gradient));
    solver.set("execution_time", number(r.seconds));
    Json degeneracy;
    degeneracy.set("condition_number", number(r.condition_number));
    degeneracy.set("undetermined", r.undetermined);
    degeneracy.set("at_bounds", texts(r.at_bounds));
    Json stratification;
    stratification.set("used", false);
    stratification.set("reason", "one objective streams data of any size");
    Json settings = Json::object();
    for (const auto& [name, value] : r.settings) {
        settings.set(name, value);
    }
    Json json;
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("solver_diagnostics", std::move(solver));
    json.set("anti_degeneracy", std::move(degeneracy));
    json.set("stratification_diagnostics", std::move(stratification));
    json.set("settings", std::move(settings));
    json.set("notes", texts(r.notes));
    return json;
}

Json covariance(const NamedCovariance& c) {
    Json json;
    json.set("kind", c.kind);
    json.set("parameters", texts(c.names));
    if (c.values.empty()) {
        json.set("values", Json());
        json.set("not_available", c.why_not);
        return json;
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < c.names.size(); ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < c.names.size(); ++j) {
            row.push(number(c.values[i * c.names.size() + j]));
        }
        rows.push(std::move(row));
    }
    json.set("values", std::move(rows));
    return json;
}

Json scales(const FitRecord& r) {
    Json list = Json::array();
    for (std::size_t k = 0; k < r.scales.size(); ++k) {
        const ScaleEstimate& scale = r.scales[k];
        Json json;
        json.set("phi", k < r.subject.phi.size() ? number(r.subject.phi[k]) : Json());
        json.set("contrast", estimate(scale.contrast, scale.contrast_error));
        json.set("offset", estimate(scale.offset, scale.offset_error));
        list.push(std::move(json));
    }
    return list;
}

Json physical(const FitRecord& r) {
    Json json = Json::object();
    for (const Estimate& each : r.physical) {
        json.set(each.name, estimate(each.value, each.error));
    }
    return json;
}

Json complete(const FitRecord& r) {
    Json start = Json::object();
    for (const Estimate& each : r.start) {
        start.set(each.name, number(each.value));
    }
    Json settings = Json::object();
    for (const auto& [name, value] : r.settings) {
        settings.set(name, value);
    }
    Json covariances = Json::array();
    for (const NamedCovariance& each : r.covariances) {
        covariances.push(covariance(each));
    }
    Json json;
    json.set("format_version", format_version);
    json.set("version", r.subject.version);
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("input_digest", r.subject.input_digest);
    json.set("dataset", dataset(r.subject));
    json.set("settings", std::move(settings));
    json.set("status", r.status);
    json.set("iterations", r.iterations);
    json.set("seconds", number(r.seconds));
    json.set("chi_squared", number(r.chi_squared));
    json.set("degrees_of_freedom", r.degrees_of_freedom);
    json.set("quality", r.quality);
    json.set("physical", physical(r));
    json.set("scales", scales(r));
    json.set("covariances", std::move(covariances));
    json.set("condition_number", number(r.condition_number));
    json.set("start", std::move(start));
    json.set("at_bounds", texts(r.at_bounds));
    json.set("warnings", texts(r.warnings));
    json.set("notes", texts(r.notes));
    return json;
}

std::vector<double> bare_values(const FitRecord& r) {
    std::vector<double> values;
    for (const ScaleEstimate& scale : r.scales) {
        values.push_back(scale.contrast);
    }
    for (const ScaleEstimate& scale : r.scales) {
        values.push_back(scale.offset);
    }
    for (const Estimate& each : r.physical) {
        values.push_back(each.value);
    }
    return values;
}

bool is_success(const FitRecord& r) {
    return r.status == "converged";
}

Json summary(const FitRecord& r) {
    Json values = Json::array();
    for (const double value : bare_values(r)) {
        values.push(number(value));
    }
    Json diagnostics;
    diagnostics.set("chi_squared", number(r.chi_squared));
    Json json;
    json.set("method", "nlsq");
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("success", is_success(r));
    json.set("optimization_time", number(r.seconds));
    json.set("parameters", std::move(values));
    json.set("diagnostics", std::move(diagnostics));
    json.set("device_config", device());
    return json;
}

void write_summary_npz(const std::filesystem::path& path, const FitRecord& r) {
    const std::vector<double> values = bare_values(r);
    const std::vector<std::string> words{"nlsq", std::string(name_of(r.subject.motion))};
    const std::array<std::int64_t, 1> success{is_success(r) ? 1 : 0};
    io::NpzWriter file(path);
    file.add("parameters", values, std::array<std::int64_t, 1>{std::ssize(values)});
    file.add("chi_squared", std::span(&r.chi_squared, 1), {});
    file.add("optimization_time", std::span(&r.seconds, 1), {});
    file.add("success", success, {});
    file.add("method", std::span(words).first(1), {});
    file.add("analysis_mode", std::span(words).last(1), {});
    file.close();
}

}  // namespace

void write_fit(const std::filesystem::path& output, const FitRecord& record) {
    const std::filesystem::path folder = output / "nlsq";
    write_json(folder / "parameters.json", parameters(record));
    write_json(folder / "analysis_results_nlsq.json", analysis(record));
    write_json(folder / "convergence_metrics.json", convergence(record));
    write_json(folder / "diagnostics.json", diagnostics(record));
    write_json(folder / "lockstep_fit.json", complete(record));
}

void write_summary(const std::filesystem::path& output,
                   const FitRecord& record,
                   SummaryFormat format) {
    switch (format) {
        case SummaryFormat::yaml:
            write_json(output / "homodyne_results.yaml", summary(record));
            return;
        case SummaryFormat::json:
            write_json(output / "homodyne_results.json", summary(record));
            return;
        case SummaryFormat::npz:
            write_summary_npz(output / "homodyne_results.npz", record);
            return;
    }
}

}  // namespace lockstep::formats::homodyne
