#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::app {

/// The least number above 0, as a limit of an option: "above 0".
inline constexpr double above_zero = std::numeric_limits<double>::min();

/// An option: the one record that command lines ("--learning-rate 0.1"), configuration files and
/// Python ("learning_rate=0.1"), manual pages and docs/options.md are made of.
struct Option {
    /// What its value is.
    enum class Type {
        flag,        ///< given or not
        off_switch,  ///< on; "--no-NAME" switches it off
        boolean,     ///< true or false, written out
        whole,
        real,
        choice,
        text,
        place,   ///< a file or a folder
        pair,    ///< KEY=VALUE, may be given again
        number,  ///< of a list of them, with commas: "0,45,90"
    };
    std::string_view name;                    ///< with underscores
    std::vector<std::string_view> aliases{};  ///< other names
    std::string_view group{};                 ///< for people; empty: of the command itself
    std::string_view value{};     ///< what stands for its value in help: "N", "SCHEDULE"
    std::string_view about{};     ///< with its unit
    std::string_view fallback{};  ///< where none is given, in words
    Type type = Type::text;
    std::string_view unit{};  ///< of numbers, "" without one
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    std::vector<std::string_view> choices{};
    char letter = 0;              ///< of its short form; 0: none
    std::string_view variable{};  ///< of the environment that stands for it
    bool is_repeated = false;
    std::string_view excludes{};  ///< another option that cannot stand beside it
    std::string_view needs{};     ///< another option without which it says nothing
};

/// The options that a request is filled from.
template <typename Request>
struct BoundOption {
    Option option;
    /// Takes a text that complaint() finds nothing wrong with; of a flag it is "true" or "false".
    /// @throws InputError  what only its meaning can tell
    std::function<void(Request&, std::string_view text)> set;
};
template <typename Request>
using OptionTable = std::vector<BoundOption<Request>>;

/// Why a text is no value of an option: "'0' must be a whole number from 1 to 4096"; "": it is one.
std::string complaint(const Option& option, std::string_view text);

/// A name as command lines have it: hyphens for underscores.
std::string hyphened(std::string_view name);

/// The parts of a text between its commas.
std::vector<std::string_view> parts_of(std::string_view text);

/// What an option may be, in words: "a whole number from 1 to 4096", "clp or highs".
std::string allowed(const Option& option);

/// The option of a name or an alias, hyphens for underscores or not; nullptr: there is none.
template <typename Request>
const BoundOption<Request>* find_option(const OptionTable<Request>& table, std::string_view name);

/// Sets an option by its name.
/// @throws InputError  there is none of the name, and which is near it; or the value is none
template <typename Request>
void set_option(const OptionTable<Request>& table,
                Request& request,
                std::string_view name,
                std::string_view text);

/// The options of a part of a request, as options of the whole.
template <typename Whole, typename Part, typename Get>
OptionTable<Whole> options_of_part(const OptionTable<Part>& table, Get part) {
    OptionTable<Whole> lifted;
    for (const auto& [option, set] : table) {
        lifted.push_back(
            {option, [set, part](Whole& whole, std::string_view text) { set(part(whole), text); }});
    }
    return lifted;
}

template <typename Request>
void append(OptionTable<Request>& table, const OptionTable<Request>& more) {
    table.insert(table.end(), more.begin(), more.end());
}

namespace detail {
bool names(const Option& option, std::string_view name);
[[noreturn]] void refuse_name(std::string_view name, const std::vector<const Option*>& options);
void require_value(const Option& option, std::string_view text);
}  // namespace detail

template <typename Request>
const BoundOption<Request>* find_option(const OptionTable<Request>& table, std::string_view name) {
    for (const auto& row : table) {
        if (detail::names(row.option, name)) {
            return &row;
        }
    }
    return nullptr;
}

template <typename Request>
void set_option(const OptionTable<Request>& table,
                Request& request,
                std::string_view name,
                std::string_view text) {
    const auto* row = find_option(table, name);
    if (row == nullptr) {
        std::vector<const Option*> options;
        for (const auto& known : table) {
            options.push_back(&known.option);
        }
        detail::refuse_name(name, options);
    }
    detail::require_value(row->option, text);
    row->set(request, text);
}

}  // namespace lockstep::app
