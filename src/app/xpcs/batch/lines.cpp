#include "app/xpcs/batch/lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchRecord;
using formats::xpcs::BatchStatus;

std::string result_text(const BatchEntry& entry) {
    std::string text;
    for (const char* name : {"D0", "gamma_dot_t0"}) {
        if (const auto* value = entry.value(name)) {
            text += fmt::format("{} {}{} {}, ",
                                name,
                                digits(value->value, 5),
                                value->error ? " +- " + digits(*value->error, 3) : "",
                                value->unit);
        }
    }
    if (entry.chi_squared && entry.degrees_of_freedom) {
        text += fmt::format(
            "reduced chi2 {}, ",
            digits(*entry.chi_squared / static_cast<double>(*entry.degrees_of_freedom), 3));
    }
    return text;
}

double seconds_of(const BatchEntry& entry) {
    double seconds = 0;
    for (const auto& stage : entry.stages) {
        seconds += stage.end - stage.begin;
    }
    return seconds;
}

std::string ending_text(const BatchEntry& entry) {
    switch (entry.status) {
        case BatchStatus::done:
            return result_text(entry) + (entry.is_converged ? "" : "not converged, ") +
                   (entry.message.empty() ? "" : entry.message + ", ") +
                   duration(seconds_of(entry));
        case BatchStatus::kept:
            return result_text(entry) + "kept from before";
        case BatchStatus::ended_early:
            return result_text(entry) + "ended early";
        case BatchStatus::not_begun:
            return "not begun";
        case BatchStatus::failed:
            return "failed: " + entry.message;
    }
    return "";
}

}  // namespace

std::string batch_line(const BatchEntry& entry) {
    return entry.name + ": " + ending_text(entry);
}

std::string batch_sentence(const BatchRecord& record) {
    std::vector<std::string> parts{fmt::format(
        "{} in {}", plural(record.count(BatchStatus::done), "dataset"), duration(record.seconds))};
    const auto add = [&](BatchStatus status, const char* words) {
        if (const int number = record.count(status); number > 0) {
            parts.push_back(fmt::format("{} {}", number, words));
        }
    };
    add(BatchStatus::kept, "kept from before");
    add(BatchStatus::ended_early, "ended early");
    add(BatchStatus::not_begun, "not begun");
    add(BatchStatus::failed, "failed");
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockstep::app
