#include "app/xpcs/stages/writing.hpp"

#include "app/job/stale.hpp"
#include "app/xpcs/draws_file.hpp"
#include "app/xpcs/homodyne_files.hpp"

namespace lockstep::app {
namespace {

constexpr auto fit_part = "fit";
constexpr auto posterior_part = "posterior";

using formats::homodyne::SummaryFormat;

HomodyneRun homodyne_run(const Dataset& dataset, const std::string& timestamp) {
    return {dataset.configuration,
            dataset.loaded,
            dataset.fitting,
            timestamp,
            to_string(dataset.measurement_digest)};
}

std::string summary_name(SummaryFormat format) {
    switch (format) {
        case SummaryFormat::yaml:
            return "homodyne_results.yaml";
        case SummaryFormat::json:
            return "homodyne_results.json";
        case SummaryFormat::npz:
            return "homodyne_results.npz";
    }
    return "";
}

}  // namespace

void write_fit_files(const XpcsRequest& request,
                     const std::filesystem::path& output,
                     const Dataset& dataset,
                     const Fitted& fitted,
                     const std::string& timestamp) {
    auto run = homodyne_run(dataset, timestamp);
    run.summary_format = request.summary_format;
    run.has_fitted_data = request.has_fitted_data;
    write_homodyne_fit(output, run, fitted.result, fitted.record);
    formats::xpcs::write_fit(output, fitted.record);
}

void write_posterior_files(const std::filesystem::path& output,
                           const Dataset& dataset,
                           const Sampled& sampled,
                           const std::string& timestamp) {
    write_homodyne_samples(
        output, homodyne_run(dataset, timestamp), sampled.options, sampled.draws, sampled.record);
    write_draws(output, sampled.draws);
    formats::xpcs::write_posterior(output, sampled.record);
}

formats::OutputPart part_of(const Fitted& fitted, SummaryFormat summary_format) {
    return {fit_part,
            fitted.record.digest,
            fitted.record.is_converged,
            {"fit.json", summary_name(summary_format), "nlsq"}};
}

formats::OutputPart part_of(const Sampled& sampled) {
    auto files = draws_files();
    files.insert(files.end(), {"posterior.json", "cmc"});
    return {posterior_part, sampled.record.digest, sampled.draws.is_complete, files};
}

std::vector<std::string> part_names(XpcsWork work) {
    return work == XpcsWork::fit ? std::vector<std::string>{fit_part}
                                 : std::vector<std::string>{fit_part, posterior_part};
}

void clear_results(const std::filesystem::path& output) {
    for (const char* file : {"fit.json",
                             "homodyne_results.yaml",
                             "homodyne_results.json",
                             "homodyne_results.npz",
                             "posterior.json",
                             "posterior.npz",
                             "posterior.nc",
                             "report.html"}) {
        remove_stale(output / file);
    }
}

}  // namespace lockstep::app
