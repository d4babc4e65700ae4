#include "lockstep/app/rl/solve.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/job/job.hpp"
#include "app/job/stale.hpp"
#include "app/rl/output_place.hpp"
#include "app/rl/require_memory.hpp"
#include "app/rl/solve/arrangement.hpp"
#include "app/rl/solve/memory.hpp"
#include "app/rl/solve/methods.hpp"
#include "app/rl/solve/solution_record.hpp"
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
        if (job_.ranks().rank() > 0 || clock_.seconds() < told_ + shortest_interval_s) {
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

std::string why_alone(const rl::SolveOptions& options) {
    const auto* reason =
        options.criterion == rl::Criterion::average
            ? "the average needs walks over the whole process"
        : options.gamma == 1
            ? "gamma 1 needs walks over the whole process"
            : "policies of a process whose episodes end are evaluated by levels of groups of "
              "states, which ranks do not divide; --method gauss-seidel and value-iteration are "
              "divided";
    return fmt::format("the first rank solves alone: {}", reason);
}

PhaseEnd end_of(const SolutionRecord& record) {
    return {"solving",
            fmt::format("{} in {}, ended by {}",
                        plural(record.sweeps, "sweep"),
                        duration(record.seconds),
                        ending_words(record.ending))};
}

/// One call of solve_process: what the job does not know. Steps are collective.
class SolveRun {
public:
    SolveRun(const RunRequest& run,
             const SolveRequest& request,
             comm::Communicator& ranks,
             Observer& observer)
        : job_(run, "rl", ranks, observer), options_(request.options) {
        job_.read_input([&](Problems& problems) {
            subject_ = read_subject(run.input.string(), run.settings, problems);
            return subject_->digest;
        });
        options_.gamma = discount_factor(request, *subject_);
    }

    void arrange() {
        job_.section([&] {
            rl::RowFacts facts;
            comm::agree(job_.ranks(), [&] {
                if (job_.ranks().rank() == 0) {
                    require(least_memory_of_solving(*subject_), "fewer states");
                    facts = process().rows->facts(job_.team().threads);
                }
            });
            job_.ranks().broadcast(std::span(&facts, 1), 0);
            arrangement_ =
                arrangement_of(options_, facts, subject_->record.states, computes_rows(*subject_));
            require_memory_of(facts);
        });
        if (job_.ranks().size() > 1 && job_.ranks().rank() == 0 && !arrangement_.is_divisible) {
            job_.observer().on_notice(Notice::news, why_alone(arrangement_.options));
        }
    }

    void claim_output() {
        job_.claim_output({job_.output() / part_name}, {part_name}, [&] { clear(job_.output()); });
        job_.start(facts_of(*subject_, options_));
    }

    SolveOutcome solve() {
        const Stopwatch clock;
        Bridge bridge(job_);
        std::optional<rl::Solution> solution;
        job_.section([&] { solution = solve_divided(bridge); });
        SolveOutcome outcome;
        job_.on_root([&] {
            if (!solution) {
                solution = solve_alone(bridge);
            }
            outcome.record = record_of(*subject_, process(), options_, *solution);
            outcome.record.seconds = clock.seconds();
            write(outcome.record, *solution);
        });
        add_part(outcome.record);
        outcome.run = job_.finish();
        return outcome;
    }

private:
    // Ranks that do nothing need none, and a model may be large.
    const KnownProcess& process() {
        if (!process_) {
            process_ = known_process(*subject_);
        }
        return *process_;
    }

    void require(std::int64_t bytes, std::string_view remedy) const {
        require_memory("solving " + subject_->record.name, bytes, runtime::usable_memory(), remedy);
    }

    // Ranks of a node share its memory.
    void require_memory_of(const rl::RowFacts& facts) {
        const auto node = job_.ranks().split_local();
        const bool is_divided = arrangement_.is_divisible && job_.ranks().size() > 1;
        const int ranks = is_divided ? job_.ranks().size() : 1;
        const auto bytes = memory_of_solving(facts, subject_->record, arrangement_, ranks);
        comm::agree(job_.ranks(), [&] {
            if (is_divided || job_.ranks().rank() == 0) {
                require(is_divided ? bytes * node->size() : bytes, remedy());
            }
        });
    }

    [[nodiscard]] std::string remedy() const {
        std::string text = "fewer states";
        if (arrangement_.is_divisible) {
            text += ", or ranks on several machines, which divide the rows among them";
        }
        if (arrangement_.keeps_rows && computes_rows(*subject_)) {
            text +=
                ", or --method gauss-seidel or value-iteration, which compute rows of more "
                "than 1 GiB instead of keeping them";
        }
        return text;
    }

    /// Nothing where the first rank is to work alone.
    std::optional<rl::Solution> solve_divided(Bridge& bridge) {
        if (job_.ranks().size() == 1 || !arrangement_.is_divisible) {
            return std::nullopt;
        }
        comm::agree(job_.ranks(), [&] { process(); });
        return rl::solve(*process().rows, arrangement_.options, job_.team(), bridge);
    }

    rl::Solution solve_alone(Bridge& bridge) {
        auto& threads = job_.team().threads;
        const auto& [model, rows, starts] = process();
        if (arrangement_.keeps_rows) {
            const rl::RowTable table(*rows, threads);
            return rl::solve(table, starts, arrangement_.options, threads, bridge);
        }
        return rl::solve(*rows, starts, arrangement_.options, threads, bridge);
    }

    void write(const SolutionRecord& record, const rl::Solution& solution) {
        formats::rl::write_solution(job_.output(), record, solution, names_of(*subject_));
        job_.tell(end_of(record));
    }

    void add_part(SolutionRecord& record) {
        job_.section([&] {
            share(job_.ranks(), record.digest);
            share(job_.ranks(), record.ending);
        });
        const bool is_stopped = record.ending == rl::to_string(rl::Ending::stopped);
        if (is_stopped) {
            job_.note_early_end();
        }
        job_.add_part({part_name, record.digest, !is_stopped, {part_name}});
    }

    Job job_;
    rl::SolveOptions options_;
    std::optional<Subject> subject_;
    std::optional<KnownProcess> process_;
    Arrangement arrangement_;
};

}  // namespace

SolveOutcome solve_process(const SolveRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer) {
    auto options = request.options;
    options.gamma = request.gamma.value_or(1);
    options.validate();
    const auto run = with_output(request.run, part_name);
    SolveRun solving(run, request, ranks, observer);
    solving.arrange();
    solving.claim_output();
    return solving.solve();
}

}  // namespace lockstep::app
