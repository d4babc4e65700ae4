#include "app/xpcs/stages/analysis.hpp"

#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/xpcs/settings.hpp"
#include "app/xpcs/stages/writing.hpp"

namespace lockstep::app {
namespace {

XpcsRequest with_output(XpcsRequest request) {
    if (request.run.output.empty()) {
        request.run.output = request.run.input.stem().string() + "-results";
    }
    return request;
}

constexpr double minutes_between_checkpoints = 5;

double checkpoint_seconds(const RunRequest& run) {
    return 60 * run.checkpoints.minutes.value_or(minutes_between_checkpoints);
}

std::string no_draws_note(const xpcs::SampleResult& draws) {
    if (draws.predicted_seconds == 0) {
        return "the posterior was stopped before it had draws; --resume goes on";
    }
    return fmt::format(
        "the posterior would take about {}, more than --time-limit allows: it was not drawn; a "
        "longer limit, or more ranks and threads, draw it, and --shards K draws shards of the data",
        duration(draws.predicted_seconds));
}

}  // namespace

Analysis::Analysis(const XpcsRequest& request,
                   const Load& load,
                   comm::Communicator& ranks,
                   Observer& observer,
                   Files files)
    : request_(with_output(request)),
      files_(files),
      job_(request_.run, "xpcs", ranks, observer),
      bridge_(job_, checkpoint_seconds(request_.run)),
      started_at_(job_.record().started_at) {
    job_.read_input([&](Problems&) {
        dataset_ = load(request_, job_.team());
        return dataset_.input_digest;
    });
    job_.place_in_node_memory([&](runtime::Team&) { return dataset_.borrowed_bytes; });
}

void Analysis::start() {
    if (files_ == Files::none) {
        job_.work_without_output();
    } else {
        job_.claim_output(
            {job_.output()}, part_names(request_.work), [&] { clear_results(job_.output()); });
    }
    job_.start(facts());
    tell(dataset_.notes);
}

RunFacts Analysis::facts() const {
    const auto& measurement = dataset_.measurement();
    const auto& fitting = dataset_.fitting;
    RunFacts facts;
    facts.name = request_.run.input.filename().string();
    facts.headline = fmt::format("{}, {}, {} pairs, {}, {} scaling",
                                 plural(measurement.angles(), "angle"),
                                 plural(measurement.frames, "frame"),
                                 count(static_cast<std::int64_t>(measurement.c2.size())),
                                 name_of(fitting.motion),
                                 name_of(fitting.scale.mode));
    facts.details = io::Json::Object{{"angles", measurement.angles()},
                                     {"frames", measurement.frames},
                                     {"mode", name_of(fitting.motion)},
                                     {"q", measurement.q},
                                     {"dt", measurement.dt}};
    return facts;
}

void Analysis::tell(const std::vector<std::string>& notes) {
    for (const auto& note : notes) {
        job_.observer().on_notice(Notice::news, note);
    }
}

void Analysis::fit() {
    fitted_ = fit_dataset(request_, dataset_, job_, bridge_);
    tell(fitted_.notes);
    job_.add_part(part_of(fitted_, request_.summary_format));
    const auto& record = fitted_.record;
    job_.tell(PhaseEnd{"fit",
                       fmt::format("{} in {}, {}",
                                   plural(record.iterations, "iteration"),
                                   duration(record.seconds),
                                   record.ending)});
    if (fitted_.ended_early) {
        job_.note_early_end();
    }
}

bool Analysis::is_to_sample() const {
    return request_.work != XpcsWork::fit && !job_.has_ended_early();
}

void Analysis::sample() {
    auto sampled = sample_dataset(request_, dataset_, fitted_, job_, bridge_);
    if (!sampled.has_draws()) {
        tell({no_draws_note(sampled.draws)});
        if (sampled.draws.predicted_seconds == 0) {
            job_.note_early_end();
        }
        return;
    }
    if (sampled.draws.predicted_seconds > 0) {
        tell(
            {fmt::format("the posterior of all data would take about {}, more than --time-limit "
                         "allows: drawn are shards, combined",
                         duration(sampled.draws.predicted_seconds))});
    }
    sampled_ = std::move(sampled);
    job_.add_part(part_of(*sampled_));
    const auto& draws = sampled_->draws;
    job_.tell(PhaseEnd{"posterior",
                       fmt::format("{} draws by {} in {}",
                                   count(std::int64_t{draws.chains} * draws.draws),
                                   sampled_->record.method,
                                   duration(sampled_->record.seconds))});
    if (!draws.is_complete) {
        tell({"the posterior was stopped; --resume goes on, with the same bits"});
        job_.note_early_end();
    }
}

void Analysis::write_fit() const {
    write_fit_files(request_, job_.output(), dataset_, fitted_, started_at_);
}

bool Analysis::is_cache_wanted() const {
    return request_.data_file.empty() && formats::homodyne::is_cache_wanted(dataset_.configuration);
}

void Analysis::write_cache() const {
    formats::homodyne::write_cache(dataset_.configuration, dataset_.loaded);
}

void Analysis::write_posterior() const {
    write_posterior_files(job_.output(), dataset_, *sampled_, started_at_);
}

XpcsOutcome Analysis::finish() {
    XpcsOutcome outcome{job_.finish(), std::move(fitted_.record), {}, {}};
    if (sampled_) {
        outcome.posterior = std::move(sampled_->record);
        outcome.draws = std::move(sampled_->draws);
    }
    return outcome;
}

}  // namespace lockstep::app
