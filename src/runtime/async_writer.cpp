#include "lockstep/runtime/async_writer.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace lockstep::runtime {

std::thread start_thread(std::function<void()> body) {
    return std::thread(std::move(body));
}

AsyncWriter::AsyncWriter(Options options)
    : options_(std::move(options)), queue_(options_.capacity) {
    try {
        thread_ = options_.start([this] { serve(); });
    } catch (const std::system_error& error) {
        is_dead_ = true;
        is_told_ = true;
        tell(
            fmt::format("no thread for writing could be started ({}): the thread that computes "
                        "writes too",
                        error.what()));
    }
}

AsyncWriter::~AsyncWriter() {
    finish();
}

void AsyncWriter::serve() noexcept {
    try {
        while (auto next = queue_.pop()) {
            interrupted_ = *next;
            if (options_.before_write) {
                options_.before_write();
            }
            run(*std::exchange(interrupted_, nullptr));
        }
    } catch (...) {
        is_dead_ = true;
        queue_.close();  // whoever waits for room finds out
    }
}

void AsyncWriter::run(Write& write) {
    try {
        write.write();
    } catch (const std::exception& error) {
        failures_.push_back({write.what, error.what(), std::current_exception()});
    } catch (...) {
        failures_.push_back(
            {write.what, "an exception without a message", std::current_exception()});
    }
}

void AsyncWriter::tell(const std::string& text) const {
    if (options_.notice) {
        options_.notice(text);
    }
}

// Once the thread has ended its fields are the caller's.
void AsyncWriter::take_over() {
    if (thread_.joinable()) {
        thread_.join();
    }
    if (!std::exchange(is_told_, true)) {
        tell("the thread for writing has ended: the thread that computes writes too");
    }
    if (interrupted_) {
        run(*std::exchange(interrupted_, nullptr));
    }
    while (auto next = queue_.pop_within(std::chrono::milliseconds(0))) {
        run(**next);
    }
}

void AsyncWriter::write(std::string what, std::function<void()> write) {
    const auto next = std::make_shared<Write>(Write{std::move(what), std::move(write)});
    if (!is_dead_ && queue_.push(next)) {
        return;
    }
    take_over();
    run(*next);
}

std::vector<WriteFailure> AsyncWriter::finish() {
    queue_.close();
    if (thread_.joinable()) {
        thread_.join();
    }
    if (is_dead_) {
        take_over();
    }
    return std::exchange(failures_, {});
}

}  // namespace lockstep::runtime
