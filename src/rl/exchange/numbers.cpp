#include "rl/exchange/numbers.hpp"

#include <array>
#include <bit>
#include <limits>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr int most_bits = 64;
constexpr int most_read = 48;  // at once, and of a number

/// Bits from the lowest of each byte on.
class BitWriter {
public:
    explicit BitWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    void put(std::uint64_t bits, int count) {
        if (count > half) {
            put_half(bits & low(half), half);
            bits >>= half;
            count -= half;
        }
        put_half(bits, count);
    }
    void end() {
        for (; filled_ > 0; filled_ -= 8) {
            bytes_.push_back(static_cast<std::byte>(waiting_));
            waiting_ >>= 8U;
        }
    }

private:
    static constexpr int half = 32;
    static constexpr std::uint64_t low(int count) { return (std::uint64_t{1} << count) - 1; }
    void put_half(std::uint64_t bits, int count) {
        waiting_ |= bits << filled_;
        filled_ += count;
        for (; filled_ >= 8; filled_ -= 8) {
            bytes_.push_back(static_cast<std::byte>(waiting_));
            waiting_ >>= 8U;
        }
    }

    std::vector<std::byte>& bytes_;
    std::uint64_t waiting_ = 0;
    int filled_ = 0;
};

class BitReader {
public:
    explicit BitReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    /// @param count  at most most_read
    std::uint64_t take(int count) {
        fill();
        if (count > filled_) {
            cut_off();
        }
        const std::uint64_t bits = waiting_ & ((std::uint64_t{1} << count) - 1);
        drop(count);
        return bits;
    }
    /// How many bits are 0 before the next that is not, which is taken too.
    int take_zeros() {
        int zeros = 0;
        for (fill(); waiting_ == 0; fill()) {
            zeros += filled_;
            drop(filled_);
            if (rest_.empty() || zeros > most_bits) {
                cut_off();
            }
        }
        const int more = std::countr_zero(waiting_);
        drop(more + 1);
        return zeros + more;
    }
    /// What is left after the byte under way.
    [[nodiscard]] std::size_t left() const { return rest_.size() + at(filled_ / 8); }

private:
    [[noreturn]] static void cut_off() { throw InputError("a list of numbers is cut off"); }
    void drop(int count) {
        waiting_ >>= count;
        filled_ -= count;
    }
    void fill() {
        while (filled_ <= most_read && !rest_.empty()) {
            waiting_ |= std::to_integer<std::uint64_t>(rest_.front()) << filled_;
            rest_ = rest_.subspan(1);
            filled_ += 8;
        }
    }

    std::span<const std::byte> rest_;
    std::uint64_t waiting_ = 0;
    int filled_ = 0;
};

// Of a number that is so much longer than the order.
std::uint64_t bits_about(int longer, int order) {
    const int beyond = longer <= 0 ? 1 : longer == 1 ? 3 : 2 * longer;
    return static_cast<std::uint64_t>(order + beyond);
}

// Bits that all take, near enough, from how many are as long as what.
int best_order(std::span<const std::uint64_t> numbers) {
    std::array<std::uint64_t, most_bits + 1> lengths{};
    for (const std::uint64_t number : numbers) {
        ++lengths[static_cast<std::size_t>(std::bit_width(number))];
    }
    int best = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (int order = 0; order < most_bits / 2; ++order) {
        std::uint64_t bits = 0;
        for (int length = 0; length <= most_bits; ++length) {
            bits += lengths[at(length)] * bits_about(length - order, order);
        }
        if (bits < fewest) {
            fewest = bits;
            best = order;
        }
    }
    return best;
}

}  // namespace

void put_numbers(std::span<const std::uint64_t> numbers, std::vector<std::byte>& bytes) {
    const int order = best_order(numbers);
    bytes.push_back(static_cast<std::byte>(order));
    BitWriter bits(bytes);
    const std::uint64_t low = (std::uint64_t{1} << order) - 1;
    for (const std::uint64_t number : numbers) {
        const std::uint64_t above = (number >> order) + 1;
        const auto length = static_cast<int>(std::bit_width(above >> 1U));
        bits.put(0, length);
        bits.put(1, 1);
        bits.put(above & ((std::uint64_t{1} << length) - 1), length);
        bits.put(number & low, order);
    }
    bits.end();
}

void take_numbers(std::span<const std::byte>& bytes, std::span<std::uint64_t> numbers) {
    if (bytes.empty()) {
        throw InputError("a list of numbers is cut off");
    }
    const int order = std::to_integer<int>(bytes.front());
    BitReader bits(bytes.subspan(1));
    for (std::uint64_t& number : numbers) {
        const int length = bits.take_zeros();
        if (length + order > most_read || order >= most_bits / 2) {
            throw InputError("a list of numbers has one that is too large");
        }
        const std::uint64_t above = (std::uint64_t{1} << length) | bits.take(length);
        number = ((above - 1) << order) | bits.take(order);
    }
    bytes = bytes.last(bits.left());
}

}  // namespace lockstep::rl
