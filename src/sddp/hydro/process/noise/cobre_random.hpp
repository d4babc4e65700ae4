#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// Random numbers with the bits of the Cobre solver, on which published values of its cases depend.
///
/// Everything else draws from Philox streams. Here a seed is a hash of what is drawn, and a fresh
/// generator starts from each seed, so there is no state to carry either.
namespace lockstep::sddp::cobre {

/// SipHash-1-3 of the bytes under the key 0.
/// @par Source  [AumassonBernstein2012], with one compression and three final rounds
std::uint64_t sip_hash13(std::span<const std::uint8_t> bytes) noexcept;

// Seeds: hashes of little-endian numbers, told apart by their length and by a leading tag byte.

/// Of one vector of an opening tree, and of anything else that two small numbers name.
std::uint64_t opening_seed(std::uint64_t base,
                           std::uint32_t opening,
                           std::uint32_t stage_id) noexcept;
/// Of a stream that serves all openings of a stage.
std::uint64_t stage_seed(std::uint64_t base, std::uint32_t stage_id) noexcept;
/// Of a stage of a forward trajectory. Iterations count from 1; simulation is iteration 0.
std::uint64_t forward_seed(std::uint64_t base,
                           std::uint32_t iteration,
                           std::uint32_t scenario,
                           std::uint32_t stage) noexcept;
/// The same, for noise that all stages of a group share.
std::uint64_t shared_forward_seed(std::uint64_t base,
                                  std::uint32_t iteration,
                                  std::uint32_t scenario,
                                  std::uint32_t group) noexcept;
/// A base of its own for a class of noise, "inflow" for example.
std::uint64_t class_seed(std::uint64_t base, std::string_view name) noexcept;

/// PCG-XSL-RR 128/64 with the conversions of Rust's rand.
/// @par Source  [ONeill2014], section 6.3.3
class Generator {
public:
    /// Expands the seed by a 64-bit PCG.
    explicit Generator(std::uint64_t seed) noexcept;

    std::uint64_t next64() noexcept;
    /// The low half of next64().
    std::uint32_t next32() noexcept { return static_cast<std::uint32_t>(next64()); }

    /// On a grid of 2^-52 in [0, 1).
    double uniform() noexcept;
    /// In 0 .. bound - 1, bound >= 1; the bias is below 2^-64.
    std::uint32_t below(std::uint32_t bound) noexcept;
    /// Standard normal, by a ziggurat of 256 layers.
    /// @par Source  [MarsagliaTsang2000], in the form of [Doornik2005]
    double normal() noexcept;
    /// Fills with 0 .. size - 1 in random order (Fisher-Yates from the back).
    void permute(std::span<std::uint32_t> order) noexcept;

private:
    struct Word128 {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
    };
    Word128 state_;
    Word128 increment_;

    void step() noexcept;
    double normal_tail(double side) noexcept;
};

/// Quantile of the standard normal distribution, 3e-9 off at worst; u is taken into (0, 1), where
/// the ends give ±8.21.
/// @par Source  [Moro1995], after [BeasleySpringer1977]
double inverse_normal(double u) noexcept;

}  // namespace lockstep::sddp::cobre
