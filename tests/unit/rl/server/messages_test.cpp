#include "rl/server/messages.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

using Bytes = std::vector<std::byte>;

Push some_push() {
    Counts counts;
    counts.transitions = 10;
    counts.returns = 2.5;
    return {3, {{{1, 7}, 0.25, counts, {1, 2}, {std::byte{1}}, {std::byte{2}}, {5, 70'000}}}};
}

Work some_work() {
    return {4,
            {{{1, 8}, 2, 500, {std::byte{9}}}},
            {17, {0, 3, 4, 4'000'000'000}, {1, 2, 3, 0.1}, {1, 0, 2, 4'000'000'000}, Width::f64}};
}

TEST(ServerMessagesTest, ComeBackAsTheyWere) {
    const Hello hello{5, 6, 2, {{1, 7}, {2, 1}}, {8, 9}};
    const Hello read = unpack_hello(pack(hello));
    EXPECT_EQ(read.run, 5U);
    EXPECT_EQ(read.worker, 6);
    EXPECT_EQ(read.threads, 2);
    EXPECT_EQ(read.leases, hello.leases);
    EXPECT_EQ(read.task, hello.task);

    const Work work = unpack_work(pack(some_work()));
    EXPECT_EQ(work.acknowledged, 4);
    EXPECT_EQ(work.leases.at(0).id, (LeaseId{1, 8}));
    EXPECT_EQ(work.leases.at(0).transitions, 500);
    EXPECT_EQ(work.news.cells, some_work().news.cells);
    EXPECT_EQ(work.news.values, some_work().news.values);
    EXPECT_EQ(work.news.visits, some_work().news.visits);

    const Push push = unpack_push(pack(some_push()));
    EXPECT_EQ(push.sequence, 3);
    EXPECT_EQ(push.results.at(0).id, (LeaseId{1, 7}));
    EXPECT_EQ(push.results.at(0).counts.returns, 2.5);
    EXPECT_EQ(push.results.at(0).returns, (std::vector<double>{1, 2}));
    EXPECT_EQ(push.results.at(0).losses, (std::vector<std::uint32_t>{5, 70'000}));

    Work narrow = some_work();
    narrow.news.width = Width::scaled;
    EXPECT_LE(pack(narrow).size(), pack(some_work()).size() - 4 * sizeof(float));
    const auto values = unpack_work(pack(narrow)).news.values;
    EXPECT_EQ(values.at(2), 3);
    EXPECT_NEAR(values.at(3), 0.1, 4 * 0x1p-21);

    EXPECT_EQ(unpack_text(pack(MessageKind::refusal, "no")), "no");
    EXPECT_EQ(kind_of(pack(MessageKind::end)), MessageKind::end);
}

void expect_refused_where_cut(const Bytes& whole,
                              const std::function<void(std::span<const std::byte>)>& unpack) {
    EXPECT_NO_THROW(unpack(whole));
    for (std::size_t length = 1; length < whole.size(); ++length) {
        EXPECT_THROW(unpack(std::span(whole).first(length)), InputError) << length;
    }
    Bytes longer = whole;
    longer.push_back({});
    EXPECT_THROW(unpack(longer), InputError);
}

TEST(ServerMessagesTest, CutOnesAreRefused) {
    expect_refused_where_cut(pack(Hello{}), [](auto bytes) { unpack_hello(bytes); });
    expect_refused_where_cut(pack(Welcome{}), [](auto bytes) { unpack_welcome(bytes); });
    expect_refused_where_cut(pack(some_push()), [](auto bytes) { unpack_push(bytes); });
    expect_refused_where_cut(pack(some_work()), [](auto bytes) { unpack_work(bytes); });
    expect_refused_where_cut(pack(MessageKind::rest, some_work().news),
                             [](auto bytes) { unpack_news(bytes); });
    EXPECT_THROW(kind_of({}), InputError);
    EXPECT_THROW(kind_of(Bytes{std::byte{200}}), InputError);
}

}  // namespace
}  // namespace lockstep::rl
