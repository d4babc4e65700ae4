#include "comm/tcp/handshake.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "comm/tcp/sha256.hpp"

namespace lockstep::comm::tcp {
namespace {

// Each side's proof names the side, so that neither can send the other's back.
Sha256Digest proof_of(std::string_view side,
                      const Secret& secret,
                      std::span<const std::byte> hello,
                      std::span<const std::byte> nonce) {
    Packer packer;
    packer.text(side).raw(hello).raw(nonce);
    return hmac_sha256(secret, packer.take());
}

bool is_proof(std::span<const std::byte> found, const Sha256Digest& expected) {
    Sha256Digest digest{};
    if (found.size() != digest.size()) {
        return false;
    }
    std::ranges::copy(found, digest.begin());
    return are_equal(digest, expected);
}

Rejection bad_token() {
    return {Reason::bad_token,
            "the token of this rank is not the one of the other ranks (LOCKSTEP_TCP_TOKEN, "
            "LOCKSTEP_TCP_TOKEN_FILE)"};
}

Frame receive_expected(const Socket& socket, Tag tag, Deadline deadline) {
    Frame frame = receive_frame(socket, control_bytes, deadline);
    check_header(frame.header, {tag, 0, 0, frame.payload.size()});
    return frame;
}

}  // namespace

Nonce draw_nonce() {
    Nonce nonce{};
    if (getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
        throw CommError("tcp: the system gives no random bytes");
    }
    return nonce;
}

Bytes pack(const Hello& hello) {
    Packer packer;
    packer.number(static_cast<std::uint8_t>(hello.purpose));
    packer.number(static_cast<std::uint8_t>(hello.channel));
    packer.number(hello.epoch).number(hello.group).number(hello.id).number(hello.size);
    packer.text(hello.layout)
        .text(hello.host)
        .text(hello.node)
        .text(hello.cores)
        .text(hello.address)
        .number(hello.port);
    packer.raw(hello.nonce);
    return packer.take();
}

Hello unpack_hello(std::span<const std::byte> bytes) {
    Unpacker fields(bytes);
    const auto purpose = fields.number<std::uint8_t>();
    const auto channel = fields.number<std::uint8_t>();
    if (purpose > static_cast<std::uint8_t>(Purpose::abort) ||
        channel > static_cast<std::uint8_t>(Channel::mailbox)) {
        throw CommError(
            fmt::format("tcp: unknown purpose {} of a connection", static_cast<int>(purpose)));
    }
    Hello hello;
    hello.purpose = static_cast<Purpose>(purpose);
    hello.channel = static_cast<Channel>(channel);
    hello.epoch = fields.number<std::uint32_t>();
    hello.group = fields.number<std::uint64_t>();
    hello.id = fields.number<std::uint32_t>();
    hello.size = fields.number<std::uint32_t>();
    hello.layout = fields.text();
    hello.host = fields.text();
    hello.node = fields.text();
    hello.cores = fields.text();
    hello.address = fields.text();
    hello.port = fields.number<std::uint16_t>();
    std::ranges::copy(fields.take(hello.nonce.size()), hello.nonce.begin());
    fields.finish();
    return hello;
}

Bytes pack(const Rejection& rejection) {
    Packer packer;
    packer.number(static_cast<std::uint8_t>(rejection.reason)).text(rejection.text);
    return packer.take();
}

Rejection unpack_rejection(std::span<const std::byte> bytes) {
    Unpacker fields(bytes);
    const auto reason = static_cast<Reason>(fields.number<std::uint8_t>());
    Rejection rejection{reason, fields.text()};
    fields.finish();
    return rejection;
}

Frame receive_frame(const Socket& socket, std::size_t longest, Deadline deadline) {
    EncodedHeader encoded{};
    socket.receive(encoded, deadline);
    Frame frame{decode(encoded), {}};
    if (frame.header.length > longest) {
        throw CommError(fmt::format(
            "tcp: a message of {} bytes, at most {} are expected", frame.header.length, longest));
    }
    frame.payload.resize(static_cast<std::size_t>(frame.header.length));
    socket.receive(frame.payload, deadline);
    if (frame.header.tag == Tag::reject) {
        throw Rejected(unpack_rejection(frame.payload));
    }
    return frame;
}

void introduce(const Socket& socket, const Hello& hello, const Secret& secret, Deadline deadline) {
    const Bytes packed = pack(hello);
    socket.send(frame_bytes({Tag::hello}, packed), deadline);
    const Frame challenge = receive_expected(socket, Tag::challenge, deadline);
    socket.send(frame_bytes({Tag::proof}, proof_of("visitor", secret, packed, challenge.payload)),
                deadline);
    const Frame welcome = receive_expected(socket, Tag::welcome, deadline);
    if (!is_proof(welcome.payload, proof_of("host", secret, packed, challenge.payload))) {
        throw Rejected(bad_token());
    }
}

Reception::Reception(const Secret& secret, const Nonce& nonce, Judge judge)
    : secret_(secret), nonce_(nonce), judge_(std::move(judge)) {}

Reception::State Reception::feed(std::span<const std::byte> bytes) {
    try {
        reader_.add(bytes);
        while (state_ == State::open) {
            const auto frame = reader_.next();
            if (!frame) {
                break;
            }
            take(*frame);
        }
    } catch (const CommError&) {
        state_ = State::closed;
    }
    return state_;
}

Bytes Reception::take_output() {
    return std::exchange(output_, {});
}

void Reception::take(const Frame& frame) {
    if (packed_hello_.empty()) {
        take_hello(frame);
    } else {
        take_proof(frame);
    }
}

// Who only looks whether this rank lives brings no proof, and hears at once when he is out.
void Reception::take_hello(const Frame& frame) {
    check_header(frame.header, {Tag::hello, 0, 0, frame.payload.size()});
    hello_ = unpack_hello(frame.payload);
    packed_hello_ = frame.payload;
    if (hello_.purpose == Purpose::monitor) {
        if (const auto rejection = judge_(hello_)) {
            refuse(*rejection);
            return;
        }
    }
    say(Tag::challenge, nonce_);
}

void Reception::take_proof(const Frame& frame) {
    check_header(frame.header, {Tag::proof, 0, 0, frame.payload.size()});
    if (!is_proof(frame.payload, proof_of("visitor", secret_, packed_hello_, nonce_))) {
        refuse(bad_token());
        return;
    }
    if (const auto rejection = judge_(hello_)) {
        refuse(*rejection);
        return;
    }
    say(Tag::welcome, proof_of("host", secret_, packed_hello_, nonce_));
    state_ = State::accepted;
}

void Reception::say(Tag tag, std::span<const std::byte> payload) {
    const Bytes frame = frame_bytes({tag}, payload);
    output_.insert(output_.end(), frame.begin(), frame.end());
}

void Reception::refuse(const Rejection& rejection) {
    say(Tag::reject, pack(rejection));
    state_ = State::closed;
}

}  // namespace lockstep::comm::tcp
