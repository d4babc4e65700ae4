#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/rl/learn/learner.hpp"

#include "rl/exchange/delta.hpp"

// What a parameter server and its workers say to each other. Both are the same build.
//
// A worker says hello, hears welcome, asks, and hears work: leases, and the cells of the table that
// have changed since it last heard. It answers with a push, which asks for more.
namespace lockstep::rl {

enum class MessageKind : std::uint8_t {
    hello,    ///< worker: who it is, and what it had of this server
    ask,      ///< worker: is free
    push,     ///< worker: what it learned
    beat,     ///< worker: lives
    failed,   ///< worker: text; it cannot go on
    welcome,  ///< server: the worker's number
    work,     ///< server: leases and cells
    rest,     ///< server: cells; no work for now
    end,      ///< server: all is done
    again,    ///< server: does not know the worker, which should say hello
    refusal,  ///< server: text; the worker cannot take part
    pull,     ///< worker to another server: wants cells of a version
    parts,    ///< worker to another server: what it learned about that one's states
    arrived,  ///< other server to the first: of these leases it has the parts
    apply,    ///< first server to another: parts become part of the table
    forget,   ///< first server to another: these leases do not count
    news,     ///< other server: cells
};
/// @throws InputError  no message
MessageKind kind_of(std::span<const std::byte> message);
/// A message without content.
std::vector<std::byte> pack(MessageKind kind);
std::vector<std::byte> pack(MessageKind kind, const std::string& text);
/// @throws InputError  damaged; so do the others
std::string unpack_text(std::span<const std::byte> message);

/// A message on its way.
struct Letter {
    std::int64_t peer = 0;
    std::vector<std::byte> bytes;
};

/// A server that is started anew from a checkpoint is another session of the same run.
struct LeaseId {
    std::uint64_t session = 0;
    std::int64_t number = 0;
    friend auto operator<=>(const LeaseId&, const LeaseId&) = default;
};

struct Hello {
    std::uint64_t run = 0;        ///< that it knows; 0: it is new
    std::int64_t worker = 0;      ///< its number there
    std::int64_t threads = 1;     ///< leases that it works on at once
    std::vector<LeaseId> leases;  ///< that it still works on or has yet to push
    Digest task{};                ///< of environment and options
};
std::vector<std::byte> pack(const Hello& hello);
Hello unpack_hello(std::span<const std::byte> message);

struct Welcome {
    std::uint64_t run = 0;
    std::int64_t worker = 0;
    std::int64_t acknowledged = 0;  ///< sequence of the last push that counts
    double heartbeat = 1;           ///< seconds after which a silent worker tells of itself
};
std::vector<std::byte> pack(const Welcome& welcome);
Welcome unpack_welcome(std::span<const std::byte> message);

/// Transitions of one environment, from where `state` has it.
struct Lease {
    LeaseId id;
    std::int32_t item = 0;  ///< number of the environment
    std::int64_t transitions = 0;
    std::vector<std::byte> state;  ///< of its learner, and changes that wait
};

/// Cells of the table as they are now, ascending, numbered [planes, states, actions].
struct News {
    std::uint64_t version = 0;
    std::vector<std::uint32_t> cells;
    std::vector<double> values;
    std::vector<std::uint32_t> visits;
    Width width = Width::f64;  ///< of values on their way
};

struct Work {
    std::int64_t acknowledged = 0;
    std::vector<Lease> leases;
    News news;
};
std::vector<std::byte> pack(const Work& work);
Work unpack_work(std::span<const std::byte> message);
std::vector<std::byte> pack(MessageKind kind, const News& news);
News unpack_news(std::span<const std::byte> message);

/// What came of a lease.
struct LeaseResult {
    LeaseId id;
    double seconds = 0;  ///< of playing
    Counts counts;
    std::vector<double> returns;   ///< of the last episodes, not all
    std::vector<std::byte> state;  ///< as Lease::state, for who goes on
    std::vector<std::byte> delta;  ///< encoded; with staleness changes are offsets
    /// With staleness, a cell: v becomes 2^(-loss/256) · v + offset, and offset alone from
    /// Retention::nothing on.
    std::vector<std::uint32_t> losses;
};

struct Push {
    std::int64_t sequence = 0;  ///< pushes of this worker, from 1
    std::vector<LeaseResult> results;
};
std::vector<std::byte> pack(const Push& push);
Push unpack_push(std::span<const std::byte> message);

}  // namespace lockstep::rl
