#include "app/rl/subject.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_rows.hpp"

#include "app/rl/games/opponent.hpp"

namespace lockstep::app {
namespace {

using formats::rl::EnvironmentRecord;

constexpr int most_actions_to_play = 64;

EnvironmentRecord record_of(const std::string& name,
                            const std::vector<formats::Setting>& options,
                            const rl::AnyEnvironment& environment) {
    return rl::with_environment(environment, [&](const auto& rules) {
        return EnvironmentRecord{
            name, options, "", rules.describe(), rules.states(), rules.actions()};
    });
}

Digest digest_of(const EnvironmentRecord& record) {
    DigestBuilder builder;
    builder.add(std::string_view(record.name));
    for (const auto& [name, value] : record.options) {
        builder.add(std::string_view(name));
        builder.add(std::string_view(value));
    }
    return builder.digest();
}

Digest digest_of(const formats::mdp::ModelFile& file) {
    DigestBuilder builder;
    builder.add(file.model.states());
    builder.add(file.model.actions());
    builder.add(file.time_limit.value_or(0));
    for (int s = 0; s < file.model.states(); ++s) {
        for (int a = 0; a < file.model.actions(); ++a) {
            builder.add(file.model.outcomes(s, a).size());
            for (const rl::Outcome& outcome : file.model.outcomes(s, a)) {
                builder.add(outcome.probability);
                builder.add(outcome.next);
                builder.add(outcome.reward);
                builder.add(outcome.terminated);
            }
        }
    }
    for (const rl::Start& start : file.model.starts()) {
        builder.add(start.state);
        builder.add(start.probability);
    }
    return builder.digest();
}

// What is said on a command line counts more than what a file says before.
std::vector<formats::Setting> last_of_each(const std::vector<formats::Setting>& options) {
    std::vector<formats::Setting> kept;
    for (const auto& [name, value] : options) {
        const auto same = std::ranges::find(kept, name, &formats::Setting::first);
        if (same == kept.end()) {
            kept.emplace_back(name, value);
        } else {
            same->second = value;
        }
    }
    return kept;
}

// Who answers in the game: a training's directory, or nothing where the registry knows the name.
std::optional<std::string> trained_opponent(std::string_view environment,
                                            const rl::EnvironmentOptions& options) {
    const auto found = options.find("opponent");
    if (environment != "tictactoe" || found == options.end() || found->second == "random") {
        return std::nullopt;
    }
    return found->second;
}

// Whoever else has learned to answer there makes it another environment.
Subject game_against(const std::string& opponent,
                     const std::string& name,
                     const std::vector<formats::Setting>& options) {
    rl::EnvironmentOptions others(options.begin(), options.end());
    others.erase("opponent");
    const auto game = std::get<rl::TimeLimit<rl::TicTacToe>>(rl::make_environment(name, others));
    const auto moves = moves_of_training(opponent);
    rl::AnyEnvironment environment = rl::TimeLimit<rl::TicTacToeOpponent>(
        rl::TicTacToeOpponent(moves, opponent), game.max_steps());
    auto record = record_of(name, options, environment);
    DigestBuilder content;
    content.add(moves);
    DigestBuilder all;
    all.add(std::string_view(to_string(digest_of(record))));
    all.add(moves);
    return {std::move(record),
            all.digest(),
            to_string(content.digest()),
            std::move(environment),
            nullptr};
}

Subject named_subject(const std::string& name, const std::vector<formats::Setting>& options) {
    const auto& entry = rl::environment_entry(name);
    const rl::EnvironmentOptions given(options.begin(), options.end());
    if (const auto opponent = trained_opponent(entry.name, given)) {
        return game_against(*opponent, std::string(entry.name), options);
    }
    auto environment = rl::make_environment(entry.name, given);
    auto record = record_of(std::string(entry.name), options, environment);
    const auto digest = digest_of(record);
    return {std::move(record), digest, "", std::move(environment), nullptr};
}

void refuse_parameters(const std::string& file, const std::vector<formats::Setting>& options) {
    if (!options.empty()) {
        throw InputError(fmt::format("{}: a model file takes no parameter \"{}\": change the file",
                                     file,
                                     options.front().first));
    }
}

Subject file_subject(const std::string& path, Problems& problems) {
    auto file = formats::mdp::read_model(path, problems);
    if (!file) {
        return {};
    }
    return model_subject(*std::move(file), std::filesystem::path(path).stem().string(), path);
}

KnownProcess of_model(std::shared_ptr<const rl::Model> model) {
    auto rows = std::make_unique<rl::ModelRows>(*model);
    std::vector<rl::Start> starts(model->starts().begin(), model->starts().end());
    return {std::move(model), std::move(rows), std::move(starts)};
}

[[noreturn]] void refuse_hidden(const Subject& subject) {
    throw ModelError(
        fmt::format("{}: a part of its state is hidden, or two players move, so it has no exact "
                    "solution; 'lockstep rl train' learns from play alone",
                    subject.record.rules));
}

}  // namespace

Subject read_subject(const std::string& input,
                     const std::vector<formats::Setting>& options,
                     Problems& problems) {
    if (!formats::mdp::is_model_file(input)) {
        return named_subject(input, last_of_each(options));
    }
    refuse_parameters(input, options);
    return file_subject(input, problems);
}

Subject model_subject(formats::mdp::ModelFile file,
                      const std::string& name,
                      const std::string& path) {
    Subject subject;
    const auto& model = file.model;
    subject.record = {
        name, {}, path, fmt::format("model of {}", path), model.states(), model.actions()};
    subject.digest = digest_of(file);
    subject.content = to_string(subject.digest);
    if (model.actions() <= most_actions_to_play) {
        subject.environment = rl::TimeLimit<rl::ModelEnvironment>(rl::ModelEnvironment(model, name),
                                                                  file.time_limit.value_or(0));
        subject.record = record_of(name, {}, *subject.environment);
        subject.record.file = path;
    }
    subject.file = std::make_shared<const formats::mdp::ModelFile>(std::move(file));
    return subject;
}

Subject subject_of(const EnvironmentRecord& record) {
    Problems problems;
    auto subject =
        read_subject(record.file.empty() ? record.name : record.file, record.options, problems);
    problems.throw_if_errors(record.file);
    return subject;
}

formats::rl::Names names_of(const Subject& subject) {
    if (!subject.file) {
        return {};
    }
    return {subject.file->state_names, subject.file->action_names};
}

const rl::AnyEnvironment& environment_of(const Subject& subject) {
    if (!subject.environment) {
        throw InputError(
            fmt::format("{} has {} actions: at most {} can be learned, but 'lockstep "
                        "rl solve' takes any number",
                        subject.record.name,
                        subject.record.actions,
                        most_actions_to_play));
    }
    return *subject.environment;
}

std::optional<rl::Model> model_of(const Subject& subject) {
    if (subject.file) {
        return subject.file->model;
    }
    return rl::with_environment(*subject.environment,
                                [](const auto& rules) { return rules.model(); });
}

bool computes_rows(const Subject& subject) {
    return !subject.file && rl::with_environment(*subject.environment, [](const auto& limited) {
        return rl::Generated<std::decay_t<decltype(limited.rules())>>;
    });
}

KnownProcess known_process(const Subject& subject) {
    if (subject.file) {
        return of_model({subject.file, &subject.file->model});
    }
    return rl::with_environment(*subject.environment, [&](const auto& limited) -> KnownProcess {
        const auto& rules = limited.rules();
        using Rules = std::decay_t<decltype(rules)>;
        if constexpr (rl::Generated<Rules>) {
            return {nullptr, std::make_unique<rl::GeneratedRows<Rules>>(rules), rules.starts()};
        } else {
            auto model = rules.model();
            if (!model) {
                refuse_hidden(subject);
            }
            return of_model(std::make_shared<const rl::Model>(*std::move(model)));
        }
    });
}

}  // namespace lockstep::app
