#include "rl/server/shard_messages.hpp"

#include <utility>

#include "rl/server/message_bytes.hpp"

namespace lockstep::rl {

std::vector<std::byte> pack(const Pull& pull) {
    auto bytes = writer_of(MessageKind::pull);
    bytes.add(pull);
    return bytes.take();
}

Pull unpack_pull(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    const auto pull = bytes.read<Pull>();
    check_end(bytes);
    return pull;
}

std::vector<std::byte> pack(const std::vector<LeasePart>& parts) {
    auto bytes = writer_of(MessageKind::parts);
    bytes.add(static_cast<std::uint64_t>(parts.size()));
    for (const LeasePart& part : parts) {
        bytes.add(part.id);
        bytes.add_array(part.delta);
        add_losses(bytes, part.losses);
    }
    return bytes.take();
}

std::vector<LeasePart> unpack_parts(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    std::vector<LeasePart> parts;
    for (auto left = bytes.read<std::uint64_t>(); left > 0; --left) {
        LeasePart part;
        part.id = bytes.read<LeaseId>();
        part.delta = bytes.read_array<std::byte>();
        part.losses = read_losses(bytes);
        parts.push_back(std::move(part));
    }
    check_end(bytes);
    return parts;
}

std::vector<std::byte> pack(MessageKind kind, const std::vector<LeaseId>& leases) {
    auto bytes = writer_of(kind);
    bytes.add_array(leases);
    return bytes.take();
}

std::vector<LeaseId> unpack_leases(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    auto leases = bytes.read_array<LeaseId>();
    check_end(bytes);
    return leases;
}

std::vector<std::byte> pack(const Apply& apply) {
    auto bytes = writer_of(MessageKind::apply);
    bytes.add(apply.share);
    bytes.add_array(apply.leases);
    return bytes.take();
}

Apply unpack_apply(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    Apply apply;
    apply.share = bytes.read<double>();
    apply.leases = bytes.read_array<LeaseId>();
    check_end(bytes);
    return apply;
}

}  // namespace lockstep::rl
