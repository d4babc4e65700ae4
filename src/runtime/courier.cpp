#include "lockstep/runtime/courier.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/bytes.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t room = std::size_t{256} << 10;
constexpr std::size_t piece_bytes = room / 4;
constexpr std::uint32_t continued = 0xffffffff;  // the tag of all pieces of a message but the first

}  // namespace

Courier::Courier(comm::Communicator& ranks) : mailbox_(ranks.open_mailbox(room)) {}

void Courier::send(int to, std::uint32_t kind, std::span<const std::byte> payload) {
    auto& pieces = output_[to];
    ByteWriter first;
    first.add(static_cast<std::uint64_t>(payload.size()));
    auto bytes = first.take();
    auto tag = kind;
    do {
        const auto part = payload.first(std::min(payload.size(), piece_bytes));
        payload = payload.subspan(part.size());
        bytes.insert(bytes.end(), part.begin(), part.end());
        pieces.push_back({std::exchange(tag, continued), std::exchange(bytes, {})});
    } while (!payload.empty());
}

void Courier::flush() {
    for (auto& [to, pieces] : output_) {
        while (!pieces.empty() && mailbox_->post(to, pieces.front().tag, pieces.front().bytes)) {
            pieces.pop_front();
        }
    }
}

bool Courier::has_output() const {
    return std::ranges::any_of(output_, [](const auto& entry) { return !entry.second.empty(); });
}

std::optional<Courier::Received> Courier::wait(std::chrono::milliseconds limit) {
    auto message = mailbox_->wait(limit);
    while (message) {
        if (auto received = add(std::move(*message))) {
            return received;
        }
        message = mailbox_->poll();
    }
    return {};
}

std::optional<Courier::Received> Courier::add(comm::Message&& message) {
    auto& partial = input_[message.from];
    std::span<const std::byte> bytes = message.bytes;
    if (message.tag != continued) {
        ByteReader reader(bytes);
        partial = {{message.from, message.tag, {}}, reader.read<std::uint64_t>()};
        bytes = reader.rest();
    }
    auto& payload = partial.received.payload;
    payload.insert(payload.end(), bytes.begin(), bytes.end());
    if (payload.size() < partial.length) {
        return {};
    }
    return std::exchange(partial.received, {});
}

void Courier::forget(int rank) {
    mailbox_->forget(rank);
    forgotten_[rank] = true;
    output_.erase(rank);
}

}  // namespace lockstep::runtime
