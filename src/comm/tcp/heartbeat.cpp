#include "comm/tcp/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lockstep/base/error.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr int most_unanswered = 4;

void append(Bytes& bytes, std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

News death(int id, Loss loss) {
    const char* words = loss == Loss::gone ? "is gone" : "cannot be reached any more";
    return {Tag::dead, id, 0, static_cast<std::uint64_t>(loss), words};
}

}  // namespace

Bytes pack(const News& news) {
    Packer packer;
    packer.number(static_cast<std::uint32_t>(news.id)).number(news.group).number(news.sequence);
    packer.text(news.why.substr(0, control_bytes / 2));
    return packer.take();
}

News unpack_news(const Frame& frame) {
    Unpacker fields(frame.payload);
    News news;
    news.tag = frame.header.tag;
    news.id = static_cast<int>(fields.number<std::uint32_t>());
    news.group = fields.number<std::uint64_t>();
    news.sequence = fields.number<std::uint64_t>();
    news.why = fields.text();
    fields.finish();
    return news;
}

void Heartbeat::connect(int id, Socket socket) {
    socket.watch(dead_after_ms_, true);
    lines_.push_back({id, std::move(socket), FrameReader(control_bytes), {}, 0});
}

void Heartbeat::send(int id, std::span<const std::byte> bytes) {
    for (Line& line : lines_) {
        if (line.id == id) {
            append(line.output, bytes);
        }
    }
}

void Heartbeat::spread(const News& news, int except) {
    const Bytes frame = frame_bytes({news.tag}, pack(news));
    for (Line& line : lines_) {
        if (line.id != except) {
            append(line.output, frame);
        }
    }
}

void Heartbeat::watch(std::vector<pollfd>& entries) const {
    for (const Line& line : lines_) {
        const int events = line.output.empty() ? POLLIN : POLLIN | POLLOUT;
        entries.push_back({line.socket.fd(), static_cast<short>(events), 0});
    }
}

bool Heartbeat::has_output() const noexcept {
    return std::ranges::any_of(lines_, [](const Line& line) { return !line.output.empty(); });
}

std::vector<Heartbeat::Heard> Heartbeat::serve() {
    beat();
    std::vector<Heard> heard;
    std::erase_if(lines_, [&](Line& line) {
        try {
            listen(line, heard);
            flush(line);
            return false;
        } catch (const Disconnected& loss) {
            heard.push_back({line.id, death(line.id, loss_by(loss))});
            return true;
        } catch (const CommError& nonsense) {
            heard.push_back({line.id, {Tag::dead, line.id, 0, 0, nonsense.what()}});
            return true;
        }
    });
    return heard;
}

void Heartbeat::beat() {
    if (Clock::now() < next_beat_) {
        return;
    }
    next_beat_ = after_ms(interval_ms_);
    for (Line& line : lines_) {
        if (line.unanswered < most_unanswered) {
            ++line.unanswered;
            append(line.output, encode({Tag::ping}));
        }
    }
}

void Heartbeat::flush(Line& line) {
    if (line.output.empty()) {
        return;
    }
    const auto sent = line.socket.send_some(line.output);
    line.output.erase(line.output.begin(), line.output.begin() + static_cast<std::ptrdiff_t>(sent));
}

void Heartbeat::listen(Line& line, std::vector<Heard>& heard) {
    std::array<std::byte, 4096> bytes{};
    while (const std::size_t count = line.socket.receive_some(bytes)) {
        line.reader.add(std::span(bytes).first(count));
        while (const auto frame = line.reader.next()) {
            take(line, *frame, heard);
        }
    }
}

void Heartbeat::take(Line& line, const Frame& frame, std::vector<Heard>& heard) {
    switch (frame.header.tag) {
        case Tag::ping:
            append(line.output, encode({Tag::pong}));
            break;
        case Tag::pong:
            --line.unanswered;
            break;
        case Tag::failure:
        case Tag::dead:
        case Tag::leave:
        case Tag::move:
        case Tag::abort:
            heard.push_back({line.id, unpack_news(frame)});
            break;
        default:
            throw CommError("tcp: a heartbeat carries what it must not");
    }
}

}  // namespace lockstep::comm::tcp
