#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/runtime/channel.hpp"

namespace lockstep::runtime {

/// Starts a thread that runs `body`.
/// @throws std::system_error  the system allows no more
using ThreadStarter = std::function<std::thread(std::function<void()> body)>;

/// The usual one.
std::thread start_thread(std::function<void()> body);

/// Something that could not be written.
struct WriteFailure {
    std::string what;     ///< as the caller named it
    std::string message;  ///< why not
    std::exception_ptr error;
};

/// Writes files on a thread of its own while its caller goes on.
///
/// Writes happen one by one in the order in which they were queued; a failure is kept and stops no
/// other write. Where the thread cannot start, or ends before its time, the caller's thread writes
/// what is left and the notice says so. All calls come from one thread.
class AsyncWriter {
public:
    struct Options {
        std::size_t capacity = 2;  ///< writes that wait; a caller with one more waits itself
        std::function<void(const std::string&)> notice = {};  ///< on the caller's thread
        ThreadStarter start = start_thread;
        /// Called by the thread before each write; what it throws ends the thread. For tests.
        std::function<void()> before_write = {};
    };

    explicit AsyncWriter(Options options);
    /// Waits for what was queued; failures are lost.
    ~AsyncWriter();
    AsyncWriter(const AsyncWriter&) = delete;
    AsyncWriter& operator=(const AsyncWriter&) = delete;

    /// @param what   names the file or folder in failures
    /// @param write  may throw; must not need the caller's thread
    void write(std::string what, std::function<void()> write);

    /// Waits until all is written; nothing may be queued afterwards.
    /// @returns what was not, in order
    std::vector<WriteFailure> finish();

private:
    struct Write {
        std::string what;
        std::function<void()> write;
    };
    using Shared = std::shared_ptr<Write>;

    void serve() noexcept;
    void run(Write& write);
    void take_over();
    void tell(const std::string& text) const;

    Options options_;
    Channel<Shared> queue_;
    std::thread thread_;
    Shared interrupted_;                 // taken by the thread and not begun when it ended
    std::atomic<bool> is_dead_ = false;  // the thread ended before its time, or never began
    bool is_told_ = false;
    std::vector<WriteFailure> failures_;
};

}  // namespace lockstep::runtime
