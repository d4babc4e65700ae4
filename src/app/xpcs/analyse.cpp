#include "lockstep/app/xpcs/analyse.hpp"

#include <exception>
#include <optional>

#include "lockstep/runtime/async_writer.hpp"

#include "app/xpcs/stages/analysis.hpp"

namespace lockstep::app {
namespace {

/// Draws the posterior while the fit's files are written. The first rank at its end may be another
/// one than at its beginning.
void sample_and_write(Analysis& analysis) {
    std::optional<runtime::AsyncWriter> writer;
    auto& job = analysis.job();
    job.on_root([&] {
        if (!writer) {
            writer.emplace(runtime::AsyncWriter::Options{.notice = [&](const std::string& text) {
                job.observer().on_notice(Notice::trouble, text);
            }});
            writer->write("the fit's files", [&] { analysis.write_fit(); });
        }
    });
    analysis.sample();
    job.on_root([&] {
        if (!writer) {
            analysis.write_fit();
        } else if (const auto failures = writer->finish(); !failures.empty()) {
            std::rethrow_exception(failures.front().error);
        }
        if (analysis.has_posterior()) {
            analysis.write_posterior();
        }
    });
}

}  // namespace

XpcsOutcome analyse_measurement(const XpcsRequest& request,
                                comm::Communicator& ranks,
                                Observer& observer) {
    Analysis analysis(request, load_shared_dataset, ranks, observer);
    analysis.start();
    analysis.fit();
    if (analysis.is_to_sample()) {
        sample_and_write(analysis);
    } else {
        analysis.job().on_root([&] { analysis.write_fit(); });
    }
    return analysis.finish();
}

}  // namespace lockstep::app
