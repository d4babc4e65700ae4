#include "lockstep/app/rl/options.hpp"

#include <string>

#include "lockstep/app/run_options.hpp"

namespace lockstep::app {

namespace {

using Text = std::string_view;
using Type = Option::Type;

constexpr Text criterion_group = "What a policy is worth";

OptionTable<SolveRequest> of_solve(const OptionTable<RunRequest>& table) {
    return options_of_part<SolveRequest>(table,
                                         [](SolveRequest& r) -> RunRequest& { return r.run; });
}

OptionTable<TrainRequest> of_train(const OptionTable<RunRequest>& table) {
    return options_of_part<TrainRequest>(table,
                                         [](TrainRequest& r) -> RunRequest& { return r.run; });
}

OptionTable<SolveRequest> criterion_options() {
    using S = SolveRequest;
    return {{{.name = "gamma",
              .aliases = {"discount_factor"},
              .group = criterion_group,
              .value = "G",
              .about = "Discount of a step, 0 to 1",
              .fallback = "as the model file says, else 0.99; 1 with a horizon",
              .type = Type::real},
             [](S& s, Text text) { s.gamma = real_of(text); }},
            {{.name = "horizon",
              .group = criterion_group,
              .value = "N",
              .about = "The next N steps alone; decisions may depend on the step",
              .type = Type::whole,
              .unit = "steps",
              .least = 1,
              .most = 1e9},
             [](S& s, Text text) {
                 s.options.criterion = rl::Criterion::horizon;
                 s.options.horizon = static_cast<int>(whole_of(text));
             }},
            {{.name = "average",
              .group = criterion_group,
              .about = "Reward a step in the long run; an episode that ends begins anew",
              .type = Type::flag,
              .excludes = "horizon"},
             [](S& s, Text text) {
                 if (text == "true") {
                     s.options.criterion = rl::Criterion::average;
                 }
             }}};
}

}  // namespace

OptionTable<RunRequest> environment_settings() {
    return setting_options(
        "Change a value of the environment; may be repeated, the last of a key counts");
}

OptionTable<SolveRequest> solve_options() {
    using S = SolveRequest;
    auto table = of_solve(environment_settings());
    append(table, criterion_options());
    append(table,
           {{{.name = "method",
              .value = "NAME",
              .about = "How values are found",
              .fallback = "automatic",
              .type = Type::choice,
              .choices = solve_method_names()},
             [](S& s, Text text) { s.options.method = solve_method(text); }},
            {{.name = "tolerance",
              .value = "T",
              .about = "Half the distance of the bounds in every state",
              .fallback = "1e-9",
              .type = Type::real},
             [](S& s, Text text) { s.options.tolerance = real_of(text); }},
            {{.name = "max_sweeps",
              .value = "N",
              .about = "Most sweeps",
              .fallback = "1000000",
              .type = Type::whole},
             [](S& s, Text text) {
                 s.options.max_sweeps = static_cast<decltype(s.options.max_sweeps)>(whole_of(text));
             }},
            {{.name = "tie_tolerance",
              .value = "T",
              .about = "Actions within this share of a state's value count as best",
              .fallback = "1e-9",
              .type = Type::real},
             [](S& s, Text text) { s.options.tie_tolerance = real_of(text); }}});
    append(table, of_solve(output_options("ENV-solution")));
    append(table, of_solve(rank_options()));
    return table;
}

OptionTable<TrainRequest> train_request_options() {
    auto table = of_train(environment_settings());
    for (const auto& option : train_options()) {
        table.push_back({option, [name = std::string(option.name)](TrainRequest& r, Text text) {
                             r.options.emplace_back(name, text);
                         }});
    }
    append(table, of_train(output_options("ENV-training")));
    append(table, of_train(resume_option()));
    append(table, of_train(rank_options()));
    return table;
}

OptionTable<EvaluateRequest> evaluate_options() {
    using E = EvaluateRequest;
    return {{{.name = "episodes",
              .value = "N",
              .about = "Episodes to play",
              .fallback = "0 where the model is known, else 10000",
              .type = Type::whole,
              .least = 0,
              .most = 1e9,
              .letter = 'n'},
             [](E& e, Text text) { e.episodes = whole_of(text); }},
            {{.name = "against",
              .value = "WHO",
              .about = "Of games: random, optimal (who gains most against it), or the output "
                       "directory of another training",
              .fallback = "random and optimal"},
             [](E& e, Text text) { e.against = text; }},
            {{.name = "exact_values",
              .value = "WHEN",
              .about = "Optimal values to judge by: auto, where they take a short time; always; "
                       "never",
              .fallback = "auto",
              .type = Type::choice,
              .choices = {"auto", "always", "never"}},
             [](E& e, Text text) { e.exact_values = *exact_values(text); }},
            {{.name = "seed",
              .value = "N",
              .about = "Of the episodes",
              .fallback = "1",
              .type = Type::whole,
              .least = 0},
             [](E& e, Text text) { e.seed = static_cast<std::uint64_t>(whole_of(text)); }},
            {threads_record("Threads"),
             [](E& e, Text text) { e.threads = static_cast<int>(whole_of(text)); }}};
}

}  // namespace lockstep::app
