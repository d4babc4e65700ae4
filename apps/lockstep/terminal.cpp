#include "terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

namespace lockstep::cli {
namespace {

std::string_view environment(const char* name) {
    const auto* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

// As setlocale decides: the first that is not empty counts.
bool is_utf8_locale() {
    for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const auto value = environment(name);
        if (!value.empty()) {
            return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
        }
    }
    return false;
}

int width_of(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col;
}

}  // namespace

Terminal terminal_of(std::FILE* stream) {
    const auto descriptor = ::fileno(stream);
    Terminal terminal;
    terminal.is_terminal = ::isatty(descriptor) == 1 && environment("TERM") != "dumb";
    terminal.has_color = terminal.is_terminal && environment("NO_COLOR").empty();
    terminal.has_unicode = is_utf8_locale();
    terminal.width = width_of(descriptor);
    return terminal;
}

int columns_of(std::string_view text) {
    return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

void print(std::string_view text) {
    static bool is_gone = false;
    if (is_gone) {
        return;
    }
    const auto written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written == text.size() && std::fflush(stdout) == 0) {
        return;
    }
    is_gone = true;
    if (errno != EPIPE) {
        throw IoError(fmt::format("standard output cannot be written: {}", std::strerror(errno)),
                      IoError::Direction::write);
    }
}

void tell(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace lockstep::cli
