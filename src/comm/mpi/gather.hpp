#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

#include "comm/mpi/link.hpp"

namespace lockstep::comm {

/// Gathers bytes by MPI, in as many calls as its `int` counts ask for.
class MpiGather {
public:
    MpiGather(const MpiLink& link, const MpiConfig& config);
    ~MpiGather();
    MpiGather(const MpiGather&) = delete;
    MpiGather& operator=(const MpiGather&) = delete;

    /// As Communicator::do_allgatherv.
    void run(const CallStamp& stamp,
             std::span<const std::byte> send,
             std::span<std::byte> receive,
             const Layout& layout);
    /// As Communicator::do_broadcast.
    void broadcast(std::span<std::byte> buffer, int root);

private:
    struct Prepared;
    using Key = std::tuple<CallStamp::Kind, std::uint32_t, std::int64_t, std::uint64_t>;

    void run_prepared(Prepared& gather,
                      std::span<const std::byte> send,
                      std::span<std::byte> receive,
                      const Layout& layout,
                      int width);
    void call(std::span<const std::byte> send,
              std::span<std::byte> receive,
              const Layout& layout,
              int width,
              int unit);
    void run_in_pieces(std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout,
                       int width);
    Prepared* prepared(const CallStamp& stamp, const Layout& layout);
    void prepare(Prepared& gather, const Layout& layout, int width);
    [[nodiscard]] bool is_faster(Prepared& gather);

    const MpiLink& link_;
    MpiConfig::Persistent persistent_;
    std::int64_t largest_count_;
    std::vector<int> counts_;
    std::vector<int> offsets_;
    std::map<Key, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace lockstep::comm
