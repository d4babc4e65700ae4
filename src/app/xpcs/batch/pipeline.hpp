#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/runtime/async_writer.hpp"
#include "lockstep/runtime/channel.hpp"

#include "app/xpcs/batch/flight.hpp"

namespace lockstep::app {

/// What a pipeline has to tell: a dataset that has ended, or a sentence.
struct BatchEvent {
    std::unique_ptr<formats::xpcs::BatchEntry> ended{};
    std::string trouble{};
};

struct PipelineOptions {
    int ahead = 2;
    runtime::ThreadStarter start = runtime::start_thread;  ///< of the stages
    runtime::ThreadStarter start_writer = runtime::start_thread;
    std::function<void()> before_write = {};  ///< as AsyncWriter::Options has it
    /// Called when a measurement is about to be read, and when one has gone. For tests.
    std::function<void()> on_load = {};
    std::function<void()> on_release = {};
};

/// Datasets of one rank through load, fit, sample and write, each on a thread of its own, in order.
///
/// At most `ahead` + 1 measurements are in memory. Where threads cannot be started, the stages run
/// one after the other on the caller's.
class BatchPipeline {
public:
    BatchPipeline(std::span<const BatchItem* const> items,
                  const BatchContext& context,
                  const PipelineOptions& options);
    /// Ends once what is under way has ended: let the context's `stop` say so first.
    ~BatchPipeline();
    BatchPipeline(const BatchPipeline&) = delete;
    BatchPipeline& operator=(const BatchPipeline&) = delete;

    /// The next event, waited for at most so long; of each dataset one comes that ends it.
    std::optional<BatchEvent> next(std::chrono::milliseconds limit);

private:
    using InFlight = std::shared_ptr<Flight>;

    bool start_threads();
    void load_all();
    void fit_all();
    void sample_all();
    void run_next();

    InFlight take_off(const BatchItem& item);
    void land(const Flight& flight);
    void tell(const std::string& trouble);
    void join();

    const std::vector<const BatchItem*> items_;
    std::size_t next_item_ = 0;  // without threads
    bool has_threads_ = false;
    BatchContext context_;
    const PipelineOptions options_;
    runtime::Channel<bool> places_;  // for measurements
    runtime::Channel<InFlight> loaded_;
    runtime::Channel<InFlight> fitted_;
    runtime::Channel<BatchEvent> events_;
    std::vector<std::thread> threads_;
};

}  // namespace lockstep::app
