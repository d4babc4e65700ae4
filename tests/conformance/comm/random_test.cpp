#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

constexpr std::uint8_t untouched = 0xee;
constexpr std::size_t guard = 16;
constexpr std::size_t small_staging = std::size_t{16} << 10;

/// An element of N bytes that may lie at any address.
template <std::size_t N>
using Element = std::array<std::uint8_t, N>;

template <std::size_t N>
std::span<Element<N>> elements(std::vector<std::uint8_t>& bytes,
                               std::size_t begin,
                               std::int64_t count) {
    return {static_cast<Element<N>*>(static_cast<void*>(bytes.data() + begin)),
            static_cast<std::size_t>(count)};
}

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

// Fills with what a rank has in a call, as far as anybody can tell.
void fill(std::span<std::uint8_t> bytes, std::uint64_t call, int rank) {
    const auto start = static_cast<std::size_t>(call * 31 + static_cast<std::uint64_t>(rank) * 101);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(start + 7 * i + 13 * (i >> 8));
    }
}

template <typename T>
T value_of(std::uint64_t call, int rank, std::size_t i, ReduceOp op) {
    const std::uint64_t bits = mix(call << 40 ^ static_cast<std::uint64_t>(rank) << 32 ^ i);
    if constexpr (std::integral<T>) {
        return static_cast<T>(bits);
    } else {
        using Limits = std::numeric_limits<T>;
        constexpr T specials[] = {
            T{0}, -T{0}, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
        if (op != ReduceOp::sum && bits % 8 == 0) {
            return specials[(bits >> 8) % 5];
        }
        const auto digits = static_cast<T>(static_cast<std::int64_t>(bits >> 8) % 2001 - 1000);
        return std::ldexp(digits, static_cast<int>(bits % 40) - 20);
    }
}

// One rank's value added to those of the ranks before.
template <typename T>
T fold(ReduceOp op, T before, T value) {
    if constexpr (std::integral<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        if (op == ReduceOp::sum) {
            return static_cast<T>(static_cast<Unsigned>(before) + static_cast<Unsigned>(value));
        }
        if (op == ReduceOp::bit_or) {
            return static_cast<T>(before | value);
        }
    } else {
        if (op == ReduceOp::sum) {
            return before + value;
        }
        if (std::isnan(before) || std::isnan(value)) {
            return std::numeric_limits<T>::quiet_NaN();
        }
        if (before == value) {
            return std::signbit(value) == (op == ReduceOp::min) ? value : before;
        }
    }
    return op == ReduceOp::min ? std::min(before, value) : std::max(before, value);
}

/// One rank's part in a sequence of collectives that all ranks draw alike.
class Player {
public:
    explicit Player(Communicator& comm) : comm_(comm) {}

    void play() {
        const auto kind = draw(10);
        if (kind < 4) {
            of_any_width([&]<std::size_t N>() { gather<N>(); });
        } else if (kind < 7) {
            of_any_width([&]<std::size_t N>() { broadcast<N>(); });
        } else if (kind < 9) {
            reduce_any();
        } else {
            comm_.barrier();
        }
        ++call_;
    }
    /// Calls that moved more than so many bytes.
    [[nodiscard]] int calls_above(std::size_t bytes) const {
        return static_cast<int>(
            std::ranges::count_if(lengths_, [&](std::size_t length) { return length > bytes; }));
    }

private:
    std::size_t draw(std::size_t bound) { return generator_() % bound; }

    // Mostly some bytes; now and then about as many as where a backend takes another way: its
    // small staging area is full, tcp sends them round, shm reads them where they lie.
    std::size_t draw_bytes() {
        constexpr std::size_t limits[] = {
            small_staging, std::size_t{64} << 10, std::size_t{256} << 10};
        const auto which = draw(20);
        const auto bytes = which < 3    ? limits[which] * 9 / 10 + draw(limits[which] / 5)
                           : which == 3 ? limits[2] + draw(limits[2])
                                        : draw(500);
        lengths_.push_back(bytes);
        return bytes;
    }

    template <typename F>
    void of_any_width(F&& call) {
        switch (draw(5)) {
            case 0:
                return call.template operator()<1>();
            case 1:
                return call.template operator()<3>();
            case 2:
                return call.template operator()<4>();
            case 3:
                return call.template operator()<8>();
            default:
                return call.template operator()<24>();
        }
    }

    // Elements fall to ranks at random, and none to some of them.
    std::vector<std::int64_t> draw_counts(std::size_t elements) {
        std::vector<std::size_t> cuts{0, elements};
        for (int rank = 1; rank < comm_.size(); ++rank) {
            cuts.push_back(draw(4) == 0 ? cuts[draw(cuts.size())] : draw(elements + 1));
        }
        std::ranges::sort(cuts);
        std::vector<std::int64_t> counts;
        for (std::size_t i = 1; i < cuts.size(); ++i) {
            counts.push_back(static_cast<std::int64_t>(cuts[i] - cuts[i - 1]));
        }
        return counts;
    }

    // In any order, with and without gaps.
    Layout draw_layout(std::size_t elements) {
        const auto counts = draw_counts(elements);
        std::vector<std::size_t> order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[draw(i)]);
        }
        std::vector<std::int64_t> offsets(counts.size());
        std::int64_t end = 0;
        for (const std::size_t rank : order) {
            end += static_cast<std::int64_t>(draw(3) * draw(40));
            offsets[rank] = end;
            end += counts[rank];
        }
        return {counts, offsets};
    }

    template <std::size_t N>
    void gather() {
        const Layout layout = draw_layout(draw_bytes() / N);
        const auto own = layout.count(comm_.rank());
        const auto own_begin = draw(guard);
        const auto begin = draw(guard);
        std::vector<std::uint8_t> sent(own_begin + static_cast<std::size_t>(own) * N + guard,
                                       untouched);
        fill(std::span(sent).subspan(own_begin, static_cast<std::size_t>(own) * N),
             call_,
             comm_.rank());
        const auto sent_before = sent;
        std::vector<std::uint8_t> received(
            begin + static_cast<std::size_t>(layout.extent()) * N + guard, untouched);
        auto expected = received;
        for (int rank = 0; rank < comm_.size(); ++rank) {
            if (layout.count(rank) > 0) {
                fill(std::span(expected).subspan(
                         begin + static_cast<std::size_t>(layout.offset(rank)) * N,
                         static_cast<std::size_t>(layout.count(rank)) * N),
                     call_,
                     rank);
            }
        }

        comm_.allgatherv<Element<N>>(elements<N>(sent, own_begin, own),
                                     elements<N>(received, begin, layout.extent()),
                                     layout);

        expect_equal(received, expected, "allgatherv");
        expect_equal(sent, sent_before, "what allgatherv sends");
    }

    template <std::size_t N>
    void broadcast() {
        const auto count = static_cast<std::int64_t>(draw_bytes() / N);
        const auto root = static_cast<int>(draw(static_cast<std::size_t>(comm_.size())));
        const auto begin = draw(guard) + static_cast<std::size_t>(comm_.rank());
        const auto bytes = static_cast<std::size_t>(count) * N;
        std::vector<std::uint8_t> buffer(begin + bytes + guard, untouched);
        auto expected = buffer;
        fill(std::span(buffer).subspan(begin, bytes), call_, comm_.rank());
        fill(std::span(expected).subspan(begin, bytes), call_, root);

        comm_.broadcast<Element<N>>(elements<N>(buffer, begin, count), root);

        expect_equal(buffer, expected, "broadcast");
    }

    void reduce_any() {
        switch (draw(6)) {
            case 0:
                return reduce<float>();
            case 1:
                return reduce<double>();
            case 2:
                return reduce<std::int32_t>();
            case 3:
                return reduce<std::int64_t>();
            case 4:
                return reduce<std::uint32_t>();
            default:
                return reduce<std::uint64_t>();
        }
    }

    template <typename T>
    void reduce() {
        const auto op = static_cast<ReduceOp>(draw(std::unsigned_integral<T> ? 4 : 3));
        const auto length = 1 + draw_bytes() / 8 / sizeof(T);
        std::vector<T> values;
        std::vector<T> expected;
        for (std::size_t i = 0; i < length; ++i) {
            values.push_back(value_of<T>(call_, comm_.rank(), i, op));
            expected.push_back(value_of<T>(call_, 0, i, op));
            for (int rank = 1; rank < comm_.size(); ++rank) {
                expected[i] = fold(op, expected[i], value_of<T>(call_, rank, i, op));
            }
            if constexpr (std::floating_point<T>) {  // a lone rank's, too, is the canonical one
                if (std::isnan(expected[i])) {
                    expected[i] = std::numeric_limits<T>::quiet_NaN();
                }
            }
        }

        comm_.allreduce<T>(values, op);

        EXPECT_EQ(std::memcmp(values.data(), expected.data(), length * sizeof(T)), 0)
            << "allreduce, call " << call_ << " on rank " << comm_.rank();
    }

    void expect_equal(const std::vector<std::uint8_t>& found,
                      const std::vector<std::uint8_t>& expected,
                      const char* what) const {
        const auto [at, other] = std::ranges::mismatch(found, expected);
        EXPECT_TRUE(at == found.end() && other == expected.end())
            << what << ", call " << call_ << " on rank " << comm_.rank() << ": byte "
            << at - found.begin() << " of " << found.size();
    }

    Communicator& comm_;
    std::mt19937_64 generator_{20'260'301};
    std::uint64_t call_ = 0;
    std::vector<std::size_t> lengths_;
};

class RandomCallsTest : public CommunicatorTest {};

TEST_P(RandomCallsTest, GivesWhatAModelGivesInAThousandRandomCalls) {
    on_all_ranks([](Communicator& comm) {
        Player player(comm);
        std::uint64_t calls = 0;
        repeat(comm, 1000, [&](std::uint64_t) {
            const auto before = comm.traffic().calls;
            player.play();
            EXPECT_EQ(comm.traffic().calls, before + 1);
            ++calls;
        });
        if (calls < 1000) {
            return;
        }
        EXPECT_GT(player.calls_above(small_staging), 100);
        EXPECT_GT(player.calls_above(std::size_t{64} << 10), 50);
        EXPECT_GT(player.calls_above(std::size_t{256} << 10), 30);
    });
}

TEST_P(CommunicatorTest, MeetsTenThousandTimesInARow) {
    std::vector<std::atomic<std::uint64_t>> entered(static_cast<std::size_t>(ranks()));
    on_all_ranks([&](Communicator& comm) {
        const auto own = static_cast<std::size_t>(comm.rank());
        int early = 0;
        repeat(comm, 10'000, [&](std::uint64_t before) {
            entered[own] = before + 1;
            comm.barrier();
            // Ranks that are processes of their own see their own entry only.
            for (const auto& other : entered) {
                early += other != 0 && other < before + 1 ? 1 : 0;
            }
        });
        EXPECT_EQ(early, 0) << "of the others had not entered when rank " << own << " left";
    });
}

/// All, and those whose ways are chosen by a setting; ranks that sleep at once get on well on a
/// busy machine too.
std::vector<Backend> all_ways() {
    auto backends = all_backends();
    if (is_world()) {
        return backends;
    }
    for (int ranks = 2; ranks <= 4 && is_built(BackendKind::shm); ++ranks) {
        backends.push_back(shm_backend(ranks, "shm_staged", [](ShmConfig& config) {
            config.buffer_bytes = small_staging;
            config.single_copy = false;
            config.spin = 0;
        }));
    }
    for (int ranks = 3; ranks <= 4 && is_built(BackendKind::tcp); ++ranks) {
        backends.push_back(tcp_backend(ranks, "tcp_star", TcpConfig::Algorithm::star));
    }
    return backends;
}

INSTANTIATE_TEST_SUITE_P(Random, RandomCallsTest, testing::ValuesIn(all_ways()), name_of_backend);
INSTANTIATE_TEST_SUITE_P(Random,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
