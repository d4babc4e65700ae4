#include "app/job/job.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/job/circumstances.hpp"
#include "app/job/metrics.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

std::string headline(const fs::path& input, const Problems& problems) {
    return fmt::format("{} has {} error{}",
                       input.string(),
                       problems.error_count(),
                       problems.error_count() == 1 ? "" : "s");
}

std::string loss_text(const runtime::Loss& loss) {
    return fmt::format("lost rank{} {}: {}. {} on {}; what was under way is done again",
                       loss.ranks.size() == 1 ? "" : "s",
                       fmt::join(loss.ranks, ", "),
                       loss.cause,
                       loss.survivors == 1 ? "One rank goes" : "The others go",
                       loss.survivors == 1 ? "alone" : fmt::format("as {} ranks", loss.survivors));
}

// An earlier run's metadata.json without the parts that a new one makes; one that cannot be read
// tells nothing.
void drop_parts(const fs::path& output, const std::vector<std::string>& names) {
    std::optional<formats::OutputMetadata> metadata;
    try {
        metadata = formats::read_output_metadata(output);
    } catch (const InputError&) {
        metadata = std::nullopt;
    }
    if (metadata) {
        std::erase_if(metadata->parts, [&](const auto& part) {
            return std::find(names.begin(), names.end(), part.name) != names.end();
        });
    }
    if (metadata && !metadata->parts.empty()) {
        formats::write_output_metadata(output, *metadata);
    } else {
        fs::remove(output / formats::OutputMetadata::file_name);
    }
}

}  // namespace

Job::Job(const RunRequest& request,
         std::string engine,
         comm::Communicator& ranks,
         Observer& observer)
    : request_(request),
      ranks_(ranks),
      observer_(observer),
      threads_(1),
      team_{ranks, threads_, survival()},
      output_(request.output.empty() ? request.input / "output" : request.output) {
    metadata_.engine = std::move(engine);
    metadata_.input = request.input.string();
    metadata_.run.started_at = utc_now();
    metadata_.run.settings = request.settings;
    metadata_.run.backend = ranks_.backend();
    metadata_.run.mpi_library = ranks_.library();
    section([&] {
        threads_ = runtime::ThreadTeam(request_.threads > 0 ? request_.threads
                                                            : runtime::fair_threads(*team_.node()));
        metadata_.run.hosts = host_names(ranks_);
        metadata_.run.ranks = ranks_.size();
    });
    metadata_.run.threads_per_rank = threads_.size();
}

runtime::Survival Job::survival() {
    if (request_.on_loss == OnLoss::abort) {
        return {};
    }
    return runtime::Survival([this](const runtime::Loss& loss) {
        has_losses_ = true;
        observer_.on_notice(Notice::trouble, loss_text(loss));
    });
}

formats::RunRecord Job::record() const {
    auto record = metadata_.run;
    record.completed_at = utc_now();
    return record;
}

void Job::read_input(const std::function<Digest(Problems&)>& read) {
    section([&] {
        problems_ = {};
        comm::agree(ranks_, [&] {
            input_digest_ = read(problems_);
            problems_.throw_if_errors(headline(request_.input, problems_));
        });
        check_same_input();
    });
    metadata_.input_digest = to_string(input_digest_);
    for (const auto& warning : problems_.all()) {
        metadata_.run.warnings.push_back(to_string(warning));
    }
}

void Job::warn(const Problem& warning) {
    metadata_.run.warnings.push_back(to_string(warning));
    problems_.add(warning.kind, warning.file, warning.entity, warning.message);
}

// Ranks on different hosts may see different files under one name.
void Job::check_same_input() {
    if (!comm::is_equal_on_all(ranks_, input_digest_)) {
        throw InputError(fmt::format("{}: the ranks read different files under this name",
                                     request_.input.string()));
    }
}

void Job::section(const std::function<void()>& body) {
    runtime::run_section(ranks_, team_.survival, body);
}

void Job::on_root(const std::function<void()>& body) {
    section([&] {
        comm::agree(ranks_, [&] {
            if (ranks_.rank() == 0) {
                if (is_claimed_) {
                    lock_.hold(output_);  // the first rank may be another one by now
                }
                body();
            }
        });
    });
}

void Job::place_in_node_memory(const std::function<std::int64_t(runtime::Team&)>& place) {
    section([&] {
        metadata_.run.borrowed_bytes = ranks_.allreduce(place(team_), comm::ReduceOp::sum);
    });
}

// Of ranks that were killed while they wrote.
void Job::remove_leftovers() const {
    io::remove_temporaries(output_, io::Subfolders::no);
    for (const auto& folder : folders_) {
        io::remove_temporaries(folder, io::Subfolders::yes);
    }
    io::remove_temporaries(output_ / Checkpoints::folder, io::Subfolders::yes);
}

void Job::claim_output(std::vector<fs::path> folders,
                       const std::vector<std::string>& parts,
                       const std::function<void()>& clear) {
    folders_ = std::move(folders);
    signals_.emplace();
    on_root([&] {
        io::make_folder(output_);
        lock_.hold(output_);
        remove_leftovers();
        drop_parts(output_, parts);
        clear();
    });
    is_claimed_ = true;
}

void Job::work_without_output() {
    output_.clear();
    signals_.emplace();
}

void Job::start(RunFacts facts) {
    facts.engine = metadata_.engine;
    facts.input = request_.input;
    facts.output = output_;
    facts.ranks = ranks_.size();
    facts.threads = threads_.size();
    facts.backend = ranks_.backend();
    observer_.on_start(facts);
    for (const auto& warning : problems_.all()) {
        observer_.on_warning(warning);
    }
}

Checkpoints Job::checkpoints(Digest input, Digest options, std::string step) {
    return {output_, {metadata_.engine, input, options}, std::move(step), observer_};
}

void Job::tell(const Progress& progress) {
    observer_.on_progress(progress);
    write_metrics(progress);
}

void Job::tell(const PhaseEnd& end) {
    observer_.on_phase_end(end);
}

bool Job::stop_requested() {
    return observer_.stop_requested() || runtime::SignalGuard::received() != 0;
}

// Who watches a run must not be able to end it.
void Job::write_metrics(const Progress& progress) {
    if (ranks_.rank() != 0 || request_.metrics.empty()) {
        return;
    }
    try {
        io::write_file(request_.metrics, prometheus_text(progress));
        has_metrics_trouble_ = false;
    } catch (const IoError& error) {
        if (!std::exchange(has_metrics_trouble_, true)) {
            observer_.on_notice(Notice::trouble,
                                fmt::format("the metrics are not written: {}", error.what()));
        }
    }
}

void Job::add_part(formats::OutputPart part) {
    metadata_.put(std::move(part));
}

void Job::write_metadata() const {
    auto metadata = metadata_;
    metadata.run = record();
    if (auto before = formats::read_output_metadata(output_)) {
        metadata.parts = std::move(before->parts);
        for (const auto& part : metadata_.parts) {
            metadata.put(part);
        }
    }
    formats::write_output_metadata(output_, metadata);
}

RunOutcome Job::finish() {
    RunOutcome outcome{output_, 0};
    section([&] {
        const auto signal =
            ranks_.allreduce(std::int32_t{runtime::SignalGuard::received()}, comm::ReduceOp::max);
        outcome.signal = has_ended_early_ ? signal : 0;
    });
    if (!is_claimed_) {
        return outcome;
    }
    on_root([&] {
        if (has_losses_) {
            remove_leftovers();
        }
        write_metadata();
    });
    lock_.release();
    return outcome;
}

}  // namespace lockstep::app
