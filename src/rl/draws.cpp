#include "lockstep/rl/draws.hpp"

#include <bit>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "lockstep/base/digest.hpp"

namespace lockstep::rl {
namespace {

/// Where a block stands in its stream; it is the first of its step.
struct Place {
    std::uint64_t step;
    std::uint32_t item;
};

DrawBlock block_at(std::uint64_t key, const Place& place) noexcept {
    StepDraws draws(key, place.item, place.step);
    const std::uint64_t first = draws.bits();
    return {first, draws.bits()};
}

#ifdef __AVX2__
/// philox() of four counters; the upper half of a lane holds bits that no product looks at.
struct FourCounters {
    __m256i words[4];

    void round(std::uint32_t even_key, std::uint32_t odd_key) noexcept {
        const __m256i even = product(words[0], 0xD2511F53);
        const __m256i odd = product(words[2], 0xCD9E8D57);
        words[0] = mixed(odd, words[1], even_key);
        words[2] = mixed(even, words[3], odd_key);
        words[1] = odd;
        words[3] = even;
    }
    /// Of the lower halves of lanes.
    static __m256i product(__m256i words, std::uint32_t factor) noexcept {
        using Eight [[gnu::vector_size(32)]] = int;
        return std::bit_cast<__m256i>(__builtin_ia32_pmuludq256(
            std::bit_cast<Eight>(words), std::bit_cast<Eight>(_mm256_set1_epi64x(factor))));
    }
    static __m256i mixed(__m256i product, __m256i word, std::uint32_t key) noexcept {
        const __m256i upper = _mm256_srli_epi64(product, 32);
        return _mm256_xor_si256(_mm256_xor_si256(upper, word), _mm256_set1_epi64x(key));
    }
    /// Words i and i + 1 as one.
    [[nodiscard]] __m256i joined(int i) const noexcept {
        return _mm256_blend_epi32(words[i], _mm256_slli_epi64(words[i + 1], 32), 0b10101010);
    }
};

__m256i four(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) noexcept {
    const auto lane = [](std::uint64_t word) { return static_cast<long long>(word); };
    return _mm256_setr_epi64x(lane(a), lane(b), lane(c), lane(d));
}

void fill_four(std::uint64_t key, const std::array<Place, 4>& at, DrawBlock* blocks) noexcept {
    const __m256i steps = four(at[0].step, at[1].step, at[2].step, at[3].step);
    FourCounters counters{{_mm256_setzero_si256(),
                           steps,
                           _mm256_srli_epi64(steps, 32),
                           four(at[0].item, at[1].item, at[2].item, at[3].item)}};
    auto even_key = static_cast<std::uint32_t>(key);
    auto odd_key = static_cast<std::uint32_t>(key >> 32U);
    for (int round = 0; round < 10; ++round) {
        counters.round(even_key, odd_key);
        even_key += 0x9E3779B9U;
        odd_key += 0xBB67AE85U;
    }
    const __m256i firsts = counters.joined(0);
    const __m256i seconds = counters.joined(2);
    const __m256i evens = _mm256_unpacklo_epi64(firsts, seconds);
    const __m256i odds = _mm256_unpackhi_epi64(firsts, seconds);
    const auto to = [&](int i) { return static_cast<__m256i*>(static_cast<void*>(blocks + i)); };
    _mm256_storeu_si256(to(0), _mm256_permute2x128_si256(evens, odds, 0x20));
    _mm256_storeu_si256(to(2), _mm256_permute2x128_si256(evens, odds, 0x31));
}
#endif

template <typename PlaceOf>
void fill_all(std::uint64_t key, std::span<DrawBlock> blocks, const PlaceOf& place_of) noexcept {
    std::size_t i = 0;
#ifdef __AVX2__
    for (; i + 4 <= blocks.size(); i += 4) {
        fill_four(
            key, {place_of(i), place_of(i + 1), place_of(i + 2), place_of(i + 3)}, &blocks[i]);
    }
#endif
    for (; i < blocks.size(); ++i) {
        blocks[i] = block_at(key, place_of(i));
    }
}

}  // namespace

Streams::Streams(std::uint64_t seed, std::string_view purpose) {
    DigestBuilder builder;
    builder.add(seed);
    builder.add(purpose);
    key_ = builder.digest()[0];
}

void Streams::fill(std::uint32_t item,
                   std::uint64_t step,
                   std::span<DrawBlock> blocks) const noexcept {
    fill_all(key_, blocks, [&](std::size_t i) { return Place{step + i, item}; });
}

void Streams::fill_items(std::uint32_t item,
                         std::uint64_t step,
                         std::span<DrawBlock> blocks) const noexcept {
    fill_all(key_, blocks, [&](std::size_t i) {
        return Place{step, item + static_cast<std::uint32_t>(i)};
    });
}

}  // namespace lockstep::rl
