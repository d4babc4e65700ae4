#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/error.hpp"

#include "commands.hpp"
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

template <typename F>
int guarded(const Voice& voice, F&& body) {
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

Voice voice_of(const Command& command) {
    return std::visit(
        [](const auto& chosen) {
            if constexpr (requires { chosen.voice; })
                return chosen.voice;
            else
                return Voice{};
        },
        command);
}

int run_command(int argc, const char* const* argv) {
    Command command;
    const auto parsed = guarded({}, [&] {
        command = parse(argc, argv);
        return 0;
    });
    if (parsed != 0)
        return parsed;
    return guarded(voice_of(command), [&] {
        return std::visit([](const auto& chosen) { return execute(chosen); }, command);
    });
}

}  // namespace

}  // namespace lockstep::cli

int main(int argc, char** argv) {
    // A reader that goes away must not end a run that also writes files; a file over the size limit
    // is an error like a full disk.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    return lockstep::cli::run_command(argc, argv);
}
