#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace lockstep::test {

/// Random numbers that are the same with every standard library.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}

    /// In [low, high).
    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }
    /// In [low, high], both included.
    int integer(int low, int high) {
        const auto width = static_cast<std::uint64_t>(high - low + 1);
        return low + static_cast<int>(engine_() % width);
    }
    bool chance(double probability) { return uniform(0, 1) < probability; }
    /// 0 in some cases: costs without a preference.
    double cost(double low, double high) { return chance(0.2) ? 0 : uniform(low, high); }

private:
    std::mt19937_64 engine_;
};

/// "H3"
inline std::string numbered(char letter, int number) {
    return std::string(1, letter).append(std::to_string(number));
}

}  // namespace lockstep::test
