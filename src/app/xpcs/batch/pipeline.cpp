#include "app/xpcs/batch/pipeline.hpp"

#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace lockstep::app {

BatchPipeline::BatchPipeline(std::span<const BatchItem* const> items,
                             const BatchContext& context,
                             const PipelineOptions& options)
    : items_(items.begin(), items.end()),
      context_(context),
      options_(options),
      places_(static_cast<std::size_t>(options.ahead) + 1),
      loaded_(static_cast<std::size_t>(options.ahead) + 1),
      fitted_(static_cast<std::size_t>(options.ahead) + 1),
      events_(std::numeric_limits<std::size_t>::max()) {
    context_.tell = [this](const std::string& trouble) { tell(trouble); };
    has_threads_ = start_threads();
}

BatchPipeline::~BatchPipeline() {
    join();
}

void BatchPipeline::join() {
    for (auto& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

// The last stage first: while the first one has not started there is nothing under way.
bool BatchPipeline::start_threads() {
    try {
        threads_.push_back(options_.start([this] { sample_all(); }));
        threads_.push_back(options_.start([this] { fit_all(); }));
        threads_.push_back(options_.start([this] { load_all(); }));
        return true;
    } catch (const std::system_error& error) {
        loaded_.close();
        fitted_.close();
        join();
        tell(
            fmt::format("threads for the stages of the batch could not be started ({}): datasets "
                        "are read, fitted, sampled and written one after the other",
                        error.what()));
        return false;
    }
}

void BatchPipeline::load_all() {
    for (const auto* item : items_) {
        const auto flight = take_off(*item);
        if (flight->load()) {
            loaded_.push(flight);
        } else {
            land(*flight);
        }
    }
    loaded_.close();
}

void BatchPipeline::fit_all() {
    while (const auto flight = loaded_.pop()) {
        if ((*flight)->fit()) {
            fitted_.push(*flight);
        } else {
            land(**flight);
        }
    }
    fitted_.close();
}

void BatchPipeline::sample_all() {
    runtime::AsyncWriter writer({.capacity = 1,
                                 .notice = [this](const std::string& text) { tell(text); },
                                 .start = options_.start_writer,
                                 .before_write = options_.before_write});
    while (const auto flight = fitted_.pop()) {
        (*flight)->sample();
        writer.write((*flight)->name(), [this, flight = *flight] {
            flight->write();  // keeps its failure in its entry
            land(*flight);
        });
    }
}

void BatchPipeline::run_next() {
    const auto flight = take_off(*items_[next_item_++]);
    if (flight->load() && flight->fit()) {
        flight->sample();
        flight->write();
    }
    land(*flight);
}

std::optional<BatchEvent> BatchPipeline::next(std::chrono::milliseconds limit) {
    if (!has_threads_ && events_.weight() == 0 && next_item_ < items_.size()) {
        run_next();
    }
    return events_.pop_within(limit);
}

BatchPipeline::InFlight BatchPipeline::take_off(const BatchItem& item) {
    places_.push(true);
    if (options_.on_load) {
        options_.on_load();
    }
    return {new Flight(item, context_), [this](const Flight* flight) {
                delete flight;
                if (options_.on_release) {
                    options_.on_release();
                }
                places_.pop();
            }};
}

void BatchPipeline::land(const Flight& flight) {
    events_.push({std::make_unique<formats::xpcs::BatchEntry>(flight.entry()), {}});
}

void BatchPipeline::tell(const std::string& trouble) {
    events_.push({nullptr, trouble});
}

}  // namespace lockstep::app
