#include "app/xpcs/batch/flight.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/report.hpp"
#include "lockstep/formats/records/output_metadata.hpp"

#include "app/xpcs/options_digest.hpp"
#include "app/xpcs/stages/writing.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchStatus;

/// Whether the folder of a dataset still holds what a batch before this one said of it.
bool still_holds(const std::filesystem::path& output, const BatchEntry& entry, XpcsWork work) {
    try {
        const auto metadata = formats::read_output_metadata(output);
        return metadata && metadata->input_digest == entry.input_digest &&
               std::ranges::all_of(part_names(work), [&](const std::string& name) {
                   const auto* part = metadata->part(name);
                   const auto& digest = name == "fit" ? entry.fit_digest : entry.posterior_digest;
                   return digest == (part == nullptr ? std::string() : part->digest);
               });
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

void Flight::Ear::on_notice(Notice kind, const std::string& text) {
    if (kind == Notice::trouble) {
        flight_.context_.tell(fmt::format("{}: {}", flight_.name(), text));
    } else {
        last_news = text;
    }
}

Flight::Flight(const BatchItem& item, const BatchContext& context)
    : item_(item),
      context_(context),
      request_(item.request),
      entry_{item.name, item.request.run.input.string(), item.request.data_file},
      alone_(comm::make_local()),
      ear_(*this) {
    request_.run.threads = context.threads;
    entry_.rank = context.rank;
    entry_.options_digest = to_string(options_digest(request_));
}

bool Flight::fail(const std::string& message) {
    entry_.message = message;
    return end(BatchStatus::failed);
}

bool Flight::end(BatchStatus status) {
    entry_.status = status;
    return false;
}

bool Flight::stage(const char* name, const std::function<void()>& body) {
    const double begin = context_.watch.seconds();
    bool is_well = true;
    try {
        body();
    } catch (const std::bad_alloc&) {
        is_well = fail("not enough memory");
    } catch (const std::exception& error) {
        is_well = fail(error.what());
    }
    entry_.stages.push_back({name, begin, context_.watch.seconds()});
    return is_well;
}

bool Flight::load() {
    if (context_.stop) {
        return end(BatchStatus::not_begun);
    }
    bool goes_on = true;
    return stage("load",
                 [&] {
                     auto dataset = context_.load(request_);
                     entry_.input_digest = to_string(dataset.input_digest);
                     goes_on = !keep(dataset);
                     if (goes_on) {
                         analysis_ = std::make_unique<Analysis>(
                             request_,
                             [&](const XpcsRequest&, runtime::Team&) { return std::move(dataset); },
                             *alone_,
                             ear_);
                     }
                 }) &&
           goes_on;
}

bool Flight::keep(const Dataset& dataset) {
    if (context_.before == nullptr) {
        return false;
    }
    const auto& all = context_.before->datasets;
    const auto found = std::ranges::find(all, item_.name, &BatchEntry::name);
    const auto was_done = [](BatchStatus status) {
        return status == BatchStatus::done || status == BatchStatus::kept;
    };
    if (found == all.end() || !was_done(found->status) ||
        found->options_digest != entry_.options_digest ||
        found->input_digest != to_string(dataset.input_digest) ||
        !still_holds(request_.run.output, *found, request_.work)) {
        return false;
    }
    entry_ = *found;
    entry_.stages.clear();
    entry_.rank = context_.rank;
    entry_.status = BatchStatus::kept;
    return true;
}

bool Flight::fit() {
    if (context_.stop) {
        return end(BatchStatus::not_begun);
    }
    const bool is_well = stage("fit", [&] {
        analysis_->start();
        analysis_->fit();
    });
    note_dealing();
    return is_well;
}

/// It ran beside a part of the fit.
void Flight::note_dealing() {
    const auto& dealt = analysis_->dealt_shards();
    if (!dealt.deal) {
        return;
    }
    const double now = context_.watch.seconds();
    const auto clock = std::chrono::steady_clock::now();
    const auto seconds_at = [&](std::chrono::steady_clock::time_point when) {
        return now - std::chrono::duration<double>(clock - when).count();
    };
    entry_.stages.push_back({"deal", seconds_at(dealt.begin), seconds_at(dealt.end)});
}

void Flight::sample() {
    if (!analysis_->is_to_sample()) {
        return;
    }
    if (context_.stop) {
        analysis_->job().note_early_end();
        return;
    }
    stage("sample", [&] {
        analysis_->sample();
        if (!analysis_->has_posterior()) {
            entry_.message = ear_.last_news;  // why not
        }
    });
}

void Flight::write() {
    stage("write", [&] {
        analysis_->write_fit();
        if (analysis_->has_posterior()) {
            analysis_->write_posterior();
        }
        const bool is_early = analysis_->has_ended_early();
        note_outcome(analysis_->finish());
        if (request_.has_page) {
            make_report(request_.run.output);
        }
        if (entry_.status != BatchStatus::failed) {
            end(is_early ? BatchStatus::ended_early : BatchStatus::done);
        }
    });
}

void Flight::note_outcome(const XpcsOutcome& outcome) {
    const auto& fit = outcome.fit;
    entry_.fit_digest = fit.digest;
    entry_.is_converged = fit.is_converged;
    entry_.chi_squared = fit.chi_squared;
    entry_.degrees_of_freedom = fit.degrees_of_freedom;
    entry_.error_method = fit.error_method;
    entry_.values = fit.values;
    if (outcome.posterior) {
        entry_.posterior_digest = outcome.posterior->digest;
        for (const auto& of : outcome.posterior->quantities) {
            entry_.posterior.push_back({of.name, of.mean, of.sd});
        }
    }
}

}  // namespace lockstep::app
