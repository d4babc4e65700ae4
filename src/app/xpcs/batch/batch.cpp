#include "lockstep/app/xpcs/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"

#include "app/job/job.hpp"
#include "app/job/stale.hpp"
#include "app/xpcs/batch/deal.hpp"
#include "app/xpcs/batch/inputs.hpp"
#include "app/xpcs/batch/lines.hpp"
#include "app/xpcs/batch/pipeline.hpp"
#include "app/xpcs/batch/rank_mail.hpp"
#include "app/xpcs/options_digest.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchRecord;
using formats::xpcs::BatchStatus;
using std::chrono::milliseconds;

constexpr auto part_name = "batch";
constexpr auto report_name = "report.html";
constexpr milliseconds tick{50};
constexpr double save_interval_s = 1;

RunRequest job_request(const BatchRequest& request) {
    auto run = request.each.run;
    if (run.input.empty() && !request.inputs.empty()) {
        run.input = request.inputs.front();
    }
    if (run.output.empty()) {
        const auto name = run.input.lexically_normal().stem().string();
        run.output = (name.find_first_of("*?[") == name.npos && !name.empty() && name != "."
                          ? name + "-"
                          : std::string("xpcs-")) +
                     "batch";
    }
    return run;
}

/// One call of analyse_batch(). Steps are collective.
class Batch {
public:
    Batch(const BatchRequest& request,
          const RunRequest& run,
          comm::Communicator& ranks,
          Observer& observer)
        : request_(request), job_(run, "xpcs", ranks, observer) {
        job_.read_input([&](Problems&) { return read(); });
    }

    BatchOutcome run() {
        job_.claim_output({job_.output()}, {part_name}, [&] { clear(); });
        job_.start(facts());
        job_.section([&] { work(); });
        BatchOutcome outcome{{}, record()};
        note_part(outcome.record);
        job_.on_root([&] {
            formats::xpcs::write_batch(job_.output(), outcome.record);
            io::write_file(job_.output() / report_name, xpcs_batch_report(job_.output()).html());
        });
        outcome.run = job_.finish();
        return outcome;
    }

private:
    Digest read() {
        auto request = request_;
        request.each = with_start_of_result(request.each);
        if (!request.each.run.input.empty()) {
            configured(request.each);  // a mistake there is one of all datasets
        }
        items_ = batch_items(request, job_.output());
        before_.reset();
        if (request_.each.run.resume && io::is_there(job_.output() / BatchRecord::file_name)) {
            before_ = formats::xpcs::read_batch(job_.output());
        }
        DigestBuilder builder;
        for (const auto& item : items_) {
            builder.add(item.name);
        }
        for (const auto word : options_digest(request.each)) {
            builder.add(word);
        }
        return builder.digest();
    }

    void clear() const {
        remove_stale(job_.output() / report_name);
        if (!before_) {
            remove_stale(job_.output() / BatchRecord::file_name);
        }
    }

    [[nodiscard]] RunFacts facts() const {
        const auto datasets = static_cast<std::int64_t>(items_.size());
        RunFacts facts;
        facts.name = job_.request().input.filename().string();
        facts.headline = fmt::format("{}, at most {} ahead of the one in work",
                                     plural(datasets, "dataset"),
                                     plural(request_.ahead, "dataset"));
        facts.details = io::Json::Object{{"datasets", datasets}, {"ahead", request_.ahead}};
        return facts;
    }

    /// After a loss once more, with what the others have not done.
    void work() {
        share();
        const auto left = not_ended();
        const auto mine = share_of(left, job_.ranks().rank(), job_.ranks().size());
        RankMail mail(job_.ranks());
        run_pipeline(mine, mail);
        share();
    }

    [[nodiscard]] std::vector<const BatchItem*> not_ended() const {
        std::vector<const BatchItem*> left;
        for (const auto& item : items_) {
            if (!ended_.contains(item.name)) {
                left.push_back(&item);
            }
        }
        return left;
    }

    void run_pipeline(const std::vector<const BatchItem*>& mine, RankMail& mail) {
        BatchContext context{watch_, stop_};
        context.before = before_ ? &*before_ : nullptr;
        context.rank = job_.ranks().rank();
        context.threads = job_.team().threads.size();
        PipelineOptions options;
        options.ahead = request_.ahead;
        BatchPipeline pipeline(mine, context, options);
        try {
            auto left = mine.size();
            while (left > 0 || !mail.is_done()) {
                if (job_.stop_requested()) {
                    stop_ = true;
                }
                if (auto event = pipeline.next(left > 0 ? tick : milliseconds(0))) {
                    left -= event->ended ? 1U : 0U;
                    mail.send(*event);
                    hear(*std::move(event));
                }
                if (left == 0) {
                    mail.end();
                }
                while (auto event = mail.receive(left > 0 ? milliseconds(0) : tick)) {
                    hear(*std::move(event));
                }
            }
        } catch (...) {
            stop_ = true;  // the pipeline waits for what is under way
            throw;
        }
    }

    void hear(BatchEvent event) {
        if (!event.ended) {
            job_.observer().on_notice(Notice::trouble, event.trouble);
            return;
        }
        const auto& entry = ended_[event.ended->name] = std::move(*event.ended);
        job_.observer().on_notice(
            entry.status == BatchStatus::failed ? Notice::trouble : Notice::news,
            fmt::format("{}  ({} of {})", batch_line(entry), ended_.size(), items_.size()));
        tell_progress();
        save();
    }

    void tell_progress() {
        Progress told;
        told.phase = part_name;
        told.step = "dataset";
        told.done = static_cast<std::int64_t>(ended_.size());
        told.total = static_cast<std::int64_t>(items_.size());
        told.seconds = watch_.seconds();
        told.is_told = true;
        told.left = Forecast{told.seconds / static_cast<double>(told.done) *
                                 static_cast<double>(told.total - told.done),
                             false};
        job_.tell(told);
    }

    /// So that a batch that is killed can be resumed; not after each of thousands.
    void save() {
        if (job_.ranks().rank() == 0 && watch_.seconds() - saved_at_ > save_interval_s) {
            formats::xpcs::write_batch(job_.output(), record());
            saved_at_ = watch_.seconds();
        }
    }

    /// Brings what any rank knows to all of them.
    void share() {
        std::vector<BatchEntry> known;
        for (const auto& [name, entry] : ended_) {
            known.push_back(entry);
        }
        const auto text = formats::xpcs::entries_text(known) + "\n";
        const auto all =
            comm::gather_list(job_.ranks(), std::vector<char>(text.begin(), text.end()));
        std::istringstream lines(std::string(all.begin(), all.end()));
        for (std::string line; std::getline(lines, line);) {
            for (auto& entry : formats::xpcs::parse_entries(line)) {
                auto& own = ended_[entry.name];
                if (own.values.size() <= entry.values.size()) {  // letters may be shortened
                    own = std::move(entry);
                }
            }
        }
    }

    [[nodiscard]] BatchRecord record() const {
        BatchRecord record;
        record.ahead = request_.ahead;
        record.ranks = job_.record().ranks;
        record.seconds = watch_.seconds();
        for (const auto& item : items_) {
            const auto found = ended_.find(item.name);
            record.datasets.push_back(found != ended_.end()
                                          ? found->second
                                          : BatchEntry{item.name,
                                                       item.request.run.input.string(),
                                                       item.request.data_file});
        }
        return record;
    }

    void note_part(const BatchRecord& record) {
        DigestBuilder builder;
        for (const auto& entry : record.datasets) {
            builder.add(entry.name);
            builder.add(entry.fit_digest);
            builder.add(entry.posterior_digest);
        }
        const auto whole = record.count(BatchStatus::done) + record.count(BatchStatus::kept);
        job_.add_part({part_name,
                       to_string(builder.digest()),
                       whole == static_cast<int>(record.datasets.size()),
                       {BatchRecord::file_name}});
        if (record.count(BatchStatus::ended_early) + record.count(BatchStatus::not_begun) > 0) {
            job_.note_early_end();
        }
        job_.tell(PhaseEnd{part_name, batch_sentence(record)});
    }

    const BatchRequest& request_;
    Stopwatch watch_;
    Job job_;
    std::vector<BatchItem> items_;
    std::optional<BatchRecord> before_;
    std::atomic<bool> stop_ = false;
    std::map<std::string, BatchEntry> ended_;
    double saved_at_ = 0;
};

}  // namespace

BatchOutcome analyse_batch(const BatchRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer) {
    const auto run = job_request(request);
    return Batch(request, run, ranks, observer).run();
}

}  // namespace lockstep::app
