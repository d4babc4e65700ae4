#include "lockstep/app/xpcs/options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/run_options.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"

namespace lockstep::app {

namespace {

using Text = std::string_view;
using Type = Option::Type;
using R = XpcsRequest;

constexpr Text model_group = "Data and model";
constexpr Text fit_group = "Fit";
constexpr Text minimum_group = "Minimum";
constexpr Text posterior_group = "Posterior";

/// Start values by the option that homodyne has for them.
struct StartOption {
    Text option;
    Text parameter;
    Text about;
};
constexpr std::array<StartOption, 7> start_options{
    {{"initial_d0", "D0", "Start value of D0"},
     {"initial_alpha", "alpha", "Start value of alpha"},
     {"initial_d_offset", "D_offset", "Start value of D_offset"},
     {"initial_gamma_dot_t0", "gamma_dot_t0", "Start value of gamma_dot_t0"},
     {"initial_beta", "beta", "Start value of beta"},
     {"initial_gamma_dot_offset", "gamma_dot_t_offset", "Start value of gamma_dot_t_offset"},
     {"initial_phi0", "phi0", "Start value of phi0"}}};

BoundOption<R> choice(Text name,
                      std::string R::*member,
                      Text group,
                      Text value,
                      Text about,
                      Text fallback,
                      std::vector<Text> choices) {
    return {{.name = name,
             .group = group,
             .value = value,
             .about = about,
             .fallback = fallback,
             .type = Type::choice,
             .choices = std::move(choices)},
            [member](R& r, Text text) { r.*member = text; }};
}

BoundOption<R> count(Text name, std::optional<int> R::*member, Text about, Text fallback) {
    return {{.name = name,
             .group = posterior_group,
             .value = "N",
             .about = about,
             .fallback = fallback,
             .type = Type::whole,
             .least = 1,
             .most = 1e7},
            [member](R& r, Text text) { r.*member = static_cast<int>(whole_of(text)); }};
}

// "NAME" or "NAME=VALUE".
std::pair<std::string, std::optional<double>> held_in(Text text) {
    const auto sign = text.find('=');
    if (sign == Text::npos) {
        return {std::string(text), std::nullopt};
    }
    const auto value = parse_number<double>(text.substr(sign + 1));
    if (!value) {
        throw InputError(fmt::format("'{}' has no number: write NAME or NAME=VALUE", text));
    }
    return {std::string(text.substr(0, sign)), value};
}

// "90s", "10min", "2h": [s].
double duration_of(Text text) {
    static const std::map<Text, double> units{{"s", 1}, {"min", 60}, {"h", 3600}};
    const auto digits = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
    const auto value = parse_number<double>(text.substr(0, digits));
    const auto unit = units.find(text.substr(digits));
    if (!value || unit == units.end() || !(*value >= 0)) {
        throw InputError(
            fmt::format("'{}' is no time: write a number and its unit, as 90s, 10min or 2h", text));
    }
    return *value * unit->second;
}

void require_farm(Text name) {
    if (name == "ray") {
        throw InputError("ray comes with the Python package: lockstep.xpcs.sample(farm=\"ray\")");
    }
    static const std::vector<Text> known{"auto",
                                         "sequential",
                                         "threads",
                                         "processes",
                                         "ranks",
                                         "slurm",
                                         "pbs",
                                         "multiprocessing",
                                         "pjit"};
    if (std::ranges::count(known, name) == 0) {
        throw InputError(
            fmt::format("'{}' is no place to work: must be {}", name, fmt::join(known, ", ")));
    }
}

std::vector<double> numbers_of(Text text) {
    std::vector<double> numbers;
    for (const auto part : parts_of(text)) {
        numbers.push_back(real_of(part));
    }
    return numbers;
}

OptionTable<R> of_run(const OptionTable<RunRequest>& table) {
    return options_of_part<R>(table, [](R& r) -> RunRequest& { return r.run; });
}

OptionTable<BatchRequest> of_each(const OptionTable<R>& table) {
    return options_of_part<BatchRequest>(table, [](BatchRequest& r) -> R& { return r.each; });
}

OptionTable<R> cluster_options() {
    return {{{.name = "cluster_account",
              .group = posterior_group,
              .value = "NAME",
              .about = "Of slurm and pbs",
              .fallback = "the user's"},
             [](R& r, Text text) { r.cluster.account = text; }},
            {{.name = "cluster_queue",
              .group = posterior_group,
              .value = "NAME",
              .about = "Partition of slurm, queue of pbs"},
             [](R& r, Text text) { r.cluster.queue = text; }},
            {{.name = "cluster_minutes",
              .group = posterior_group,
              .value = "N",
              .about = "Limit of a task",
              .fallback = "the queue's",
              .type = Type::whole,
              .unit = "minutes",
              .least = 1,
              .most = 1e6},
             [](R& r, Text text) { r.cluster.minutes = static_cast<int>(whole_of(text)); }},
            {{.name = "cluster_tasks",
              .group = posterior_group,
              .value = "N",
              .about = "That run at once",
              .fallback = "any number",
              .type = Type::whole,
              .least = 1,
              .most = 1e6},
             [](R& r, Text text) { r.cluster.at_once = static_cast<int>(whole_of(text)); }}};
}

OptionTable<R> shard_options() {
    return {
        {{.name = "shards",
          .aliases = {"cmc_num_shards"},
          .group = posterior_group,
          .value = "K",
          .about = "Also from so many shards of the data, compared with the whole",
          .fallback = "none",
          .type = Type::whole,
          .least = 1,
          .most = 1e6},
         [](R& r, Text text) { r.shards = static_cast<int>(whole_of(text)); }},
        choice("sharding",
               &R::sharding,
               posterior_group,
               "NAME",
               "What shards are of: random pairs of frames, stratified by lag and age, or those "
               "per_angle",
               "as CONFIG says, else random",
               {"random", "stratified", "per_angle"}),
        choice("combination",
               &R::combination,
               posterior_group,
               "RULE",
               "How shards become one: precision (covariances), density_product, marginals "
               "(homodyne's), plain_marginals",
               "as CONFIG says, else precision",
               {"precision", "density_product", "marginals", "plain_marginals"}),
        {{.name = "time_limit",
          .group = posterior_group,
          .value = "T",
          .about = "No posterior is drawn that would take longer, as 90s, 10min, 2h; 0s: no limit",
          .fallback = "10min"},
         [](R& r, Text text) { r.time_limit = duration_of(text); }},
        {{.name = "farm",
          .aliases = {"cmc_backend"},
          .group = posterior_group,
          .value = "NAME",
          .about = "Where shards are sampled: sequential, threads, processes, ranks, slurm, pbs",
          .fallback = "threads of all ranks"},
         [](R& r, Text text) {
             require_farm(text);
             r.farm = text;
         }}};
}

}  // namespace

OptionTable<R> xpcs_data_option() {
    return {{{.name = "data_file",
              .group = model_group,
              .value = "FILE",
              .about = "Data",
              .fallback = "as CONFIG says",
              .type = Type::place},
             [](R& r, Text text) { r.data_file = text; }}};
}

OptionTable<R> xpcs_model_options() {
    return {{{.name = "static_mode",
              .group = model_group,
              .about = "Diffusion alone",
              .type = Type::flag},
             [](R& r, Text text) { r.mode = text == "true" ? "static" : r.mode; }},
            {{.name = "laminar_flow",
              .group = model_group,
              .about = "Diffusion in a shear flow",
              .type = Type::flag,
              .excludes = "static_mode"},
             [](R& r, Text text) { r.mode = text == "true" ? "laminar_flow" : r.mode; }},
            choice("scaling",
                   &R::scaling,
                   model_group,
                   "MODE",
                   "Contrast and offset: individual, averaged, constant, fourier",
                   "as homodyne",
                   {"individual", "averaged", "constant", "fourier"}),
            {{.name = "paper_sinc",
              .group = model_group,
              .about = "Shear term of the paper, sinc(qLcosψΓ/2)² in g2",
              .fallback = "homodyne's sinc(qLcosψΓ/2π)⁴",
              .type = Type::flag},
             [](R& r, Text text) {
                 r.shear = text == "true" ? xpcs::ShearTerm::paper : xpcs::ShearTerm::homodyne;
             }}};
}

OptionTable<R> xpcs_method_option() {
    return {{{.name = "method",
              .group = model_group,
              .value = "NAME",
              .about = "nlsq: the fit alone; cmc and both: the posterior too, which begins with a "
                       "fit",
              .fallback = "both",
              .type = Type::choice,
              .choices = {"nlsq", "cmc", "both"}},
             [](R& r, Text text) { r.work = text == "nlsq" ? XpcsWork::fit : XpcsWork::both; }}};
}

OptionTable<R> xpcs_fit_options() {
    OptionTable<R> table{
        choice(
            "objective",
            &R::objective,
            fit_group,
            "NAME",
            "pairs: each pair of frames once; compat-grid: homodyne's for small data, to compare "
            "with it",
            "pairs, or as CONFIG says",
            {"pairs", "compat-grid"}),
        {{.name = "sigma",
          .group = fit_group,
          .value = "S",
          .about = "Standard deviation of a value of c2",
          .fallback = "from the data; homodyne takes 0.01",
          .type = Type::real},
         [](R& r, Text text) { r.sigma = real_of(text); }},
        {{.name = "errors",
          .group = fit_group,
          .value = "METHOD",
          .about = "Error bars: speckle (simulated speckle), blocks (of time), classical",
          .fallback = "speckle",
          .type = Type::choice,
          .choices = {"speckle", "blocks", "classical"}},
         [](R& r, Text text) {
             for (const auto method : {xpcs::ErrorMethod::classical,
                                       xpcs::ErrorMethod::blocks,
                                       xpcs::ErrorMethod::speckle}) {
                 if (to_string(method) == text) {
                     r.errors.method = method;
                 }
             }
         }},
        {{.name = "max_iterations",
          .group = fit_group,
          .value = "N",
          .about = "Most evaluations",
          .fallback = "as CONFIG says, else 1000",
          .type = Type::whole,
          .least = 1,
          .most = 1e6},
         [](R& r, Text text) { r.max_evaluations = static_cast<int>(whole_of(text)); }},
        {{.name = "tolerance",
          .group = fit_group,
          .value = "T",
          .about = "Of the gradient's cosine",
          .fallback = "1e-8",
          .type = Type::real},
         [](R& r, Text text) { r.tolerance = real_of(text); }},
        {{.name = "nlsq_result",
          .group = fit_group,
          .value = "PATH",
          .about = "Start from an earlier fit: a folder of results of homodyne or of this program, "
                   "or its nlsq/parameters.json",
          .type = Type::place},
         [](R& r, Text text) { r.nlsq_result = text; }}};
    for (const auto& [option, parameter, about] : start_options) {
        table.push_back(
            {{.name = option, .group = fit_group, .value = "X", .about = about, .type = Type::real},
             [name = std::string(parameter)](R& r, Text text) {
                 r.start.emplace_back(name, real_of(text));
             }});
    }
    return table;
}

OptionTable<R> xpcs_search_options() {
    return {{{.name = "fix",
              .group = minimum_group,
              .value = "NAME[=VALUE]",
              .about = "Hold a parameter, at its start or at VALUE; may be repeated",
              .is_repeated = true},
             [](R& r, Text text) { r.held.push_back(held_in(text)); }},
            {{.name = "multi_start",
              .group = minimum_group,
              .value = "N",
              .about = "Fit from N starts as well, and tell which minima there are",
              .fallback = "none",
              .type = Type::whole,
              .least = 1,
              .most = 1e6},
             [](R& r, Text text) { r.starts = static_cast<int>(whole_of(text)); }},
            choice("search",
                   &R::search,
                   minimum_group,
                   "KIND",
                   "local, multi-start, or cma-es: by evolution within the bounds",
                   "as CONFIG says",
                   {"local", "multi-start", "cma-es"}),
            choice("sequential",
                   &R::sequential,
                   minimum_group,
                   "WHEN",
                   "Angles one by one: always, never, or auto: where they do not converge together",
                   "auto, or as CONFIG says",
                   {"auto", "always", "never"}),
            choice("loss",
                   &R::loss,
                   minimum_group,
                   "NAME",
                   "Against outliers: soft_l1, huber, cauchy, arctan",
                   "as CONFIG says, else linear",
                   {"linear", "soft_l1", "huber", "cauchy", "arctan"}),
            {{.name = "loss_scale",
              .group = minimum_group,
              .value = "S",
              .about = "Standard deviations from which on residuals are outliers",
              .fallback = "1",
              .type = Type::real,
              .least = above_zero},
             [](R& r, Text text) { r.loss_scale = real_of(text); }}};
}

OptionTable<R> xpcs_sample_options() {
    OptionTable<R> table{
        {{.name = "sampler",
          .group = posterior_group,
          .value = "NAME",
          .about = "importance, nuts, or auto: importance where its weights can be relied on",
          .fallback = "auto",
          .type = Type::choice,
          .choices = {"auto", "importance", "nuts"}},
         [](R& r, Text text) {
             r.method = text == "importance" ? xpcs::SampleMethod::importance
                        : text == "nuts"     ? xpcs::SampleMethod::chains
                                             : xpcs::SampleMethod::automatic;
         }},
        count("n_chains", &R::chains, "Chains", "as CONFIG says, else 4"),
        count("n_warmup", &R::warmup, "Warm-up iterations of a chain", "500"),
        count("n_samples", &R::draws, "Draws of a chain", "1500")};
    append(table, shard_options());
    append(table, cluster_options());
    table.push_back({{.name = "seed",
                      .group = posterior_group,
                      .value = "N",
                      .about = "Of everything that is drawn",
                      .fallback = "42",
                      .type = Type::whole,
                      .least = 0},
                     [](R& r, Text text) { r.seed = whole_of(text); }});
    return table;
}

OptionTable<R> xpcs_result_options() {
    return {{{.name = "scratch",
              .value = "DIR",
              .about = "Keep the matrices in a file in DIR, on a disk",
              .fallback = "in memory; in the results' folder when they are larger",
              .type = Type::place},
             [](R& r, Text text) { r.scratch = text; }},
            {{.name = "output_format",
              .value = "NAME",
              .about = "Of homodyne_results: yaml, json or npz",
              .fallback = "json",
              .type = Type::choice,
              .choices = {"yaml", "json", "npz"}},
             [](R& r, Text text) {
                 using formats::homodyne::SummaryFormat;
                 r.summary_format = text == "yaml"  ? SummaryFormat::yaml
                                    : text == "npz" ? SummaryFormat::npz
                                                    : SummaryFormat::json;
             }},
            {{.name = "fitted_data",
              .about = "Leave out nlsq/fitted_data.npz: seven times the size of the matrices, and "
                       "the report's pictures of them",
              .fallback = "written",
              .type = Type::off_switch},
             [](R& r, Text text) { r.has_fitted_data = text == "true"; }},
            {{.name = "save_plots",
              .about = "Also make report.html, as lockstep report does",
              .type = Type::flag},
             [](R& r, Text text) { r.has_page = text == "true"; }},
            {{.name = "verbose",
              .about = "Also tell which keys of the configuration do nothing here, and why",
              .type = Type::flag,
              .letter = 'v'},
             [](R& r, Text text) { r.is_verbose = text == "true"; }}};
}

OptionTable<R> xpcs_run_options(XpcsWork work) {
    const bool samples = work != XpcsWork::fit;
    auto table = xpcs_data_option();
    append(table, xpcs_model_options());
    append(table, xpcs_fit_options());
    append(table, xpcs_search_options());
    if (samples) {
        append(table, xpcs_sample_options());
    }
    append(table, of_run(output_options("CONFIG-results")));
    append(table, xpcs_result_options());
    if (samples) {
        append(table, of_run(resume_options("5")));
    }
    append(table, of_run(rank_options()));
    return table;
}

OptionTable<BatchRequest> xpcs_batch_options() {
    OptionTable<BatchRequest> table{{{.name = "config",
                                      .group = model_group,
                                      .value = "FILE",
                                      .about = "One configuration for all data files",
                                      .type = Type::place,
                                      .letter = 'c'},
                                     [](BatchRequest& r, Text text) { r.each.run.input = text; }}};
    for (const auto& part : {xpcs_method_option(),
                             xpcs_model_options(),
                             xpcs_fit_options(),
                             xpcs_search_options(),
                             xpcs_sample_options()}) {
        append(table, of_each(part));
    }
    table.push_back(
        {{.name = "ahead",
          .value = "N",
          .about = "Datasets in memory beside the one that is worked on",
          .fallback = "2",
          .type = Type::whole,
          .least = 0,
          .most = 64},
         [](BatchRequest& r, Text text) { r.ahead = static_cast<int>(whole_of(text)); }});
    table.push_back(
        {{.name = "resume",
          .about = "Keep what an earlier batch in the same folder did with the same input and "
                   "options",
          .type = Type::flag,
          .variable = "LOCKSTEP_RESUME"},
         [](BatchRequest& r, Text text) { r.each.run.resume = text == "true"; }});
    append(table, of_each(of_run(output_options("DATA-batch"))));
    append(table, of_each(xpcs_result_options()));
    append(table, of_each(of_run(rank_options())));
    return table;
}

OptionTable<MeasurementRequest> xpcs_simulate_options() {
    using M = MeasurementRequest;
    return {{{.name = "frames",
              .value = "N",
              .about = "Frames of a matrix",
              .fallback = "64",
              .type = Type::whole,
              .least = 3,
              .most = 1e5},
             [](M& m, Text text) { m.frames = static_cast<int>(whole_of(text)); }},
            {{.name = "phi_angles",
              .value = "LIST",
              .about = "Degrees, as 0,45,90",
              .fallback = "six in a flow, three without",
              .type = Type::number,
              .unit = "degrees"},
             [](M& m, Text text) { m.phi = numbers_of(text); }},
            {{.name = "contrast",
              .value = "X",
              .about = "Of the speckle",
              .fallback = "0.3",
              .type = Type::real},
             [](M& m, Text text) { m.contrast = real_of(text); }},
            {{.name = "offset",
              .value = "X",
              .about = "Of c2; of speckle it is 1",
              .fallback = "1",
              .type = Type::real},
             [](M& m, Text text) { m.offset = real_of(text); }},
            {{.name = "noise_sigma",
              .value = "S",
              .about = "Of a value of c2",
              .fallback = "0.004",
              .type = Type::real,
              .least = 0},
             [](M& m, Text text) { m.noise.sigma = real_of(text); }},
            {{.name = "pixels",
              .value = "N",
              .about = "Simulate so many pixels of speckle instead of independent errors",
              .type = Type::whole,
              .least = 8,
              .most = 1e8,
              .excludes = "noise_sigma"},
             [](M& m, Text text) {
                 m.noise.kind = xpcs::SimulatedNoise::Kind::speckle;
                 m.noise.pixels = static_cast<int>(whole_of(text));
             }},
            {{.name = "photons",
              .value = "X",
              .about = "With pixels: per pixel and frame",
              .fallback = "no limit",
              .type = Type::real,
              .least = above_zero,
              .needs = "pixels"},
             [](M& m, Text text) { m.noise.photons = real_of(text); }},
            {{.name = "seed",
              .value = "N",
              .about = "Of everything that is drawn",
              .fallback = "42",
              .type = Type::whole,
              .least = 0},
             [](M& m, Text text) {
                 m.noise.seed = static_cast<decltype(m.noise.seed)>(whole_of(text));
             }},
            {threads_record("Threads"),
             [](M& m, Text text) { m.threads = static_cast<int>(whole_of(text)); }}};
}

}  // namespace lockstep::app
