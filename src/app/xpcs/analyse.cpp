#include "lockstep/app/xpcs/analyse.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/io/file.hpp"

#include "app/job/job.hpp"
#include "app/job/stale.hpp"
#include "app/xpcs/bridge.hpp"
#include "app/xpcs/draws_file.hpp"
#include "app/xpcs/homodyne_files.hpp"
#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::FitRecord;
using formats::xpcs::PosteriorRecord;

constexpr auto fit_part = "fit";
constexpr auto posterior_part = "posterior";

RunRequest with_output(RunRequest request) {
    if (request.output.empty()) {
        request.output = request.input.stem().string() + "-results";
    }
    return request;
}

Digest digest_of(const xpcs::Measurement& measurement) {
    DigestBuilder builder;
    builder.add(measurement.q);
    builder.add(measurement.gap);
    builder.add(measurement.dt);
    builder.add(measurement.frames);
    builder.add(measurement.first_frame);
    builder.add(measurement.phi);
    builder.add(measurement.c2);
    builder.add(measurement.diagonal);
    return builder.digest();
}

/// One call of analyse_measurement(). Steps are collective.
class Analysis {
public:
    Analysis(const XpcsRequest& request,
             const RunRequest& run,
             comm::Communicator& ranks,
             Observer& observer)
        : request_(request),
          configuration_(configured(request)),
          job_(run, "xpcs", ranks, observer),
          bridge_(job_) {
        job_.read_input([&](Problems&) {
            loaded_ = formats::homodyne::load(configuration_);
            DigestBuilder builder;
            builder.add(std::string_view(io::read_file(run.input, io::largest_text)));
            for (const auto word : digest_of(loaded_.measurement)) {
                builder.add(word);
            }
            return builder.digest();
        });
        options_ = fit_options(request, configuration_, loaded_.measurement, notes_);
    }

    XpcsOutcome run() {
        job_.claim_output({job_.output()}, parts(), [&] { clear(); });
        job_.start(facts());
        tell_notes();
        fit();
        if (request_.work != XpcsWork::fit && !job_.has_ended_early()) {
            sample();
        }
        XpcsOutcome outcome{{}, fit_record_, posterior_record_};
        outcome.run = job_.finish();
        return outcome;
    }

private:
    [[nodiscard]] std::vector<std::string> parts() const {
        return request_.work == XpcsWork::fit ? std::vector<std::string>{fit_part}
                                              : std::vector<std::string>{fit_part, posterior_part};
    }

    void clear() const {
        for (const char* file : {"fit.json", "posterior.json", "posterior.npz", "report.html"}) {
            remove_stale(job_.output() / file);
        }
    }

    [[nodiscard]] RunFacts facts() const {
        const auto& measurement = loaded_.measurement;
        RunFacts facts;
        facts.name = request_.run.input.filename().string();
        facts.headline = fmt::format("{}, {}, {} pairs, {}, {} scaling",
                                     plural(measurement.angles(), "angle"),
                                     plural(measurement.frames, "frame"),
                                     count(static_cast<std::int64_t>(measurement.c2.size())),
                                     name_of(options_.motion),
                                     name_of(options_.scale.mode));
        facts.details = io::Json::Object{{"angles", measurement.angles()},
                                         {"frames", measurement.frames},
                                         {"mode", name_of(options_.motion)},
                                         {"q", measurement.q},
                                         {"dt", measurement.dt}};
        return facts;
    }

    void tell_notes() {
        for (const auto& note : configuration_.notes) {
            job_.observer().on_notice(Notice::news, fmt::format("{}: {}", note.field, note.text));
        }
        for (const auto& note : loaded_.selection.notes) {
            job_.observer().on_notice(Notice::news, note);
        }
        for (const auto& note : wishes_not_met(configuration_)) {
            job_.observer().on_notice(Notice::news, note);
        }
        for (const auto& note : notes_) {
            job_.observer().on_notice(Notice::news, note);
        }
    }

    void fit() {
        const Stopwatch watch;
        const auto& measurement = loaded_.measurement;
        fit_ = xpcs::fit(measurement, options_, job_.team(), &bridge_);
        bridge_.settle();
        const auto errors =
            xpcs::errors_of(measurement, options_, fit_, request_.errors, job_.team());
        fit_record_ = fit_record(measurement, options_, fit_, errors);
        fit_record_.history = bridge_.history();
        compare_with_individual();
        fit_record_.data = data_record(configuration_.data.file.string(), loaded_, fit_.pairs);
        fit_record_.seconds = watch.seconds();
        job_.on_root([&] {
            write_homodyne_fit(job_.output(), homodyne_run(), fit_, fit_record_);
            formats::xpcs::write_fit(job_.output(), fit_record_);
        });
        job_.add_part({fit_part,
                       fit_record_.digest,
                       fit_record_.is_converged,
                       {"fit.json", "homodyne_results.json", "nlsq"}});
        job_.tell(PhaseEnd{fit_part,
                           fmt::format("{} in {}, {}",
                                       plural(fit_record_.iterations, "iteration"),
                                       duration(fit_record_.seconds),
                                       fit_record_.ending)});
        if (fit_.minimum.stop == xpcs::nlsq::Stop::caller) {
            job_.note_early_end();
        }
    }

    [[nodiscard]] HomodyneRun homodyne_run() const {
        return {configuration_,
                loaded_,
                options_,
                job_.record().started_at,
                to_string(digest_of(loaded_.measurement))};
    }

    /// Shared scales are biased where angles differ: whoever asked for them is told.
    void compare_with_individual() {
        if (options_.scale.mode == xpcs::ScaleMode::individual ||
            loaded_.measurement.angles() < 2) {
            return;
        }
        auto options = options_;
        options.scale.mode = xpcs::ScaleMode::individual;
        options.start = fit_.physical;
        const auto individual = xpcs::fit(loaded_.measurement, options, job_.team());
        const auto errors =
            xpcs::errors_of(loaded_.measurement, options, individual, request_.errors, job_.team());
        fit_record_.individual = individual_record(fit_, individual, errors);
        if (fit_record_.individual->is_better) {
            job_.observer().on_notice(
                Notice::news,
                fmt::format("scales of their own for each angle lower chi squared by {} for {}: "
                            "the angles differ, and {} scaling biases the fit; both are told "
                            "(--scaling individual makes it the fit)",
                            digits(fit_record_.individual->chi_squared_drop),
                            plural(fit_record_.individual->more_parameters, "more value"),
                            name_of(options_.scale.mode)));
        }
    }

    void sample() {
        const Stopwatch watch;
        const auto sampling =
            sample_options(request_, configuration_, loaded_.measurement, options_, fit_);
        const auto drawn =
            xpcs::sample(loaded_.measurement, options_, fit_, sampling, job_.team(), &bridge_);
        bridge_.settle();
        posterior_record_ = posterior_record(options_, drawn);
        posterior_record_->data = fit_record_.data;
        if (request_.shards > 0 && drawn.is_complete) {
            compare_with_shards(sampling, drawn);
        }
        posterior_record_->seconds = watch.seconds();
        job_.on_root([&] {
            write_homodyne_samples(
                job_.output(), homodyne_run(), sampling, drawn, *posterior_record_);
            write_draws(job_.output() / "posterior.npz", drawn);
            formats::xpcs::write_posterior(job_.output(), *posterior_record_);
        });
        job_.add_part({posterior_part,
                       posterior_record_->digest,
                       drawn.is_complete,
                       {"posterior.json", "posterior.npz", "cmc"}});
        job_.tell(PhaseEnd{posterior_part,
                           fmt::format("{} draws by {} in {}",
                                       count(std::int64_t{drawn.chains} * drawn.draws),
                                       posterior_record_->method,
                                       duration(posterior_record_->seconds))});
        if (!drawn.is_complete) {
            job_.note_early_end();
        }
    }

    void compare_with_shards(const xpcs::SampleOptions& sampling, const xpcs::SampleResult& whole) {
        xpcs::ConsensusOptions how;
        how.shards = request_.shards;
        how.combination = request_.combination;
        const auto consensus = xpcs::consensus(
            loaded_.measurement, options_, fit_, sampling, how, job_.team(), &bridge_);
        posterior_record_->consensus = consensus_record(consensus, how.combination, whole);
    }

    const XpcsRequest& request_;
    formats::homodyne::Configuration configuration_;
    Job job_;
    XpcsBridge bridge_;
    formats::homodyne::Loaded loaded_;
    std::vector<std::string> notes_;
    xpcs::FitOptions options_;
    xpcs::FitResult fit_;
    FitRecord fit_record_;
    std::optional<PosteriorRecord> posterior_record_;
};

}  // namespace

XpcsOutcome analyse_measurement(const XpcsRequest& request,
                                comm::Communicator& ranks,
                                Observer& observer) {
    const auto run = with_output(request.run);
    return Analysis(request, run, ranks, observer).run();
}

}  // namespace lockstep::app
