#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace lockstep::comm {

class Communicator;

/// Memory behind a region: shared by the ranks of a communicator, or this process's own.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] virtual std::span<std::byte> bytes() noexcept = 0;
    /// One memory for all ranks; false: each rank has its own.
    [[nodiscard]] virtual bool is_shared() const noexcept = 0;
    /// Whether this process may write from now on; a hint that debug builds follow.
    virtual void allow_writes(bool /*allowed*/) {}
    /// Own writes become visible to the others, theirs to this process: on both sides of a barrier.
    virtual void synchronise() {}
};

/// Data that a node holds once: written in one phase, read in the next.
///
/// A region begins in its writing phase, zeroed. The writer (rank 0 of the communicator; every rank
/// where memory is not shared) fills writer_span(), or each rank its own partition; fence() makes
/// all of it visible to all ranks and ends the phase. begin_update() opens another one. Who reads
/// inside a writing phase keeps to what was published before it or by publish() in it. In debug
/// builds the memory of readers is write-protected after the fence.
class Region {
public:
    Region(Communicator& node, std::unique_ptr<SharedMemory> memory);

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool is_shared() const noexcept;
    /// Whether this rank fills writer_span().
    [[nodiscard]] bool is_writer() const noexcept;
    /// Fences so far: readers can tell which filling they read.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// Everything, for the writer; empty for others.
    /// @throws AssertionError  outside a writing phase
    [[nodiscard]] std::span<std::byte> writer_span();
    /// A range that this rank fills and no other does. Where memory is not shared every rank must
    /// fill every range.
    /// @throws AssertionError  outside a writing phase, or the range is not within the region
    [[nodiscard]] std::span<std::byte> partition_span(std::size_t begin, std::size_t end);
    /// @throws AssertionError  inside a writing phase
    [[nodiscard]] std::span<const std::byte> view() const;

    /// What was written so far is seen by all; the writing phase goes on. Collective.
    /// @throws as fence()
    void publish();
    /// Ends the writing phase: what was written is seen by all. Collective.
    /// @throws AssertionError  outside a writing phase; CommError  a rank is gone, or the
    ///         communicator has recovered since the region was made
    void fence();
    /// Begins another one once all readers have come. Collective.
    /// @throws AssertionError  inside a writing phase; CommError  as fence()
    void begin_update();

private:
    void must_be_writing(bool writing) const;
    void must_be_whole() const;

    Communicator& node_;
    std::unique_ptr<SharedMemory> memory_;
    std::uint64_t recoveries_;  // of the communicator, at the start
    std::uint64_t generation_ = 0;
    bool is_writing_ = true;
};

}  // namespace lockstep::comm
