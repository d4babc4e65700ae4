#include "xpcs/cmc/warmup_windows.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr int usual_first = 75;
constexpr int usual_window = 25;
constexpr int usual_last = 50;
constexpr int shortest = 20;

}  // namespace

WarmupWindows::WarmupWindows(int warmup) {
    if (warmup < shortest) {
        return;
    }
    const bool whole = warmup >= usual_first + usual_window + usual_last;
    first_ = whole ? usual_first : warmup * 15 / 100;
    last_ = warmup - (whole ? usual_last : warmup / 10);
    length_ = whole ? usual_window : last_ - first_;
}

bool WarmupWindows::ends_after(int i) const {
    if (!is_inside(i)) {
        return false;
    }
    int length = length_;
    int end = first_ + length;
    while (end <= i) {
        length *= 2;
        end += length;
    }
    // A window after which the next one would not fit goes on to the end.
    return end + 2 * length > last_ ? i + 1 == last_ : i + 1 == end;
}

}  // namespace lockstep::xpcs::cmc
