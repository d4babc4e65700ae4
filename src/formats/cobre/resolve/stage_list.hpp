#pragma once

#include <string>

namespace lockstep::formats::cobre {

/// Stages with the same mistake, so that they make one report.
class StageList {
public:
    void add(int stage_id) {
        if (count_++ == 0) {
            first_ = stage_id;
        }
    }
    [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
    /// "stage 3 and 7 more".
    [[nodiscard]] std::string text() const {
        const std::string more = count_ > 1 ? " and " + std::to_string(count_ - 1) + " more" : "";
        return "stage " + std::to_string(first_) + more;
    }

private:
    int count_ = 0;
    int first_ = 0;
};

}  // namespace lockstep::formats::cobre
