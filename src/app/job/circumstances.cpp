#include "app/job/circumstances.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <utility>

#include "lockstep/base/build_info.hpp"

namespace lockstep::app {
namespace {

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

}  // namespace

std::string utc_now() {
    const auto now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::vector<std::string> host_names(const comm::Communicator& ranks) {
    std::vector<std::string> names;
    for (auto rank = 0; rank < ranks.size(); ++rank) {
        if (auto name = ranks.host(rank);
            std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

std::string solver_version(lp::SolverKind kind) {
    for (const auto& library : build_info().libraries) {
        if (same_word(library.name, lp::to_string(kind))) {
            return library.version;
        }
    }
    return {};
}

}  // namespace lockstep::app
