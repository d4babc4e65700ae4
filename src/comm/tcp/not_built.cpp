#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/hub.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

[[noreturn]] void throw_not_built(const char* remedy) {
    throw NotBuiltError(
        fmt::format("backend 'tcp' is not part of this build; configure with "
                    "-DLOCKSTEP_WITH_TCP=ON{}",
                    remedy));
}

}  // namespace

std::unique_ptr<Communicator> make_tcp(const TcpConfig&, const ShmConfig&) {
    throw_not_built(" or set LOCKSTEP_COMM_BACKEND to another one");
}

class HubServer::Impl {};
HubServer::HubServer(const HubConfig&) {
    throw_not_built("");
}
HubServer::~HubServer() = default;
int HubServer::port() const {
    return 0;
}
std::uint64_t HubServer::number() const {
    return 0;
}
std::optional<HubServer::Event> HubServer::wait(std::chrono::milliseconds) {
    return {};
}
void HubServer::send(std::int64_t, std::span<const std::byte>) {}
void HubServer::drop(std::int64_t) {}

class HubClient::Impl {};
HubClient::HubClient(const HubConfig&) {
    throw_not_built("");
}
HubClient::~HubClient() = default;
void HubClient::send(std::span<const std::byte>) {}
std::optional<std::vector<std::byte>> HubClient::wait(std::chrono::milliseconds) {
    return {};
}

}  // namespace lockstep::comm
