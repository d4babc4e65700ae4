#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "lockstep/base/error.hpp"

#include "comm/tcp/frame.hpp"
#include "comm/tcp/handshake.hpp"
#include "comm/tcp/heartbeat.hpp"
#include "comm/tcp/membership.hpp"

namespace {

using namespace lockstep::comm::tcp;
using Input = std::span<const std::byte>;

/// Anything is taken apart or refused by a CommError.
template <typename F>
void try_out(F&& parse) {
    try {
        parse();
    } catch (const lockstep::CommError&) {
        return;
    }
}

/// Pieces of a stream, as long as their number in it says.
template <typename F>
void in_pieces(Input input, F&& feed) {
    for (std::size_t piece = 1; !input.empty(); piece = piece * 3 % 61 + 1) {
        const auto part = input.first(std::min(piece, input.size()));
        input = input.subspan(part.size());
        feed(part);
    }
}

/// Frames come out as they went in, and never longer than allowed.
void read_frames(Input input) {
    FrameReader reader(control_bytes);
    std::size_t bytes = 0;
    in_pieces(input, [&](Input part) {
        reader.add(part);
        while (const auto frame = reader.next()) {
            const Bytes again = frame_bytes(frame->header, frame->payload);
            if (bytes + again.size() > input.size() ||
                !std::ranges::equal(again, input.subspan(bytes, again.size()))) {
                std::abort();
            }
            bytes += again.size();
            try_out([&] { unpack_news(*frame); });
        }
    });
}

/// A visitor that says anything; the nonce is known, so that one who follows the rules comes in.
void receive_visitor(Input input) {
    const Secret secret;
    Reception reception(secret, Nonce{}, [](const Hello& hello) {
        return hello.id < 3 ? std::optional<Rejection>()
                            : Rejection{Reason::bad_rank, "there are three ranks"};
    });
    in_pieces(input, [&](Input part) {
        reception.feed(part);
        if (reception.take_output().size() > control_bytes) {
            std::abort();
        }
    });
    if (reception.state() == Reception::State::accepted && reception.hello().id >= 3) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    try_out([&] { read_frames(input); });
    receive_visitor(input);
    try_out([&] {
        if (!std::ranges::equal(pack(unpack_hello(input)), input)) {
            std::abort();
        }
    });
    try_out([&] { unpack_rejection(input); });
    try_out([&] {
        if (!std::ranges::equal(pack(unpack_membership(input)), input)) {
            std::abort();
        }
    });
    return 0;
}
