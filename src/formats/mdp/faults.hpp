#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lockstep/base/problems.hpp"

namespace lockstep::formats::mdp {

/// Collects the faults of one model file: at most `most`, for a long file may be wrong in each row.
class Faults {
public:
    /// How places are counted: by lines of a text or by rows of a table, both from 1.
    enum class Places { lines, rows };
    static constexpr std::size_t most = 10'000;

    Faults(std::string file, Places places, Problems& problems);

    /// @param place  0: the file as a whole
    void add(ProblemKind kind, std::int64_t place, std::string entity, std::string message);
    [[nodiscard]] bool any() const noexcept { return count_ > 0; }
    /// Says how many more there were.
    void finish();

private:
    std::string file_;
    Places places_;
    Problems& problems_;
    std::size_t count_ = 0;
};

}  // namespace lockstep::formats::mdp
