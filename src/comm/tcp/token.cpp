#include "comm/tcp/token.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

namespace lockstep::comm::tcp {
namespace {

// Without the line ends that editors leave. A pipe or a device in the file's place could make the
// rank wait for ever.
std::string read_token(const std::string& path) {
    constexpr std::uintmax_t longest_token = 1 << 16;
    std::error_code code;
    if (std::filesystem::exists(path, code) &&
        (!std::filesystem::is_regular_file(path, code) ||
         std::filesystem::file_size(path, code) > longest_token)) {
        throw IoError(
            fmt::format("tcp: the token file {} must be a regular file of at most {} bytes",
                        path,
                        longest_token),
            IoError::Direction::read);
    }
    std::ifstream file(path);
    std::string token(std::istreambuf_iterator<char>(file), {});
    if (!file) {
        throw IoError(fmt::format("tcp: cannot read the token file {}", path),
                      IoError::Direction::read);
    }
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) {
        token.pop_back();
    }
    if (token.empty()) {
        throw IoError(fmt::format("tcp: the token file {} is empty", path),
                      IoError::Direction::read);
    }
    return token;
}

// The mode of a file that other users may read; nothing: none may. A file of another owner is given
// to this user by its group, as Kubernetes mounts secrets.
std::optional<unsigned> mode_for_others(const std::string& path) {
    struct stat status {};
    if (path.empty() || stat(path.c_str(), &status) != 0) {
        return {};
    }
    const unsigned read_by_others = status.st_uid == geteuid() ? S_IRGRP | S_IROTH : S_IROTH;
    if ((status.st_mode & read_by_others) == 0) {
        return {};
    }
    return status.st_mode & 07777;
}

}  // namespace

Secret secret_of(const Guard& guard) {
    const auto token = guard.token_file.empty() ? guard.token : read_token(guard.token_file);
    const auto bytes = std::as_bytes(std::span(token));
    return {bytes.begin(), bytes.end()};
}

// Whoever reaches the address may join, and read and change all results.
void check_guarded(const Guard& guard, std::string_view who, const Address& at) {
    if (guard.trusts_network || at.is_loopback()) {
        return;
    }
    if (guard.token.empty() && guard.token_file.empty()) {
        throw UsageError(
            fmt::format("tcp: {} would be open to everybody who reaches {}; give all processes "
                        "a secret (LOCKSTEP_TCP_TOKEN_FILE), or set LOCKSTEP_TCP_TRUST_NETWORK=1 "
                        "where nobody else can reach it",
                        who,
                        to_string(at)));
    }
    if (const auto mode = mode_for_others(guard.token_file)) {
        throw UsageError(fmt::format(
            "tcp: the token file {} can be read by other users (mode {:o}); chmod 600 it, or set "
            "LOCKSTEP_TCP_TRUST_NETWORK=1 where all users of this host may know it",
            guard.token_file,
            *mode));
    }
}

}  // namespace lockstep::comm::tcp
