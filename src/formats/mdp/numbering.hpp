#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lockstep::formats::mdp {

/// A state or an action as a file writes it; neither: what was there is no label, and was told.
using Label = std::variant<std::monostate, std::int64_t, std::string_view>;

/// "3" or "good".
std::string to_string(const Label& label);

/// The states or the actions of a file. Where it lists them, each has a number and maybe a name,
/// and both are understood. Where it does not, all are written as numbers, or all as names, which
/// are numbered as they come.
class Numbering {
public:
    /// @param what  "state" or "action"
    explicit Numbering(std::string_view what) : what_(what) {}

    void declare(std::int32_t count);
    /// The names, each once.
    void declare(const std::vector<std::string>& names);

    /// The number, or -1 and in `why` what is wrong.
    [[nodiscard]] std::int32_t number(const Label& label, std::string& why);
    /// As the file writes it.
    [[nodiscard]] std::string text(std::int32_t number) const;

    [[nodiscard]] std::int32_t size() const noexcept { return size_; }
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

private:
    [[nodiscard]] std::int32_t counted(std::int64_t number, std::string& why);
    [[nodiscard]] std::int32_t named(std::string_view name, std::string& why);
    [[nodiscard]] std::int32_t added(std::string_view name);

    std::string_view what_;
    bool is_declared_ = false;
    std::int32_t size_ = 0;
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::int32_t> numbers_;
};

}  // namespace lockstep::formats::mdp
