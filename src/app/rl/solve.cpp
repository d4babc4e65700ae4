#include "lockstep/app/rl/solve.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "app/job/job.hpp"
#include "app/job/stale.hpp"
#include "app/rl/methods.hpp"
#include "app/rl/output_place.hpp"
#include "app/rl/start_value.hpp"
#include "app/rl/subject.hpp"

namespace lockstep::app {
namespace {

using formats::rl::SolutionRecord;
constexpr auto part_name = "solution";

/// From the solver to the job.
class Bridge final : public rl::SolveObserver {
public:
    explicit Bridge(Job& job) : job_(job) {}

    void on_sweep(const rl::SweepReport& report) override {
        if (clock_.seconds() < told_ + shortest_interval_s) {
            return;
        }
        told_ = clock_.seconds();
        Progress progress;
        progress.phase = "solving";
        progress.step = "sweep";
        progress.done = report.sweeps;
        progress.seconds = told_;
        progress.figures = {
            {"half_width", report.half_width, "", "", "Half the distance of the proven bounds"},
            {"change", report.change, "", "", "Largest change of a value in the sweep"}};
        job_.tell(progress);
    }
    bool stop_requested() override { return job_.stop_requested(); }

private:
    static constexpr double shortest_interval_s = 0.2;
    Job& job_;
    Stopwatch clock_;
    double told_ = 0;
};

// What the command line says, then the model file, then the usual.
double discount_factor(const SolveRequest& request, const Subject& subject) {
    const auto criterion = request.options.criterion;
    const auto usual = criterion == rl::Criterion::total ? 0.99 : 1.0;
    const bool has_discount = criterion != rl::Criterion::average;
    const auto of_file = has_discount && subject.file ? subject.file->gamma : std::nullopt;
    return request.gamma.value_or(of_file.value_or(usual));
}

rl::Model known_model(const Subject& subject) {
    auto model = model_of(subject);
    if (!model) {
        throw ModelError(fmt::format(
            "{}: a part of its state is hidden, or two players move, so it has no exact "
            "solution; 'lockstep rl train' learns from play alone",
            subject.record.rules));
    }
    return *std::move(model);
}

bool is_same(const rl::Outcome& a, const rl::Outcome& b) {
    return a.probability == b.probability && a.next == b.next && a.reward == b.reward &&
           a.terminated == b.terminated;
}

// Where all legal actions do the same, as after the end of an episode, there is nothing to choose.
bool has_choice(const rl::Model& model, int s) {
    std::span<const rl::Outcome> first;
    for (int a = 0; a < model.actions(); ++a) {
        const auto outcomes = model.outcomes(s, a);
        if (first.empty()) {
            first = outcomes;
        } else if (!outcomes.empty() && !std::ranges::equal(first, outcomes, is_same)) {
            return true;
        }
    }
    return false;
}

void count_ties(SolutionRecord& record, const rl::Model& model, const rl::Solution& solution) {
    const auto actions = std::ptrdiff_t{model.actions()};
    for (int s = 0; s < model.states(); ++s) {
        const auto row = solution.optimal.begin() + s * actions;
        const bool is_choice = has_choice(model, s);
        record.choices += is_choice ? 1 : 0;
        record.ties += is_choice && std::count(row, row + actions, 1) > 1 ? 1 : 0;
    }
}

SolutionRecord record_of(const Subject& subject,
                         const rl::SolveOptions& options,
                         const rl::Model& model,
                         const rl::Solution& solution) {
    SolutionRecord record;
    record.environment = subject.record;
    record.criterion = to_string(options.criterion);
    record.method = to_string(options.method);
    record.discount_factor = options.gamma;
    record.horizon = options.criterion == rl::Criterion::horizon ? options.horizon : 0;
    record.tolerance = options.tolerance;
    record.tie_tolerance = options.tie_tolerance;
    record.ending = rl::to_string(solution.ending);
    record.sweeps = solution.sweeps;
    record.half_width = solution.half_width;
    record.start = start_value(model.starts(), solution);
    record.undefined = std::ssize(solution.undefined);
    record.digest = lockstep::to_string(formats::rl::digest_of(solution));
    count_ties(record, model, solution);
    return record;
}

RunFacts facts_of(const Subject& subject, const rl::SolveOptions& options) {
    RunFacts facts;
    facts.name = subject.record.name;
    facts.headline = fmt::format(
        "{}, {}", plural(subject.record.states, "state"), plural(subject.record.actions, "action"));
    facts.details = io::Json::Object{{"states", subject.record.states},
                                     {"actions", subject.record.actions},
                                     {"criterion", to_string(options.criterion)},
                                     {"method", to_string(options.method)},
                                     {"discount_factor", options.gamma},
                                     {"tolerance", options.tolerance}};
    return facts;
}

void clear(const std::filesystem::path& output) {
    remove_stale(output / "report.html");
    for (const auto* file : formats::rl::solution_files) {
        remove_stale(output / file);
    }
}

PhaseEnd end_of(const SolutionRecord& record) {
    return {"solving",
            fmt::format("{} in {}, ended by {}",
                        plural(record.sweeps, "sweep"),
                        duration(record.seconds),
                        ending_words(record.ending))};
}

}  // namespace

SolveOutcome solve_process(const SolveRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer) {
    auto options = request.options;
    options.gamma = request.gamma.value_or(1);
    options.validate();
    const auto run = with_output(request.run, part_name);
    Job job(run, "rl", ranks, observer);
    std::optional<Subject> subject;
    job.read_input([&](Problems& problems) {
        subject = read_subject(run.input.string(), run.settings, problems);
        return subject->digest;
    });
    options.gamma = discount_factor(request, *subject);
    SolveOutcome outcome;
    auto& record = outcome.record;
    std::optional<rl::Model> model;
    job.on_root([&] { model = known_model(*subject); });
    job.claim_output({job.output() / part_name}, {part_name}, [&] { clear(job.output()); });
    job.start(facts_of(*subject, options));
    std::int32_t is_stopped = 0;
    job.on_root([&] {
        const Stopwatch clock;
        Bridge bridge(job);
        const auto solution = rl::solve(*model, options, job.team().threads, bridge);
        record = record_of(*subject, options, *model, solution);
        record.seconds = clock.seconds();
        formats::rl::write_solution(job.output(), record, solution, names_of(*subject));
        is_stopped = solution.ending == rl::Ending::stopped ? 1 : 0;
        job.tell(end_of(record));
    });
    job.section([&] { is_stopped = ranks.allreduce(is_stopped, comm::ReduceOp::max); });
    if (is_stopped != 0) {
        job.note_early_end();
    }
    job.section([&] { share(ranks, record.digest); });
    job.add_part({part_name, record.digest, is_stopped == 0, {part_name}});
    outcome.run = job.finish();
    return outcome;
}

}  // namespace lockstep::app
