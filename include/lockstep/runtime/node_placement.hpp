#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/base/shared_array.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// Places lists that all ranks of a node hold alike where the node holds them once.
class NodePlacement {
public:
    /// Notes lists; they must stay where they are until place() is over.
    template <typename... T>
    void add(SharedArray<T>&... lists) {
        (add_one(lists), ...);
    }

    /// Copies all lists into memory of the node and drops the ranks' own; where memory cannot be
    /// shared nothing changes. Lists that were placed before may be placed again.
    /// @param node  as split_local() made it
    /// @returns bytes that this rank reads but does not hold
    /// @throws CommError  a rank is gone, or the ranks hold lists of different size
    /// Collective over the node.
    std::int64_t place(std::shared_ptr<comm::Communicator> node);

private:
    template <typename T>
    void add_one(SharedArray<T>& list) {
        const std::span<const T> values = list;
        lists_.push_back({std::as_bytes(values), [&list](auto owner, const void* start) {
                              list.place(std::move(owner), static_cast<const T*>(start));
                          }});
    }

    struct List {
        std::span<const std::byte> bytes;
        std::function<void(std::shared_ptr<const void> owner, const void* start)> move;
    };
    std::vector<List> lists_;
};

}  // namespace lockstep::runtime
