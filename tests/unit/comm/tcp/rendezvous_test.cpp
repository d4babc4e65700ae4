#include <bit>
#include <string_view>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include "conformance/comm/backends.hpp"

namespace {

constexpr std::string_view flaky_name = "flaky.invalid";
constexpr int failures = 2;
thread_local int lookups = 0;

}  // namespace

// Stands before that of the C library: a name that each thread finds at its third try only.
extern "C" int getaddrinfo(const char* name,
                           const char* service,
                           const addrinfo* hints,
                           addrinfo** found) {
    using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto next = std::bit_cast<Lookup>(dlsym(RTLD_NEXT, "getaddrinfo"));
    if (name == nullptr || name != flaky_name) {
        return next(name, service, hints, found);
    }
    if (lookups++ < failures) {
        return EAI_AGAIN;
    }
    return next("127.0.0.1", service, hints, found);
}

namespace lockstep::comm {
namespace {

TEST(TcpRendezvousTest, AsksAgainForNamesThatAreNotKnownYet) {
    CommConfig config;
    config.backend = BackendKind::tcp;
    config.tcp.coordinator = flaky_name;
    config.tcp.bind_address = "0.0.0.0";  // rank 0 needs its name once all have come
    config.tcp.port = free_port();
    config.tcp.size = 3;
    config.tcp.token = "secret";
    run_connected(
        3,
        [&](int rank) {
            auto own = config;
            own.tcp.rank = rank;
            return own;
        },
        [](Communicator& comm) {
            EXPECT_EQ(comm.allreduce(1, ReduceOp::sum), 3);
            EXPECT_EQ(lookups, failures + 1);
        });
}

}  // namespace
}  // namespace lockstep::comm
