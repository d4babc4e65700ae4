#include "app/launch/free_port.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {

int free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* any = static_cast<sockaddr*>(static_cast<void*>(&address));
    const bool is_bound = bind(probe, any, length) == 0 && getsockname(probe, any, &length) == 0;
    close(probe);
    if (!is_bound) {
        throw IoError("no free port on the loopback interface", IoError::Direction::read);
    }
    return ntohs(address.sin_port);
}

}  // namespace lockstep::app
