#include "app/rl/subject.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/formats/mdp/model_file.hpp"

namespace lockstep::app {
namespace {

formats::rl::EnvironmentRecord record_of(const std::string& name,
                                         const std::vector<formats::Setting>& options,
                                         const rl::AnyEnvironment& environment) {
    return rl::with_environment(environment, [&](const auto& rules) {
        return formats::rl::EnvironmentRecord{
            name, options, "", rules.describe(), rules.states(), rules.actions()};
    });
}

Digest digest_of(const formats::rl::EnvironmentRecord& record) {
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

Subject read_model_file(const std::filesystem::path& path,
                        const std::vector<formats::Setting>& options) {
    if (!options.empty()) {
        throw InputError(fmt::format(
            "{}: a model file takes no parameter \"{}\"", path.string(), options.front().first));
    }
    Problems problems;
    auto file = formats::mdp::read_model(path, problems);
    problems.throw_if_errors(path.string() + " is no model that can be used");
    const auto digest = digest_of(*file);
    const auto name = path.stem().string();
    const rl::AnyEnvironment environment = rl::TimeLimit<rl::ModelEnvironment>(
        rl::ModelEnvironment(std::move(file->model), name), file->time_limit.value_or(0));
    auto record = record_of(name, {}, environment);
    record.file = path.string();
    return {environment, std::move(record), digest, file->gamma};
}

}  // namespace

Subject read_subject(const std::string& input, const std::vector<formats::Setting>& options) {
    if (formats::mdp::is_model_file(input)) {
        return read_model_file(input, options);
    }
    const auto& entry = rl::environment_entry(input);
    auto environment =
        rl::make_environment(entry.name, rl::EnvironmentOptions(options.begin(), options.end()));
    auto record = record_of(std::string(entry.name), options, environment);
    const auto digest = digest_of(record);
    return {std::move(environment), std::move(record), digest, {}};
}

Subject subject_of(const formats::rl::EnvironmentRecord& record) {
    return read_subject(record.file.empty() ? record.name : record.file, record.options);
}

rl::Model model_of(const Subject& subject) {
    auto model =
        rl::with_environment(subject.environment, [](const auto& rules) { return rules.model(); });
    if (!model) {
        throw ModelError(
            fmt::format("{}: a part of its state is hidden, so it has no exact "
                        "solution; 'lockstep rl train' learns from play alone",
                        subject.record.rules));
    }
    return *std::move(model);
}

}  // namespace lockstep::app
