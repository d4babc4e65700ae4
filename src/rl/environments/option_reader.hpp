#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/rl/environments/registry.hpp"

namespace lockstep::rl {

/// Reads the parameters of one environment: what was given, else the fallback of its entry. Errors
/// name parameter and value.
class OptionReader {
public:
    /// @throws InputError  an option that the entry does not list
    OptionReader(const EnvironmentEntry& entry, const EnvironmentOptions& options);

    [[nodiscard]] bool is_given(std::string_view name) const;
    [[nodiscard]] const std::string& text(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const;  ///< "true" or "false"
    [[nodiscard]] std::int32_t integer(std::string_view name) const;
    [[nodiscard]] std::int64_t count(std::string_view name) const;  ///< at least 0
    [[nodiscard]] std::uint64_t seed(std::string_view name) const;
    [[nodiscard]] double real(std::string_view name) const;  ///< "0.8" or "4/5"
    [[nodiscard]] std::vector<double> reals(std::string_view name, std::size_t count) const;
    [[nodiscard]] std::vector<std::int32_t> integers(std::string_view name) const;

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::vector<std::string> given_;
};

/// The parts between the separators, at least one.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace lockstep::rl
