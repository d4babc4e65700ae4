#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {

// What a farm and its workers elsewhere say to each other. A process that has begun no task forks
// others and tells of their ends.
enum class FrameKind : std::uint32_t { ready, task, stop, report, end, fork, forked, ended };

Bytes pack(const Assignment& assignment);
Bytes pack(const Report& report);
Bytes pack(std::int64_t ticket);  // or another number
/// @throws InputError  cut off
Assignment unpack_assignment(std::span<const std::byte> bytes);
Report unpack_report(std::span<const std::byte> bytes);
std::int64_t unpack_ticket(std::span<const std::byte> bytes);

struct Frame {
    FrameKind kind = FrameKind::ready;
    Bytes payload;
};
/// As it goes through a stream.
Bytes frame_bytes(FrameKind kind, std::span<const std::byte> payload);

/// Frames out of the pieces in which a stream brings them.
class FrameReader {
public:
    void add(std::span<const std::byte> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::optional<Frame> next();

private:
    Bytes bytes_;
};

}  // namespace lockstep::runtime
