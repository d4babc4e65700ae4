#include "lockstep/app/run_options.hpp"

#include <string>

#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"

namespace lockstep::app {

namespace {

using Text = std::string_view;
using R = RunRequest;
using Type = Option::Type;

constexpr Text checkpoint_group = "Checkpoints, in OUTPUT/checkpoints";
constexpr Text rank_group = "Several ranks (mpirun, srun or 'lockstep launch' start them)";

BoundOption<R> resume() {
    return {{.name = "resume",
             .group = checkpoint_group,
             .about = "Go on from the newest whole checkpoint",
             .type = Type::flag,
             .variable = "LOCKSTEP_RESUME"},
            [](R& r, Text text) { r.resume = text == "true"; }};
}

BoundOption<R> checkpoint_minutes(Text about, Text fallback) {
    return {{.name = "checkpoint_minutes",
             .group = checkpoint_group,
             .value = "M",
             .about = about,
             .fallback = fallback,
             .type = Type::real,
             .unit = "minutes",
             .least = 0.001,
             .most = 1e6},
            [](R& r, Text text) { r.checkpoints.minutes = real_of(text); }};
}

}  // namespace

std::int64_t whole_of(Text text) {
    if (const auto value = parse_number<std::int64_t>(text)) {
        return *value;
    }
    return static_cast<std::int64_t>(real_of(text));  // "1e6"
}

double real_of(Text text) {
    const auto value = parse_number<double>(text);
    if (!value) {
        throw AssertionError("real_of: \"" + std::string(text) + "\" is no number");
    }
    return *value;
}

formats::Setting setting_of(Text text) {
    const auto equals = text.find('=');
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Option threads_record(Text about) {
    return {.name = "threads",
            .value = "N",
            .about = about,
            .fallback = "all usable CPUs",
            .type = Type::whole,
            .least = 1,
            .most = 4096,
            .letter = 't',
            .variable = "OMP_NUM_THREADS"};
}

OptionTable<R> output_options(Text output) {
    return {{{.name = "output",
              .value = "DIR",
              .about = "Where results go",
              .fallback = output,
              .type = Type::place,
              .letter = 'o'},
             [](R& r, Text text) { r.output = text; }},
            {threads_record("Threads of a rank"),
             [](R& r, Text text) { r.threads = static_cast<int>(whole_of(text)); }},
            {{.name = "metrics",
              .value = "FILE",
              .about = "Figures of the last step, for Prometheus",
              .type = Type::place},
             [](R& r, Text text) { r.metrics = text; }}};
}

OptionTable<R> setting_options(Text about) {
    return {{{.name = "set",
              .value = "KEY=VALUE",
              .about = about,
              .type = Type::pair,
              .is_repeated = true},
             [](R& r, Text text) { r.settings.push_back(setting_of(text)); }}};
}

OptionTable<R> rank_options() {
    return {{{.name = "backend",
              .group = rank_group,
              .value = "NAME",
              .about = "How ranks talk: local, shm, tcp or mpi",
              .fallback = "found out",
              .type = Type::text},
             [](R& r, Text text) { r.backend = text; }},
            {{.name = "on_failure",
              .group = rank_group,
              .value = "WISH",
              .about = "When a rank is lost: continue with the others, where the backend can, or "
                       "abort",
              .fallback = "continue",
              .type = Type::choice,
              .choices = {"continue", "abort"},
              .variable = "LOCKSTEP_ON_FAILURE"},
             [](R& r, Text text) {
                 r.on_loss = text == "continue" ? OnLoss::carry_on : OnLoss::abort;
             }}};
}

OptionTable<R> resume_option() {
    return {resume()};
}

OptionTable<R> resume_options(Text usual_minutes) {
    return {resume(), checkpoint_minutes("So often, and at an interruption", usual_minutes)};
}

OptionTable<R> checkpoint_options() {
    return {resume(),
            {{.name = "checkpoint_every",
              .group = checkpoint_group,
              .value = "N",
              .about = "After every so many iterations; 0: none",
              .fallback = "as the input says: none",
              .type = Type::whole,
              .unit = "iterations",
              .least = 0,
              .most = 1e9},
             [](R& r, Text text) { r.checkpoints.iterations = static_cast<int>(whole_of(text)); }},
            checkpoint_minutes("And whenever the last is so long ago", "")};
}

}  // namespace lockstep::app
