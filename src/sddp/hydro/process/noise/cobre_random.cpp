#include "sddp/hydro/process/noise/cobre_random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <utility>

#include "lockstep/base/math.hpp"

namespace lockstep::sddp::cobre {
namespace {

// --- seeds ---------------------------------------------------------------------------------------

/// The four words of SipHash between two message words.
struct SipState {
    std::uint64_t a = 0x736f6d6570736575;
    std::uint64_t b = 0x646f72616e646f6d;
    std::uint64_t c = 0x6c7967656e657261;
    std::uint64_t d = 0x7465646279746573;

    void round() noexcept {
        a += b;
        c += d;
        b = std::rotl(b, 13) ^ a;
        d = std::rotl(d, 16) ^ c;
        a = std::rotl(a, 32);
        a += d;
        c += b;
        d = std::rotl(d, 21) ^ a;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    }
    void absorb(std::uint64_t word) noexcept {
        d ^= word;
        round();
        a ^= word;
    }
    std::uint64_t finish() noexcept {
        c ^= 0xff;
        round();
        round();
        round();
        return a ^ b ^ c ^ d;
    }
};

/// Little-endian bytes, whatever the machine's own order.
class Message {
public:
    template <std::unsigned_integral T>
    Message& add(T value) noexcept {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_[size_++] = static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * i));
        }
        return *this;
    }
    Message& add(std::string_view text) noexcept {
        for (const char letter : text.substr(0, bytes_.size() - size_)) {
            bytes_[size_++] = static_cast<std::uint8_t>(letter);
        }
        return *this;
    }
    [[nodiscard]] std::uint64_t hash() const noexcept {
        return sip_hash13(std::span(bytes_.data(), size_));
    }

private:
    std::array<std::uint8_t, 40> bytes_{};
    std::size_t size_ = 0;
};

constexpr std::uint8_t shared_tag = 1;
constexpr std::uint8_t class_tag = 2;

// --- generator -----------------------------------------------------------------------------------

__extension__ using Wide = unsigned __int128;

constexpr Wide wide(std::uint64_t high, std::uint64_t low) {
    return Wide{high} << 64 | low;
}

constexpr Wide multiplier = wide(0x2360ed051fc65da4, 0x4385df649fccf645);

/// The 64-bit PCG that turns a seed into key material, 32 bits a call.
std::uint32_t expand(std::uint64_t& seed) noexcept {
    seed = seed * 6364136223846793005U + 11634580027462260723U;
    const auto folded = static_cast<std::uint32_t>((seed >> 18 ^ seed) >> 27);
    return std::rotr(folded, static_cast<int>(seed >> 59));
}

std::uint64_t expand64(std::uint64_t& seed) noexcept {
    const std::uint64_t low = expand(seed);
    return std::uint64_t{expand(seed)} << 32 | low;
}

// --- ziggurat ------------------------------------------------------------------------------------

constexpr std::size_t layers = 256;
constexpr double tail_start = 3.6541528853610088;

constexpr std::array<double, layers + 1> layer_ends = {
#include "sddp/hydro/process/noise/cobre_random_layers.inc"
};

double density(double x) noexcept {
    return math::exp(-x * x / 2);
}

/// Right ends of the layers, outermost first, and the density there.
struct Ziggurat {
    const std::array<double, layers + 1>& x = layer_ends;
    std::array<double, layers + 1> f{};

    Ziggurat() noexcept { std::transform(x.begin(), x.end(), f.begin(), density); }
};

const Ziggurat& ziggurat() noexcept {
    static const Ziggurat table;
    return table;
}

constexpr double two_to_minus_51 = 0x1p-51;
constexpr double two_to_minus_52 = 0x1p-52;
constexpr double two_to_minus_53 = 0x1p-53;

/// In [0, 1) from the top 53 bits.
double fine_uniform(std::uint64_t bits) noexcept {
    return static_cast<double>(bits >> 11) * two_to_minus_53;
}

/// In (0, 1): the middles of 2^52 cells.
double open_uniform(std::uint64_t bits) noexcept {
    return static_cast<double>(bits >> 12) * two_to_minus_52 + two_to_minus_53;
}

template <std::size_t Terms>
double polynomial(const std::array<double, Terms>& ascending, double x) noexcept {
    double sum = 0;
    for (std::size_t i = Terms; i-- > 0;) {
        sum = sum * x + ascending[i];
    }
    return sum;
}

/// [Moro1995]: the middle as a ratio of polynomials, the tails as one in ln(-ln u).
double middle_quantile(double y) noexcept {
    constexpr std::array numerator = {
        2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637};
    constexpr std::array denominator = {
        1.0, -8.47351093090, 23.08336743743, -21.06224101826, 3.13082909833};
    const double r = y * y;
    return y * polynomial(numerator, r) / polynomial(denominator, r);
}

double tail_quantile(double tail) noexcept {
    constexpr std::array terms = {0.3374754822726147,
                                  0.9761690190917186,
                                  0.1607979714918209,
                                  0.0276438810333863,
                                  0.0038405729373609,
                                  0.0003951896511349,
                                  0.0000321767881768,
                                  0.0000002888167364,
                                  0.0000003960315187};
    constexpr double limit = 1e-20;
    constexpr double quantile_at_limit = 8.21;
    if (tail <= limit) {
        return quantile_at_limit;
    }
    return polynomial(terms, math::log(-math::log(tail)));
}

}  // namespace

std::uint64_t sip_hash13(std::span<const std::uint8_t> bytes) noexcept {
    SipState state;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        word |= std::uint64_t{bytes[i]} << (8 * (i % 8));
        if (i % 8 == 7) {
            state.absorb(std::exchange(word, 0));
        }
    }
    state.absorb(word | std::uint64_t{bytes.size()} << 56);
    return state.finish();
}

std::uint64_t opening_seed(std::uint64_t base,
                           std::uint32_t opening,
                           std::uint32_t stage_id) noexcept {
    return Message().add(base).add(opening).add(stage_id).hash();
}

std::uint64_t stage_seed(std::uint64_t base, std::uint32_t stage_id) noexcept {
    return Message().add(base).add(stage_id).hash();
}

std::uint64_t forward_seed(std::uint64_t base,
                           std::uint32_t iteration,
                           std::uint32_t scenario,
                           std::uint32_t stage) noexcept {
    return Message().add(base).add(iteration).add(scenario).add(stage).hash();
}

std::uint64_t shared_forward_seed(std::uint64_t base,
                                  std::uint32_t iteration,
                                  std::uint32_t scenario,
                                  std::uint32_t group) noexcept {
    return Message().add(shared_tag).add(base).add(iteration).add(scenario).add(group).hash();
}

std::uint64_t class_seed(std::uint64_t base, std::string_view name) noexcept {
    return Message().add(class_tag).add(base).add(name).hash();
}

Generator::Generator(std::uint64_t seed) noexcept {
    const std::uint64_t state_low = expand64(seed);
    const std::uint64_t state_high = expand64(seed);
    const std::uint64_t increment_low = expand64(seed);
    increment_ = {increment_low | 1, expand64(seed)};
    const Wide start = wide(state_high, state_low) + wide(increment_.high, increment_.low);
    state_ = {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(start >> 64)};
    step();
}

void Generator::step() noexcept {
    const Wide next =
        wide(state_.high, state_.low) * multiplier + wide(increment_.high, increment_.low);
    state_ = {static_cast<std::uint64_t>(next), static_cast<std::uint64_t>(next >> 64)};
}

std::uint64_t Generator::next64() noexcept {
    step();
    return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58));
}

double Generator::uniform() noexcept {
    return static_cast<double>(next64() >> 12) * two_to_minus_52;
}

std::uint32_t Generator::below(std::uint32_t bound) noexcept {
    const std::uint64_t product = std::uint64_t{next32()} * bound;
    const auto low = static_cast<std::uint32_t>(product);
    auto result = static_cast<std::uint32_t>(product >> 32);
    if (low > 0U - bound) {  // only then can another 32 bits carry over
        const auto more = static_cast<std::uint32_t>((std::uint64_t{next32()} * bound) >> 32);
        result += more > ~low ? 1 : 0;
    }
    return result;
}

double Generator::normal() noexcept {
    const Ziggurat& table = ziggurat();
    for (;;) {
        const std::uint64_t bits = next64();
        const std::size_t layer = bits & (layers - 1);
        const double side = static_cast<double>(bits >> 12) * two_to_minus_51 - 1;
        const double x = side * table.x[layer];
        if (std::abs(x) < table.x[layer + 1]) {
            return x;
        }
        if (layer == 0) {
            return normal_tail(side);
        }
        const double height =
            table.f[layer + 1] + (table.f[layer] - table.f[layer + 1]) * fine_uniform(next64());
        if (height < density(x)) {
            return x;
        }
    }
}

double Generator::normal_tail(double side) noexcept {
    double beyond = 0;
    double y = 0;
    do {
        beyond = math::log(open_uniform(next64())) / tail_start;
        y = math::log(open_uniform(next64()));
    } while (-2 * y < beyond * beyond);
    return side < 0 ? beyond - tail_start : tail_start - beyond;
}

void Generator::permute(std::span<std::uint32_t> order) noexcept {
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i-- > 1;) {
        std::swap(order[i], order[below(static_cast<std::uint32_t>(i) + 1)]);
    }
}

double inverse_normal(double u) noexcept {
    constexpr double middle = 0.42;
    const double y = u - 0.5;
    if (std::abs(y) < middle) {
        return middle_quantile(y);
    }
    return std::copysign(tail_quantile(std::min(u, 1 - u)), y);
}

}  // namespace lockstep::sddp::cobre
