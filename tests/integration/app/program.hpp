#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lockstep::cli {

/// What a finished program left.
struct Ended {
    int exit_code = 0;  ///< 128 + signal when a signal ended it
    std::string out;
    std::string err;
};

/// Where the built program stands.
std::string program_path();

/// The built program, started with stdout and stderr in files.
class Program {
public:
    /// @param prepare  runs in the new process before the program, for limits and redirections
    explicit Program(std::vector<std::string> arguments, const std::function<void()>& prepare = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] pid_t process() const noexcept { return process_; }
    void send(int signal) const;
    /// Waits until stderr holds `text` or the program has ended.
    /// @return whether it holds it
    bool wait_for(const std::string& text);
    Ended end();

private:
    std::filesystem::path folder_;
    pid_t process_ = 0;
};

/// To prepare a program with, so that the permissions of files hold for it as for other users, also
/// where tests run as root. A root that may not do so ends with `root_keeps_file_access`.
void give_up_roots_file_access();
inline constexpr int root_keeps_file_access = 99;

/// Starts the program and waits for its end.
Ended run(std::vector<std::string> arguments, const std::function<void()>& prepare = {});

}  // namespace lockstep::cli
