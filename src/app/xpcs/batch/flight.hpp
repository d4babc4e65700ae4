#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/xpcs/batch.hpp"

#include "app/xpcs/batch/inputs.hpp"
#include "app/xpcs/stages/analysis.hpp"

namespace lockstep::app {

/// What all datasets of a rank share.
struct BatchContext {
    const Stopwatch& watch;                              ///< of the batch
    const std::atomic<bool>& stop;                       ///< nothing new is to begin
    const formats::xpcs::BatchRecord* before = nullptr;  ///< to resume; nullptr: all is done anew
    int rank = 0;
    int threads = 1;
    /// Trouble of a dataset, from any thread; the pipeline sets it.
    std::function<void(const std::string&)> tell = {};
    std::function<Dataset(const XpcsRequest&)> load = load_dataset;
};

/// A dataset on its way through the stages, with its measurement while it lives.
///
/// Each stage may be on another thread. The entry says which failed and why.
class Flight {
public:
    Flight(const BatchItem& item, const BatchContext& context);

    // The stages; false: the dataset has ended, and no other stage is called.
    bool load();
    bool fit();
    void sample();
    /// What there is: the fit alone where its posterior failed.
    void write();

    [[nodiscard]] const std::string& name() const noexcept { return item_.name; }
    [[nodiscard]] const formats::xpcs::BatchEntry& entry() const noexcept { return entry_; }

private:
    /// Hears a dataset's job: its news stand in its files, its trouble is told.
    class Ear : public Observer {
    public:
        explicit Ear(const Flight& flight) : flight_(flight) {}
        void on_notice(Notice kind, const std::string& text) override;
        bool stop_requested() override { return flight_.context_.stop; }

        std::string last_news;

    private:
        const Flight& flight_;
    };

    bool stage(const char* name, const std::function<void()>& body);
    bool fail(const std::string& message);
    bool end(formats::xpcs::BatchStatus status);
    [[nodiscard]] bool keep(const Dataset& dataset);
    void note_dealing();
    void note_outcome(const XpcsOutcome& outcome);

    const BatchItem& item_;
    const BatchContext& context_;
    XpcsRequest request_;
    formats::xpcs::BatchEntry entry_;
    std::unique_ptr<comm::Communicator> alone_;
    Ear ear_;
    std::unique_ptr<Analysis> analysis_;
};

}  // namespace lockstep::app
