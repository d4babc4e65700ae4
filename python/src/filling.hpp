#pragma once

#include <cstdlib>
#include <string>

#include "lockstep/app/option.hpp"

#include "use_cases.hpp"

namespace lockstep::python {

/// An option's value in the environment, as its setter takes it; "": none.
inline std::string from_environment(const app::Option& option) {
    const char* found =
        option.variable.empty() ? nullptr : std::getenv(std::string(option.variable).c_str());
    const std::string value = found == nullptr ? "" : found;
    const bool is_switch =
        option.type == app::Option::Type::flag || option.type == app::Option::Type::off_switch;
    if (value.empty() || !is_switch) {
        return value;
    }
    return value == "0" || value == "false" ? "false" : "true";
}

/// Fills a request as the command line does: by what stands in the environment, then by what is
/// given.
/// @throws InputError  a name or a value that is none
template <typename Request>
void fill(const app::OptionTable<Request>& table, Request& request, const Given& given) {
    for (const auto& [option, set] : table) {
        if (const auto text = from_environment(option); !text.empty()) {
            app::set_option(table, request, option.name, text);
        }
    }
    for (const auto& [name, text] : given) {
        app::set_option(table, request, name, text);
    }
}

}  // namespace lockstep::python
