#include "integration/app/program.hpp"

#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/places.hpp"

namespace lockstep::cli {
namespace {

std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void redirect(const std::filesystem::path& file, int descriptor) {
    const auto opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(opened, descriptor);
    ::close(opened);
}

[[noreturn]] void become(std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (auto& argument : arguments) {
        words.push_back(argument.data());
    }
    words.push_back(nullptr);
    ::execv(words.front(), words.data());
    ::_exit(127);
}

bool is_running(pid_t process) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == 0;
}

}  // namespace

std::string program_path() {
    return test::build_dir() / LOCKSTEP_PROGRAM;
}

// Root still owns the files and reaches the program, which another user might not below /root.
void give_up_roots_file_access() {
    if (::geteuid() != 0) {
        return;
    }
    for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
        if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            ::_exit(root_keeps_file_access);
        }
    }
}

Program::Program(std::vector<std::string> arguments, const std::function<void()>& prepare) {
    auto name = (std::filesystem::temp_directory_path() / "lockstep-cli-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    arguments.insert(arguments.begin(), program_path());
    process_ = ::fork();
    if (process_ != 0) {
        return;
    }
    redirect(folder_ / "out", STDOUT_FILENO);
    redirect(folder_ / "err", STDERR_FILENO);
    if (prepare) {
        prepare();
    }
    become(arguments);
}

Program::~Program() {
    if (process_ != 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void Program::send(int signal) const {
    ::kill(process_, signal);
}

bool Program::wait_for(const std::string& text) {
    while (content(folder_ / "err").find(text) == std::string::npos) {
        if (!is_running(process_)) {
            return content(folder_ / "err").find(text) != std::string::npos;
        }
        ::poll(nullptr, 0, 5);  // milliseconds
    }
    return true;
}

Ended Program::end() {
    auto status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            content(folder_ / "out"),
            content(folder_ / "err")};
}

Ended run(std::vector<std::string> arguments, const std::function<void()>& prepare) {
    return Program(std::move(arguments), prepare).end();
}

}  // namespace lockstep::cli
