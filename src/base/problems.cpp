#include "lockstep/base/problems.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep {
namespace {

// Letters to add, drop, replace or swap with their neighbour ("rnu" is one slip from "run"), three
// rows of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last.back();
}

// Two slips, or more in a long word, but never more than half of the word.
std::size_t allowed_slips(std::string_view word, std::string_view candidate) {
    const std::size_t length = std::max(word.size(), candidate.size());
    return std::min(std::max<std::size_t>(2, length / 3), length / 2);
}

bool is_error(const Problem& problem) {
    return !is_warning(problem.kind);
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
    switch (kind) {
        case ProblemKind::file_not_found:
            return "FileNotFound";
        case ProblemKind::file_unreadable:
            return "FileUnreadable";
        case ProblemKind::parse_error:
            return "ParseError";
        case ProblemKind::schema_violation:
            return "SchemaViolation";
        case ProblemKind::invalid_reference:
            return "InvalidReference";
        case ProblemKind::duplicate_id:
            return "DuplicateId";
        case ProblemKind::invalid_value:
            return "InvalidValue";
        case ProblemKind::cycle_detected:
            return "CycleDetected";
        case ProblemKind::dimension_mismatch:
            return "DimensionMismatch";
        case ProblemKind::business_rule_violation:
            return "BusinessRuleViolation";
        case ProblemKind::not_supported:
            return "NotSupported";
        case ProblemKind::unused_entity:
            return "UnusedEntity";
        case ProblemKind::model_quality:
            return "ModelQuality";
    }
    return "Unknown";
}

std::string to_string(const Problem& problem) {
    std::string place = problem.file;
    if (!problem.entity.empty()) {
        place += (place.empty() ? "(" : " (") + problem.entity + ")";
    }
    const std::string_view colon = place.empty() ? "" : ": ";
    return fmt::format("[{}] {}{}{}", to_string(problem.kind), place, colon, problem.message);
}

bool is_warning(ProblemKind kind) {
    return kind == ProblemKind::unused_entity || kind == ProblemKind::model_quality;
}

void Problems::add(ProblemKind kind, std::string file, std::string entity, std::string message) {
    problems_.push_back({kind, std::move(file), std::move(entity), std::move(message)});
    if (!is_warning(kind)) {
        ++errors_;
    }
}

void Problems::throw_if_errors(std::string_view headline, std::size_t shown) const {
    if (!has_errors()) {
        return;
    }
    std::string text(headline);
    std::size_t listed = 0;
    for (auto problem = problems_.begin(); problem != problems_.end() && listed < shown;
         ++problem) {
        if (is_error(*problem)) {
            text += "\n  " + to_string(*problem);
            ++listed;
        }
    }
    if (listed < errors_) {
        text += fmt::format("\n  ... and {} more", errors_ - listed);
    }

    const bool only_files =
        std::all_of(problems_.begin(), problems_.end(), [](const Problem& problem) {
            return !is_error(problem) || problem.kind == ProblemKind::file_not_found ||
                   problem.kind == ProblemKind::file_unreadable;
        });
    if (only_files) {
        throw IoError(text, IoError::Direction::read);
    }
    throw InputError(text);
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    auto best_distance = static_cast<std::size_t>(-1);
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance && distance <= allowed_slips(word, candidate)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
    const std::string_view near = nearest(word, candidates);
    return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near);
}

}  // namespace lockstep
