#include <algorithm>
#include <charconv>
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

// Arguments of the job come as they are, not as text of this script.
constexpr std::string_view script = "#!/bin/sh\nexec \"$@\" \"$SLURM_ARRAY_TASK_ID\"\n";

/// A file name that Slurm does not take for a pattern.
std::string literal(const std::string& name) {
    std::string text;
    for (const char character : name) {
        text.append(character == '%' ? 2 : 1, character);
    }
    return text;
}

class SlurmQueue final : public ClusterQueue {
public:
    explicit SlurmQueue(ClusterOptions options) : options_(std::move(options)) {}

    std::string submit(const fs::path& array, int elements) override {
        io::write_file(array / "element.sh", script);
        const auto outcome = run_command(submission(array, elements));
        require_success("sbatch", outcome);
        return job_in(outcome.out);
    }

    std::optional<std::set<int>> living(const std::string& job) override {
        const auto outcome = run_command({"squeue", "-h", "-r", "-j", job, "-o", "%i"});
        if (outcome.exit_code != 0) {
            // Some time after its end Slurm has forgotten a job.
            const bool is_over = outcome.err.find("Invalid job id") != outcome.err.npos;
            return is_over ? std::optional(std::set<int>{}) : std::nullopt;
        }
        std::set<int> elements;
        std::istringstream lines(outcome.out);
        for (std::string line; lines >> line;) {
            if (line.starts_with(job + "_")) {
                int element = -1;
                std::from_chars(line.data() + job.size() + 1, line.data() + line.size(), element);
                elements.insert(element);
            }
        }
        return elements;
    }

    void cancel(const std::string& job, const std::vector<int>& elements) override {
        std::vector<std::string> command{"scancel"};
        for (const int element : elements) {
            command.push_back(fmt::format("{}_{}", job, element));
        }
        run_command(command);  // of one that has just ended it says that there is none
    }

private:
    [[nodiscard]] std::vector<std::string> submission(const fs::path& array, int elements) const {
        std::vector<std::string> command{"sbatch", "--parsable", "--no-requeue", "--ntasks=1"};
        const auto limit = options_.at_once > 0 ? fmt::format("%{}", options_.at_once) : "";
        command.push_back(fmt::format("--array=0-{}{}", elements - 1, limit));
        command.push_back("--job-name=" + options_.name);
        command.push_back("--output=" + literal((array / "log-").string()) + "%a");
        if (!options_.account.empty()) {
            command.push_back("--account=" + options_.account);
        }
        if (!options_.queue.empty()) {
            command.push_back("--partition=" + options_.queue);
        }
        if (options_.minutes > 0) {
            command.push_back(fmt::format("--time={}", options_.minutes));
        }
        command.push_back((array / "element.sh").string());
        command.insert(command.end(), options_.command.begin(), options_.command.end());
        command.push_back(array.string());
        return command;
    }

    /// "123" or "123;cluster".
    static std::string job_in(const std::string& out) {
        const auto job = out.substr(0, out.find_first_of(";\n"));
        if (job.empty() || job.find_first_not_of("0123456789") != job.npos) {
            throw BackendError(fmt::format("sbatch said \"{}\", not the number of a job", job));
        }
        return job;
    }

    ClusterOptions options_;
};

}  // namespace

std::unique_ptr<ClusterQueue> make_slurm_queue(const ClusterOptions& options) {
    return std::make_unique<SlurmQueue>(options);
}

}  // namespace lockstep::runtime
