#include <charconv>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "runtime/farm/cluster/queue.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;

/// A word as sh reads it back.
std::string quoted(const std::string& word) {
    std::string text;
    for (const char character : word) {
        text += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    return fmt::format("'{}'", text);
}

class PbsQueue final : public ClusterQueue {
public:
    explicit PbsQueue(ClusterOptions options) : options_(std::move(options)) {}

    std::string submit(const fs::path& array, int elements) override {
        const auto script = array / "element.sh";
        io::write_file(script, script_of(array, elements));
        const auto outcome = run_command({"qsub", "-o", array.string() + "/", script.string()});
        require_success("qsub", outcome);
        return job_in(outcome.out);
    }

    std::optional<std::set<int>> living(const std::string& job) override {
        const auto outcome = run_command({"qstat", "-t", job});
        if (outcome.exit_code != 0) {
            // The first is OpenPBS's, the second that of Slurm's own qstat.
            const bool is_over = outcome.err.find("Unknown Job") != outcome.err.npos ||
                                 outcome.err.find("has finished") != outcome.err.npos ||
                                 outcome.exit_code == 153;
            return is_over ? std::optional(std::set<int>{}) : std::nullopt;
        }
        std::set<int> elements;
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);) {
            if (const int element = element_in(line, job); element >= 0) {
                elements.insert(element);
            }
        }
        return elements;
    }

    void cancel(const std::string& job, const std::vector<int>& elements) override {
        std::vector<std::string> command{"qdel"};
        for (const int element : elements) {
            command.push_back(element_name(job, element));
        }
        run_command(command);  // of one that has just ended it says that there is none
    }

private:
    [[nodiscard]] std::string script_of(const fs::path& array, int elements) const {
        auto text = fmt::format("#!/bin/sh\n#PBS -N {}\n#PBS -j oe\n", options_.name);
        if (elements > 1) {  // of one PBS makes no array
            const auto limit = options_.at_once > 0 ? fmt::format("%{}", options_.at_once) : "";
            text += fmt::format("#PBS -J 0-{}{}\n", elements - 1, limit);
        }
        if (!options_.account.empty()) {
            text += fmt::format("#PBS -A {}\n", options_.account);
        }
        if (!options_.queue.empty()) {
            text += fmt::format("#PBS -q {}\n", options_.queue);
        }
        if (options_.minutes > 0) {
            text += fmt::format(
                "#PBS -l walltime={:02}:{:02}:00\n", options_.minutes / 60, options_.minutes % 60);
        }
        text += "exec";
        for (const auto& word : options_.command) {
            text += fmt::format(" {}", quoted(word));
        }
        return text + fmt::format(" {} \"${{PBS_ARRAY_INDEX:-0}}\"\n", quoted(array.string()));
    }

    /// "123.server", "123[].server" or, of Slurm's own qsub, "123".
    static std::string job_in(const std::string& out) {
        const auto job = out.substr(0, out.find_first_of(" \r\n"));
        if (!std::regex_match(job, std::regex(R"([0-9]+(\[\])?(\.[A-Za-z0-9_.-]+)?)"))) {
            throw BackendError(fmt::format("qsub said \"{}\", not the name of a job", job));
        }
        return job;
    }

    static std::string number_of(const std::string& job) {
        return job.substr(0, job.find_first_not_of("0123456789"));
    }

    /// "123[4].server" of the array "123[].server".
    static std::string element_name(const std::string& job, int element) {
        const auto bracket = job.find('[');
        return bracket == job.npos
                   ? job
                   : fmt::format(
                         "{}[{}]{}", job.substr(0, bracket), element, job.substr(bracket + 2));
    }

    /// Of a line "123[4].server NAME USER TIME STATE QUEUE", whose first word may be cut off behind
    /// the number; -1: it is no element that waits or runs.
    static int element_in(const std::string& line, const std::string& job) {
        std::istringstream words(line);
        std::string id;
        std::string name;
        std::string user;
        std::string time;
        std::string state;
        words >> id >> name >> user >> time >> state;
        if (state == "X" || state == "F" || number_of(id) != number_of(job)) {
            return -1;
        }
        const auto bracket = id.find('[');
        if (bracket == id.npos) {
            return job.find('[') == job.npos ? 0 : -1;
        }
        int element = -1;
        std::from_chars(id.data() + bracket + 1, id.data() + id.size(), element);
        return element;
    }

    ClusterOptions options_;
};

}  // namespace

std::unique_ptr<ClusterQueue> make_pbs_queue(const ClusterOptions& options) {
    return std::make_unique<PbsQueue>(options);
}

}  // namespace lockstep::runtime
