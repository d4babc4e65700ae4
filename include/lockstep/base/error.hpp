#pragma once

#include <stdexcept>
#include <string>

namespace lockstep {

/// Root of every exception that crosses an API of this library.
///
/// A message says what is wrong, where (file, field), what was found and what is allowed.
class Error : public std::runtime_error {
public:
    Error(const std::string& message, int exit_code)
        : std::runtime_error(message), exit_code_(exit_code) {}

    /// Exit code of the command line for this error, after sysexits.h (docs/formats.md lists them).
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
    int exit_code_;
};

/// A case, data file or option that the user can correct (65).
class InputError : public Error {
public:
    explicit InputError(const std::string& message) : Error(message, 65) {}
};

/// A command line or setting that cannot be understood (64).
class UsageError : public Error {
public:
    explicit UsageError(const std::string& message) : Error(message, 64) {}
};

/// A well-formed model without an answer, for example an infeasible stage (65).
class ModelError : public Error {
public:
    explicit ModelError(const std::string& message) : Error(message, 65) {}
};

/// A file that is missing or cannot be read (66), or cannot be written (74).
class IoError : public Error {
public:
    enum class Direction { read, write };
    IoError(const std::string& message, Direction direction)
        : Error(message, direction == Direction::read ? 66 : 74) {}
};

/// Message passing failed, or another rank failed (71).
class CommError : public Error {
public:
    explicit CommError(const std::string& message) : Error(message, 71) {}
};

/// A third-party library misbehaved; the message holds its own code (70).
class BackendError : public Error {
public:
    explicit BackendError(const std::string& message) : Error(message, 70) {}
};

/// A feature that this build leaves out; the message names the build option (69).
class NotBuiltError : public Error {
public:
    explicit NotBuiltError(const std::string& message) : Error(message, 69) {}
};

/// A broken promise inside this program: a bug (70).
class AssertionError : public Error {
public:
    explicit AssertionError(const std::string& message) : Error(message, 70) {}
};

}  // namespace lockstep
