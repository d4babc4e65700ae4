#include "rl/server/messages.hpp"

#include <algorithm>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/varint.hpp"

#include "rl/server/message_bytes.hpp"

namespace lockstep::rl {
namespace {

void add(ByteWriter& bytes, const News& news) {
    std::vector<std::byte> packed;
    put_varint(news.cells.size(), packed);
    put_cells(news.cells, packed);
    put_counts(news.visits, packed);
    put_values(news.values, news.width, packed);
    bytes.add(news.version);
    bytes.add(news.width);
    bytes.add_array(packed);
}

News read_news(ByteReader& bytes) {
    News news;
    news.version = bytes.read<std::uint64_t>();
    news.width = bytes.read<Width>();
    auto packed = bytes.view_array<std::byte>();
    const auto count = count_of(packed);
    news.cells.resize(count);
    news.visits.resize(count);
    news.values.resize(count);
    take_cells(packed, std::uint64_t{UINT32_MAX} + 1, news.cells);
    take_counts(packed, news.visits);
    take_values(packed, news.width, news.values);
    if (!packed.empty()) {
        throw InputError("cells of a table have more numbers than values");
    }
    return news;
}

}  // namespace

MessageKind kind_of(std::span<const std::byte> message) {
    const auto kind = ByteReader(message).read<MessageKind>();
    if (kind > MessageKind::news) {
        throw InputError("this is no message of a parameter server");
    }
    return kind;
}

std::vector<std::byte> pack(MessageKind kind) {
    return writer_of(kind).take();
}

std::vector<std::byte> pack(MessageKind kind, const std::string& text) {
    auto bytes = writer_of(kind);
    bytes.add_array(std::span<const char>(text));
    return bytes.take();
}

std::string unpack_text(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    const auto text = bytes.read_array<char>();
    return {text.begin(), text.end()};
}

std::vector<std::byte> pack(const Hello& hello) {
    auto bytes = writer_of(MessageKind::hello);
    bytes.add(hello.run);
    bytes.add(hello.worker);
    bytes.add(hello.threads);
    bytes.add(hello.task);
    bytes.add_array(hello.leases);
    return bytes.take();
}

Hello unpack_hello(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    Hello hello;
    hello.run = bytes.read<std::uint64_t>();
    hello.worker = bytes.read<std::int64_t>();
    hello.threads = bytes.read<std::int64_t>();
    hello.task = bytes.read<Digest>();
    hello.leases = bytes.read_array<LeaseId>();
    check_end(bytes);
    return hello;
}

std::vector<std::byte> pack(const Welcome& welcome) {
    auto bytes = writer_of(MessageKind::welcome);
    bytes.add(welcome);
    return bytes.take();
}

Welcome unpack_welcome(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    const auto welcome = bytes.read<Welcome>();
    check_end(bytes);
    return welcome;
}

std::vector<std::byte> pack(const Work& work) {
    auto bytes = writer_of(MessageKind::work);
    bytes.add(work.acknowledged);
    bytes.add(static_cast<std::uint64_t>(work.leases.size()));
    for (const Lease& lease : work.leases) {
        bytes.add(lease.id);
        bytes.add(lease.item);
        bytes.add(lease.transitions);
        bytes.add_array(lease.state);
    }
    add(bytes, work.news);
    return bytes.take();
}

Work unpack_work(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    Work work;
    work.acknowledged = bytes.read<std::int64_t>();
    for (auto left = bytes.read<std::uint64_t>(); left > 0; --left) {
        Lease lease;
        lease.id = bytes.read<LeaseId>();
        lease.item = bytes.read<std::int32_t>();
        lease.transitions = bytes.read<std::int64_t>();
        lease.state = bytes.read_array<std::byte>();
        work.leases.push_back(std::move(lease));
    }
    work.news = read_news(bytes);
    check_end(bytes);
    return work;
}

std::vector<std::byte> pack(MessageKind kind, const News& news) {
    auto bytes = writer_of(kind);
    add(bytes, news);
    return bytes.take();
}

News unpack_news(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    News news = read_news(bytes);
    check_end(bytes);
    return news;
}

std::vector<std::byte> pack(const Push& push) {
    auto bytes = writer_of(MessageKind::push);
    bytes.add(push.sequence);
    bytes.add(static_cast<std::uint64_t>(push.results.size()));
    for (const LeaseResult& result : push.results) {
        bytes.add(result.id);
        bytes.add(result.seconds);
        bytes.add(result.counts);
        bytes.add_array(result.returns);
        bytes.add_array(result.state);
        bytes.add_array(result.delta);
        add_losses(bytes, result.losses);
    }
    return bytes.take();
}

Push unpack_push(std::span<const std::byte> message) {
    auto bytes = reader_of(message);
    Push push;
    push.sequence = bytes.read<std::int64_t>();
    for (auto left = bytes.read<std::uint64_t>(); left > 0; --left) {
        LeaseResult result;
        result.id = bytes.read<LeaseId>();
        result.seconds = bytes.read<double>();
        result.counts = bytes.read<Counts>();
        result.returns = bytes.read_array<double>();
        result.state = bytes.read_array<std::byte>();
        result.delta = bytes.read_array<std::byte>();
        result.losses = read_losses(bytes);
        push.results.push_back(std::move(result));
    }
    check_end(bytes);
    return push;
}

}  // namespace lockstep::rl
