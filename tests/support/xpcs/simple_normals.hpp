#pragma once

#include <cstdint>

namespace lockstep::test {

/// Nearly normal numbers that Python makes with the same bits: tests/data/xpcs/arviz/make.py.
class SimpleNormals {
public:
    explicit SimpleNormals(std::int64_t seed) : state_(seed) {}

    double next() {
        double total = 0;
        for (int i = 0; i < 12; ++i) {
            constexpr std::int64_t modulus = 2147483647;
            state_ = 48271 * state_ % modulus;
            total += static_cast<double>(state_) / static_cast<double>(modulus);
        }
        return total - 6;
    }

private:
    std::int64_t state_;
};

}  // namespace lockstep::test
