#include "runtime/farm/frames.hpp"

#include <algorithm>
#include <cstring>

#include "lockstep/base/bytes.hpp"

namespace lockstep::runtime {
namespace {

struct Head {
    FrameKind kind;
    std::uint32_t zero;
    std::uint64_t length;
};

std::span<const char> chars(const std::string& text) {
    return {text.data(), text.size()};
}

std::string read_text(ByteReader& reader) {
    const auto characters = reader.read_array<char>();
    return {characters.begin(), characters.end()};
}

}  // namespace

Bytes pack(const Assignment& assignment) {
    ByteWriter writer;
    writer.add(assignment.ticket);
    writer.add(assignment.number);
    writer.add(static_cast<std::int64_t>(assignment.time_limit.count()));
    writer.add_array(chars(assignment.function));
    writer.add_array(assignment.input);
    return writer.take();
}

Assignment unpack_assignment(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    Assignment assignment;
    assignment.ticket = reader.read<std::int64_t>();
    assignment.number = reader.read<std::int64_t>();
    assignment.time_limit = std::chrono::milliseconds(reader.read<std::int64_t>());
    assignment.function = read_text(reader);
    assignment.input = reader.read_array<std::byte>();
    return assignment;
}

Bytes pack(const Report& report) {
    ByteWriter writer;
    writer.add(std::int64_t{report.worker});
    writer.add(report.ticket);
    writer.add(report.kind);
    writer.add_array(report.output);
    writer.add_array(chars(report.error));
    return writer.take();
}

Report unpack_report(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    Report report;
    report.worker = static_cast<int>(reader.read<std::int64_t>());
    report.ticket = reader.read<std::int64_t>();
    report.kind = reader.read<Report::Kind>();
    report.output = reader.read_array<std::byte>();
    report.error = read_text(reader);
    return report;
}

Bytes pack(std::int64_t ticket) {
    ByteWriter writer;
    writer.add(ticket);
    return writer.take();
}

std::int64_t unpack_ticket(std::span<const std::byte> bytes) {
    return ByteReader(bytes).read<std::int64_t>();
}

Bytes frame_bytes(FrameKind kind, std::span<const std::byte> payload) {
    const Head head{kind, 0, payload.size()};
    Bytes bytes(sizeof head + payload.size());
    std::memcpy(bytes.data(), &head, sizeof head);
    std::ranges::copy(payload, bytes.begin() + sizeof head);
    return bytes;
}

std::optional<Frame> FrameReader::next() {
    Head head{};
    if (bytes_.size() < sizeof head) {
        return {};
    }
    std::memcpy(&head, bytes_.data(), sizeof head);
    if (bytes_.size() - sizeof head < head.length) {
        return {};
    }
    const auto begin = bytes_.begin() + sizeof head;
    const auto end = begin + static_cast<std::ptrdiff_t>(head.length);
    Frame frame{head.kind, {begin, end}};
    bytes_.erase(bytes_.begin(), end);
    return frame;
}

}  // namespace lockstep::runtime
