#pragma once

#include <string>
#include <string_view>

#include "comm/tcp/handshake.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// What keeps strangers away from where a process listens.
struct Guard {
    const std::string& token;
    const std::string& token_file;  ///< holds the secret, instead of token
    bool trusts_network;
};

/// @throws IoError  the token file cannot be read, is empty or is no file
Secret secret_of(const Guard& guard);

/// @param who  listens: "rank 0"
/// @throws UsageError  other hosts reach the address and there is no secret, or one that other
/// users can read
void check_guarded(const Guard& guard, std::string_view who, const Address& at);

}  // namespace lockstep::comm::tcp
