#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npz.hpp"

#include "formats/homodyne/results/record_json.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::Json;

// A parameter that does not vary has neither and cannot fail.
bool has_converged(const Marginal& m, const SampleRecord& r) {
    return !(m.r_hat > r.r_hat_threshold) && !(std::min(m.bulk_ess, m.tail_ess) < r.ess_threshold);
}

std::pair<double, double> r_hat_range(const SampleRecord& r) {
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = low;
    for (const Marginal& m : r.marginals) {
        low = std::fmin(low, m.r_hat);
        high = std::fmax(high, m.r_hat);
    }
    return {low, high};
}

std::int64_t draws_in_all(const SampleRecord& r) {
    return r.marginals.empty() ? 0 : std::ssize(r.draws) / std::ssize(r.marginals);
}

Json sampling(const SampleRecord& r) {
    Json json;
    json.set("n_samples", r.asked_draws);
    json.set("n_warmup", r.asked_warmup);
    json.set("n_chains", r.chains);
    json.set("total_samples", draws_in_all(r));
    json.set("computation_time", number(r.seconds));
    return json;
}

Json parameters(const SampleRecord& r) {
    const auto [low, high] = r_hat_range(r);
    Json convergence;
    convergence.set("all_chains_converged", r.has_converged());
    convergence.set("min_r_hat", number(low));
    convergence.set("max_r_hat", number(high));
    Json all = Json::object();
    for (const Marginal& m : r.marginals) {
        Json one;
        one.set("mean", number(m.mean));
        one.set("std", number(m.deviation));
        all.set(m.name, std::move(one));
    }
    Json json;
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("method", "cmc");
    json.set("sampler", r.method);
    json.set("sampling_summary", sampling(r));
    json.set("convergence", std::move(convergence));
    json.set("parameters", std::move(all));
    return json;
}

/// As homodyne's pictures look for it: "param_0" is the first of the mode's parameters.
Json shard_diagnostics(const SampleRecord& r) {
    Json all = Json::array();
    for (std::size_t shard = 0; shard < r.each_shard.size(); ++shard) {
        const auto& of = r.each_shard[shard];
        Json r_hat = Json::object();
        Json ess = Json::object();
        Json parameters = Json::object();
        for (const auto& [place, marginal] : of.marginals) {
            const std::string key = "param_" + std::to_string(place);
            r_hat.set(key, number(marginal.r_hat));
            ess.set(key, number(marginal.bulk_ess));
            Json one;
            one.set("mean", number(marginal.mean));
            one.set("std", number(marginal.deviation));
            parameters.set(marginal.name, std::move(one));
        }
        Json json;
        json.set("shard_id", static_cast<std::int64_t>(shard));
        json.set("converged", of.has_converged);
        json.set("acceptance_rate", number(of.acceptance));
        json.set("n_samples", of.draws);
        json.set("rhat", std::move(r_hat));
        json.set("ess", std::move(ess));
        json.set("n_points", of.points);
        json.set("divergences", of.divergences);
        json.set("verdict", of.verdict);
        json.set("parameters", std::move(parameters));
        all.push(std::move(json));
    }
    return all;
}

std::int64_t converged_shards(const SampleRecord& r) {
    return std::ranges::count(r.each_shard, true, &ShardDiagnostics::has_converged);
}

Json diagnostics(const SampleRecord& r) {
    Json each = Json::array();
    for (const Marginal& m : r.marginals) {
        Json one;
        one.set("name", m.name);
        one.set("r_hat", number(m.r_hat));
        one.set("ess", number(m.bulk_ess));
        one.set("tail_ess", number(m.tail_ess));
        one.set("converged", has_converged(m, r));
        each.push(std::move(one));
    }
    Json convergence;
    convergence.set("all_chains_converged", r.has_converged());
    convergence.set("r_hat_threshold", number(r.r_hat_threshold));
    convergence.set("ess_threshold", number(r.ess_threshold));
    convergence.set("per_parameter_diagnostics", std::move(each));
    Json efficiency;
    efficiency.set("divergences", r.divergences);
    Json shards;
    shards.set("num_shards", r.shards);
    if (!r.each_shard.empty()) {
        const auto converged = converged_shards(r);
        Json summary;
        summary.set("num_shards", std::ssize(r.each_shard));
        summary.set("shards_converged", converged);
        summary.set(
            "convergence_rate",
            number(static_cast<double>(converged) / static_cast<double>(r.each_shard.size())));
        shards.set("shard_summary", std::move(summary));
    }
    Json json;
    json.set("convergence", std::move(convergence));
    json.set("sampling_efficiency", std::move(efficiency));
    json.set("posterior_checks", Json::object());
    json.set("cmc_specific", std::move(shards));
    return json;
}

Json analysis(const SampleRecord& r) {
    Json dataset;
    dataset.set("n_angles", std::ssize(r.subject.phi));
    dataset.set("n_time_points", std::int64_t{r.subject.frames} * r.subject.frames);
    dataset.set("fitted_data_points", r.subject.points);
    dataset.set("q_value", number(r.subject.q));
    Json json;
    json.set("method", "cmc");
    json.set("sampler", r.method);
    json.set("version", r.subject.version);
    json.set("input_digest", r.subject.input_digest);
    json.set("timestamp", r.subject.timestamp);
    json.set("analysis_mode", name_of(r.subject.motion));
    json.set("dataset_info", std::move(dataset));
    json.set("sampling_summary", sampling(r));
    json.set("notes", texts(r.notes));
    return json;
}

void write_draws(const std::filesystem::path& path, const SampleRecord& r) {
    std::vector<std::string> names;
    std::vector<double> r_hat;
    std::vector<double> ess;
    for (const Marginal& m : r.marginals) {
        names.push_back(m.name);
        r_hat.push_back(m.r_hat);
        ess.push_back(m.bulk_ess);
    }
    const std::array<std::int64_t, 1> one{std::ssize(names)};
    io::NpzWriter file(path);
    file.add("samples", r.draws, std::array<std::int64_t, 2>{draws_in_all(r), std::ssize(names)});
    file.add("param_names", names, one);
    file.add("r_hat", r_hat, one);
    file.add("ess", ess, one);
    file.close();
}

}  // namespace

bool SampleRecord::has_converged() const noexcept {
    return std::all_of(marginals.begin(), marginals.end(), [this](const Marginal& m) {
        return homodyne::has_converged(m, *this);
    });
}

void write_samples(const std::filesystem::path& output, const SampleRecord& record) {
    const std::filesystem::path folder = output / "cmc";
    write_draws(folder / "samples.npz", record);
    write_json(folder / "parameters.json", parameters(record));
    write_json(folder / "diagnostics.json", diagnostics(record));
    write_json(folder / "analysis_results_cmc.json", analysis(record));
    if (!record.each_shard.empty()) {
        write_json(folder / "shard_diagnostics.json", shard_diagnostics(record));
    }
}

}  // namespace lockstep::formats::homodyne
