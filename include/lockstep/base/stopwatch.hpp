#pragma once

#include <chrono>

namespace lockstep {

/// Wall time since it was made, by a clock that is never set back. For reports only: no result may
/// depend on it.
class Stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace lockstep
