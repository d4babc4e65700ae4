#include "lockstep/app/xpcs/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/formats/homodyne/matrices.hpp"
#include "lockstep/formats/homodyne/template.hpp"
#include "lockstep/io/file.hpp"

#include "app/xpcs/fit_settings.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/stages/dataset.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using formats::homodyne::Configuration;

// Pairs of frames a second that one core sums the normal equations of, and evaluations of a fit.
constexpr double pairs_a_second = 1e8;
constexpr double usual_evaluations = 8;

// Of a first measurement: errors as real ones have them, and made in a second or two.
constexpr int first_pixels = 20'000;
constexpr double first_photons = 4;

std::vector<std::string> texts(const std::vector<formats::homodyne::Note>& notes) {
    std::vector<std::string> texts;
    for (const auto& note : notes) {
        texts.push_back(fmt::format("{}: {}", note.field, note.text));
    }
    return texts;
}

std::vector<double> usual_angles(xpcs::Motion motion) {
    return motion == xpcs::Motion::diffusion ? std::vector<double>{0, 45, 90}
                                             : std::vector<double>{-60, -30, 0, 30, 60, 90};
}

xpcs::Truth truth_of(const Configuration& configuration,
                     const MeasurementRequest& request,
                     int angles) {
    xpcs::Truth truth;
    truth.motion = configuration.motion;
    for (const auto& parameter : xpcs::parameters_of(truth.motion)) {
        truth.physical.push_back(
            configuration.start.find(parameter.name).value_or(parameter.start));
    }
    truth.scales.assign(at(angles), {request.contrast, request.offset});
    return truth;
}

std::string loss_words(const xpcs::FitOptions& fit) {
    const auto name = name_of(fit.loss.kind);
    return fit.loss.kind == xpcs::nlsq::Loss::Kind::linear
               ? std::string(name)
               : fmt::format("{} from {} sigma on", name, exact(fit.loss.scale));
}

std::string search_words(const xpcs::SearchOptions& search) {
    switch (search.kind) {
        case xpcs::SearchKind::local:
            break;
        case xpcs::SearchKind::multi_start:
            return fmt::format("multi-start: {} beside the start, the best {} % fitted",
                               plural(search.multi_start.starts, "point"),
                               digits(100 * search.multi_start.kept, 2));
        case xpcs::SearchKind::cma_es:
            return fmt::format("cma-es: at most {} points, {}{}",
                               count(search.cma_es.max_evaluations),
                               search.is_refined ? "then a local fit" : "no local fit after it",
                               search.good_enough > 0
                                   ? fmt::format("; none where the fit from the start has a "
                                                 "reduced chi squared below {}",
                                                 exact(search.good_enough))
                                   : "");
    }
    return "local: downhill from the start";
}

std::string sequential_words(xpcs::SequentialOptions::Use use) {
    using Use = xpcs::SequentialOptions::Use;
    return use == Use::always  ? "always"
           : use == Use::never ? "never"
                               : "where all angles together do not converge";
}

void describe_fit(const XpcsRequest& request, const xpcs::FitOptions& fit, XpcsPlan& plan) {
    const bool is_grid = fit.objective == xpcs::FitObjective::compat_grid;
    plan.objective = to_string(fit.objective);
    plan.sigma = fit.sigma;
    plan.loss = loss_words(fit);
    plan.search = search_words(fit.search);
    plan.sequential = sequential_words(fit.sequential.use);
    plan.errors = to_string(is_grid ? xpcs::ErrorMethod::classical : request.errors.method);
    const auto box = fit.box();
    const auto parameters = xpcs::parameters_of(fit.motion);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const auto& name = box.names[p];
        plan.parameters.push_back({name,
                                   std::string(parameters[p].unit),
                                   fit.start[p],
                                   box.lower[p],
                                   box.upper[p],
                                   std::ranges::find(fit.held, name) != fit.held.end()});
    }
}

/// The pairs, and a matrix while it is read.
void plan_memory(const XpcsRequest& request, int frames, XpcsPlan& plan) {
    const auto bytes = std::int64_t{sizeof(double)} * plan.pairs;
    plan.memory_bytes = 8.0 * frames * frames;
    if (storage_of(request).takes(bytes)) {
        plan.notes.push_back(
            "the matrices are larger than the memory: they are kept in a file in the results' "
            "folder, or where --scratch says");
    } else {
        plan.memory_bytes += static_cast<double>(bytes);
    }
}

}  // namespace

XpcsPlan plan_analysis(const XpcsRequest& asked) {
    const auto request = with_start_of_result(asked);
    const auto configuration = configured(request);
    const auto selection = formats::homodyne::look_at(configuration);
    const int angles = static_cast<int>(selection.phi.size());
    XpcsPlan plan;
    plan.file = configuration.data.file.string();
    plan.layout = selection.layout;
    plan.mode = name_of(configuration.motion);
    plan.scaling = name_of(scale_mode_of(request, configuration, angles));
    plan.q = selection.q.empty() ? 0 : selection.q.front();
    plan.gap = configuration.analyzer.gap;
    plan.dt = configuration.analyzer.dt;
    plan.frames = selection.count - 1;
    plan.phi = selection.phi;
    plan.pairs = angles * xpcs::pair_count(plan.frames);
    plan.fit_seconds = usual_evaluations * static_cast<double>(plan.pairs) / pairs_a_second;
    plan.notes = texts(configuration.notes);
    plan.notes.insert(plan.notes.end(), selection.notes.begin(), selection.notes.end());
    plan_memory(request, selection.count, plan);
    describe_fit(request, planned_fit(request, configuration, angles, plan.notes), plan);
    plan.doubts = formats::homodyne::unit_doubts(configuration);
    plan.ignored = texts(configuration.ignored);
    return plan;
}

void simulate_measurement(const MeasurementRequest& request) {
    const auto configuration = formats::homodyne::read_configuration(request.configuration);
    xpcs::Measurement like;
    like.q = configuration.analyzer.wavevector_q;
    like.gap = configuration.analyzer.gap;
    like.dt = configuration.analyzer.dt;
    like.frames = request.frames;
    like.first_frame = 0;
    like.phi = request.phi.empty() ? usual_angles(configuration.motion) : request.phi;
    std::ranges::sort(like.phi);
    runtime::ThreadTeam threads(request.threads > 0 ? request.threads : runtime::usable_cpus());
    auto data = xpcs::simulate(
        like, truth_of(configuration, request, like.angles()), request.noise, threads);
    formats::homodyne::write_aps(request.file, {std::move(data), {}});
}

void init_analysis(const fs::path& folder, const std::string& mode, bool with_data) {
    const auto file = folder / "config.yaml";
    if (io::is_there(file)) {
        throw InputError(fmt::format("{} is there already: take another folder", file.string()));
    }
    formats::homodyne::TemplateFacts facts;
    facts.folder = folder.string();
    io::make_folder(folder);
    io::write_file(file, formats::homodyne::template_text(motion_named(mode), facts));
    if (with_data) {
        MeasurementRequest request;
        request.configuration = file;
        request.file = folder / facts.file;
        request.noise.kind = xpcs::SimulatedNoise::Kind::speckle;
        request.noise.pixels = first_pixels;
        request.noise.photons = first_photons;
        simulate_measurement(request);
    }
}

}  // namespace lockstep::app
