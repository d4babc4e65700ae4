#pragma once

#include <exception>
#include <utility>

#include "app/job/job.hpp"

namespace lockstep::app {

/// An exception of the display, of a file or of a sink must not leave an engine half way on one
/// rank: it is kept, ends the work, and is thrown when the engine is done.
class KeptError {
public:
    /// Runs `body` unless one was kept before.
    template <typename F>
    void guard(F&& body) noexcept {
        if (error_) {
            return;
        }
        try {
            std::forward<F>(body)();
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    /// Whether the work is to end, for it or because the job wants it.
    [[nodiscard]] bool stop_requested(Job& job) noexcept {
        auto is_wanted = false;
        guard([&] { is_wanted = job.stop_requested(); });
        return is_wanted || error_ != nullptr;
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::exception_ptr error_;
};

}  // namespace lockstep::app
