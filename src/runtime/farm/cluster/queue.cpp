#include "runtime/farm/cluster/queue.hpp"

#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t longest_name = 64;
constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-";

void check_name(std::string_view option, const std::string& name) {
    if (name.size() > longest_name || name.starts_with('-') ||
        name.find_first_not_of(name_characters) != name.npos) {
        throw InputError(
            fmt::format("{} is \"{}\", must be letters, digits and _ . @ - (first: no -), {} at "
                        "most",
                        option,
                        name,
                        longest_name));
    }
}

void check_least(std::string_view option, long value, long least) {
    if (value < least) {
        throw InputError(fmt::format("{} is {}, must be {} or more", option, value, least));
    }
}

}  // namespace

void check_cluster(const ClusterOptions& options) {
    if (options.folder.empty()) {
        throw InputError(
            "folder of the cluster's tasks is empty, must name one that all machines "
            "see");
    }
    if (options.command.empty()) {
        throw InputError("command of the cluster's tasks is empty, must name a program");
    }
    if (options.name.empty()) {
        throw InputError("name of the cluster's jobs is empty");
    }
    check_name("name", options.name);
    check_name("account", options.account);
    check_name("queue", options.queue);
    check_least("minutes", options.minutes, 0);
    check_least("at_once", options.at_once, 0);
    check_least("largest_array", options.largest_array, 1);
    check_least("poll", options.poll.count(), 1);
    check_least("queue_poll", options.queue_poll.count(), 1);
    check_least("settle", options.settle.count(), 0);
}

void require_success(const std::string& program, const CommandOutcome& outcome) {
    if (outcome.exit_code != 0) {
        const auto& said = outcome.err.empty() ? outcome.out : outcome.err;
        throw BackendError(fmt::format("{} ended with code {}: {}",
                                       program,
                                       outcome.exit_code,
                                       said.substr(0, said.find_last_not_of('\n') + 1)));
    }
}

}  // namespace lockstep::runtime
