#include "use_cases.hpp"

#include <algorithm>
#include <memory>

#include "lockstep/app/rl/options.hpp"
#include "lockstep/app/run_options.hpp"
#include "lockstep/app/sddp/options.hpp"
#include "lockstep/app/xpcs/options.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/rl/solution.hpp"
#include "lockstep/formats/rl/training.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/io/json.hpp"

#include "filling.hpp"

namespace lockstep::python {

namespace {

std::vector<std::string>& command_of_program() {
    static std::vector<std::string> words;
    return words;
}

// What a request is before ranks meet.
template <typename Request>
Request prepared(Request request) {
    return request;
}
app::TrainRequest prepared(app::TrainRequest request) {
    return app::with_configuration(std::move(request));
}

template <typename Request>
std::vector<app::Option> records(const app::OptionTable<Request>& table) {
    std::vector<app::Option> options;
    for (const auto& row : table) {
        options.push_back(row.option);
    }
    return options;
}

/// From options to an end: `run` of a request with its ranks.
template <typename Request, typename GetRun, typename Run>
UseCase bound(std::string_view name, app::OptionTable<Request> table, GetRun run_of, Run run) {
    auto options = records(table);
    return {name,
            std::move(options),
            [table = std::move(table), run_of, run](const std::string& input,
                                                    const Given& given,
                                                    const Meet& meet,
                                                    app::Observer& observer) {
                Request request;
                run_of(request).input = input;
                fill(table, request, given);
                request = prepared(std::move(request));
                const auto ranks = meet(run_of(request).backend);
                return run(std::move(request), *ranks, observer);
            }};
}

template <typename Outcome>
Ended ended(const Outcome& outcome, const io::Json& summary) {
    return {io::to_text(summary), outcome.run.output.string(), outcome.run.signal};
}

UseCase run_case() {
    return bound<app::CaseRequest>(
        "sddp.run",
        app::run_case_options(),
        [](auto& request) -> app::RunRequest& { return request.run; },
        [](app::CaseRequest request, comm::Communicator& ranks, app::Observer& observer) {
            const auto outcome = app::run_case(request, ranks, observer);
            return ended(outcome, to_json(outcome.summary));
        });
}

UseCase simulate_case() {
    return bound<app::SimulateRequest>(
        "sddp.simulate",
        app::simulate_case_options(),
        [](auto& request) -> app::RunRequest& { return request.of.run; },
        [](app::SimulateRequest request, comm::Communicator& ranks, app::Observer& observer) {
            const auto outcome = app::simulate_case(request, ranks, observer);
            return ended(outcome, to_json(outcome.summary));
        });
}

UseCase analyse(std::string_view name, app::XpcsWork work) {
    return bound<app::XpcsRequest>(
        name,
        app::xpcs_run_options(work),
        [](auto& request) -> app::RunRequest& { return request.run; },
        [work](app::XpcsRequest request, comm::Communicator& ranks, app::Observer& observer) {
            request.work = work;
            request.program = own_command();
            const auto outcome = app::analyse_measurement(request, ranks, observer);
            io::Json summary = io::Json::object();
            summary.set("fit", to_json(outcome.fit));
            summary.set("posterior", outcome.posterior ? to_json(*outcome.posterior) : io::Json());
            return ended(outcome, summary);
        });
}

UseCase train() {
    return bound<app::TrainRequest>(
        "rl.train",
        app::train_request_options(),
        [](auto& request) -> app::RunRequest& { return request.run; },
        [](app::TrainRequest request, comm::Communicator& ranks, app::Observer& observer) {
            const auto outcome = app::train_process(request, ranks, observer);
            return ended(outcome, to_json(outcome.record));
        });
}

UseCase solve() {
    return bound<app::SolveRequest>(
        "rl.solve",
        app::solve_options(),
        [](auto& request) -> app::RunRequest& { return request.run; },
        [](app::SolveRequest request, comm::Communicator& ranks, app::Observer& observer) {
            const auto outcome = app::solve_process(request, ranks, observer);
            return ended(outcome, to_json(outcome.record));
        });
}

UseCase evaluate() {
    return {"rl.evaluate",
            records(app::evaluate_options()),
            [](const std::string& input, const Given& given, const Meet&, app::Observer&) {
                static const auto table = app::evaluate_options();
                app::EvaluateRequest request;
                request.run = input;
                fill(table, request, given);
                return Ended{io::to_text(to_json(app::evaluate_run(request))), input, 0};
            }};
}

const std::vector<UseCase>& use_cases() {
    static const std::vector<UseCase> all{run_case(),
                                          simulate_case(),
                                          analyse("xpcs.run", app::XpcsWork::both),
                                          analyse("xpcs.fit", app::XpcsWork::fit),
                                          analyse("xpcs.sample", app::XpcsWork::sample),
                                          train(),
                                          solve(),
                                          evaluate()};
    return all;
}

}  // namespace

const UseCase& use_case(std::string_view name) {
    const auto& all = use_cases();
    const auto found = std::ranges::find(all, name, &UseCase::name);
    if (found == all.end()) {
        throw InputError("there is no use case " + std::string(name));
    }
    return *found;
}

void set_own_command(std::vector<std::string> words) {
    command_of_program() = std::move(words);
}

const std::vector<std::string>& own_command() {
    return command_of_program();
}

std::vector<std::string_view> use_case_names() {
    std::vector<std::string_view> names;
    for (const auto& each : use_cases()) {
        names.push_back(each.name);
    }
    return names;
}

}  // namespace lockstep::python
