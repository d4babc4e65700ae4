#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// What sort of mistake an input holds. The last two are warnings, all others are errors.
enum class ProblemKind {
    file_not_found,
    file_unreadable,  ///< no permission, not a regular file, too long
    parse_error,
    schema_violation,
    invalid_reference,
    duplicate_id,
    invalid_value,
    cycle_detected,
    dimension_mismatch,
    business_rule_violation,
    not_supported,
    unused_entity,
    model_quality,
};

/// One mistake in an input.
struct Problem {
    ProblemKind kind;
    std::string file;     ///< path relative to the case, for example "system/hydros.json:12"
    std::string entity;   ///< what the mistake is about, for example "hydro 3"; may be empty
    std::string message;  ///< what was found and what is allowed
};

/// "[InvalidReference] system/lines.json (line 2): bus 9 does not exist".
std::string to_string(const Problem& problem);

/// Name of a kind as it is printed, for example "InvalidReference".
std::string_view to_string(ProblemKind kind);

bool is_warning(ProblemKind kind);

/// Collects all problems of an input, so that a user sees them together.
class Problems {
public:
    void add(ProblemKind kind, std::string file, std::string entity, std::string message);

    [[nodiscard]] const std::vector<Problem>& all() const noexcept { return problems_; }
    [[nodiscard]] std::size_t error_count() const noexcept { return errors_; }
    [[nodiscard]] bool has_errors() const noexcept { return errors_ > 0; }

    /// @throws InputError listing every error (at most `shown`, then "... and N more") if there is
    /// any;
    ///         IoError (66) if all errors are files that are missing or cannot be read
    void throw_if_errors(std::string_view headline, std::size_t shown = 200) const;

private:
    std::vector<Problem> problems_;
    std::size_t errors_ = 0;
};

/// The candidate nearest to `word` by edit distance, or empty when none is near: for "did you
/// mean".
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// "; did you mean "x"?", or nothing where no candidate is near: the end of a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace lockstep
