#include "app/rl/subject.hpp"

#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

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

}  // namespace

Subject read_subject(const std::string& input, const std::vector<formats::Setting>& options) {
    const auto& entry = rl::environment_entry(input);
    auto environment =
        rl::make_environment(entry.name, rl::EnvironmentOptions(options.begin(), options.end()));
    auto record = record_of(std::string(entry.name), options, environment);
    const auto digest = digest_of(record);
    return {std::move(environment), std::move(record), digest};
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
