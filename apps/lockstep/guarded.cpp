#include "guarded.hpp"

#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/error.hpp"

#include "json_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

int fail(int exit_code, const std::string& message, const Voice& voice) {
    if (voice.json) {
        auto object = io::Json::object();
        object.set("event", "error");
        object.set("exit_code", exit_code);
        object.set("message", message);
        try {
            print_line(object);
        } catch (const Error&) {
            // stderr below still tells it
        }
    }
    tell("lockstep: " + message + "\n");
    return exit_code;
}

std::string bug_report(const char* what) {
    const auto& info = build_info();
    return fmt::format(
        "{}\nThis is a bug in lockstep {} ({}), not in your input. Please report it with the "
        "command "
        "line and the case.",
        what,
        info.version,
        info.commit);
}

}  // namespace

int guarded(const Voice& voice, const std::function<int()>& body) {
    try {
        return body();
    } catch (const AssertionError& error) {
        return fail(error.exit_code(), bug_report(error.what()), voice);
    } catch (const Error& error) {
        return fail(error.exit_code(), error.what(), voice);
    } catch (const std::bad_alloc&) {
        return fail(71, "not enough memory for this case", voice);
    } catch (const std::exception& error) {
        return fail(70, bug_report(error.what()), voice);
    }
}

}  // namespace lockstep::cli
