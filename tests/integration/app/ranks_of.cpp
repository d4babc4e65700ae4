#include "integration/app/ranks_of.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <poll.h>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// Empty when the process is gone.
std::string process_file(pid_t process, const char* name) {
    std::ifstream stream(fmt::format("/proc/{}/{}", process, name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<pid_t> processes() {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        if (const auto name = entry.path().filename().string();
            name.find_first_not_of("0123456789") == name.npos) {
            found.push_back(static_cast<pid_t>(std::stoi(name)));
        }
    }
    return found;
}

// 0 for a process that has ended.
pid_t parent_of(pid_t process) {
    const auto text = process_file(process, "stat");  // "pid (name) state parent …"
    const auto close = text.rfind(')');
    if (close == text.npos) {
        return 0;
    }
    std::istringstream rest(text.substr(close + 1));
    char state = 'Z';
    pid_t parent = 0;
    rest >> state >> parent;
    return state == 'Z' || state == 'X' ? 0 : parent;
}

std::optional<std::string> variable_of(pid_t process, const std::string& name) {
    const std::string zero(1, '\0');
    const auto text = zero + process_file(process, "environ");
    const auto key = zero + name + "=";
    const auto at = text.find(key);
    if (at == text.npos) {
        return std::nullopt;
    }
    return std::string(text.c_str() + at + key.size());
}

std::vector<pid_t> processes_with(const std::string& variable, const std::string& value) {
    std::vector<pid_t> found;
    for (const auto process : processes()) {
        if (variable_of(process, variable) == value && parent_of(process) != 0) {
            found.push_back(process);
        }
    }
    return found;
}

}  // namespace

std::map<int, pid_t> ranks_of(pid_t launcher) {
    std::map<int, pid_t> ranks;
    for (const auto process : processes()) {
        if (parent_of(process) != launcher) {
            continue;
        }
        for (const auto* name : {"LOCKSTEP_SHM_RANK", "LOCKSTEP_TCP_RANK"}) {
            if (const auto rank = variable_of(process, name)) {
                ranks[std::stoi(*rank)] = process;
            }
        }
    }
    return ranks;
}

std::vector<pid_t> processes_left_with(const std::string& variable, const std::string& value) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    for (;;) {
        auto left = processes_with(variable, value);
        if (left.empty() || Clock::now() > deadline) {
            return left;
        }
        ::poll(nullptr, 0, 20);  // milliseconds
    }
}

std::vector<std::string> shared_memory_of(pid_t launcher) {
    std::vector<std::string> found;
    const auto prefix = fmt::format("lockstep-{}-", launcher);
    for (const auto& entry : fs::directory_iterator("/dev/shm")) {
        if (auto name = entry.path().filename().string(); name.starts_with(prefix)) {
            found.push_back(std::move(name));
        }
    }
    return found;
}

}  // namespace lockstep::cli
