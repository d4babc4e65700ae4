#include "lockstep/app/xpcs/batch.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "display.hpp"
#include "program.hpp"
#include "summary_lines.hpp"
#include "xpcs/commands.hpp"
#include "xpcs/texts.hpp"

namespace lockstep::cli {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchRecord;
using formats::xpcs::BatchStatus;

constexpr int some_failed = 1;

std::string value_text(const BatchEntry& entry, const char* name) {
    const auto* value = entry.value(name);
    if (value == nullptr) {
        return "-";
    }
    return app::digits(value->value, 5) +
           (value->error ? " +- " + app::digits(*value->error, 3) : std::string());
}

std::string status_text(const BatchEntry& entry) {
    if (entry.status == BatchStatus::failed) {
        return "failed: " + entry.message;
    }
    if (entry.status == BatchStatus::done && !entry.is_converged) {
        return "not converged";
    }
    auto text = std::string(to_string(entry.status));
    std::ranges::replace(text, '_', ' ');
    return text;
}

std::size_t widest_name(const BatchRecord& record) {
    std::size_t widest = 7;
    for (const auto& entry : record.datasets) {
        widest = std::max(widest, entry.name.size());
    }
    return widest;
}

std::string row(std::size_t width,
                const std::string& name,
                const std::string& diffusion,
                const std::string& chi,
                const std::string& status) {
    return fmt::format("{:<{}}  {:<22} {:>12}  {}\n", name, width, diffusion, chi, status);
}

}  // namespace

std::string text_of(const BatchRecord& record, const std::string& output) {
    const auto width = widest_name(record);
    std::string text = "\n" + row(width, "dataset", "D0", "reduced chi2", "");
    for (const auto& entry : record.datasets) {
        const auto reduced =
            entry.chi_squared && entry.degrees_of_freedom
                ? app::digits(*entry.chi_squared / static_cast<double>(*entry.degrees_of_freedom),
                              4)
                : std::string("-");
        text += row(width, entry.name, value_text(entry, "D0"), reduced, status_text(entry));
    }
    return text + "\n" + summary_line("output", output) +
           summary_line("page", output + "/report.html");
}

int execute(const XpcsBatchCommand& command) {
    auto request = command.request;
    request.each.program = own_command();
    return on_display(command.request.each.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          const auto outcome = app::analyse_batch(request, ranks, observer);
                          const auto output = outcome.run.output.string();
                          return Ending{
                              outcome.run.signal,
                              formats::xpcs::to_json(outcome.record),
                              text_of(outcome.record, output),
                              "",
                              outcome.record.count(BatchStatus::failed) > 0 ? some_failed : 0};
                      });
}

}  // namespace lockstep::cli
