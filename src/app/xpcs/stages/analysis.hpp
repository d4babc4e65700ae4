#pragma once

#include <functional>
#include <optional>

#include "app/job/job.hpp"
#include "app/xpcs/bridge.hpp"
#include "app/xpcs/stages/dataset.hpp"
#include "app/xpcs/stages/fitting.hpp"
#include "app/xpcs/stages/sampling.hpp"

namespace lockstep::app {

/// One dataset with its job: the stages in order, and what people hear of them.
///
/// A stage may be called from another thread than the one before it. write_fit() may run while
/// sample() does. Everything is collective except what is said to write.
class Analysis {
public:
    using Load = std::function<Dataset(const XpcsRequest&, runtime::Team&)>;

    enum class Files { written, none };

    /// @param load  gives the dataset, on every rank
    /// @param files  none: there is no output directory, and no write_… is to be called
    Analysis(const XpcsRequest& request,
             const Load& load,
             comm::Communicator& ranks,
             Observer& observer,
             Files files = Files::written);

    /// Takes the output directory, if there is one, and tells what begins.
    void start();
    void fit();
    /// Whether a posterior is asked for, and nobody has ended the work.
    [[nodiscard]] bool is_to_sample() const;
    /// There is a posterior after it, unless it was stopped before it had draws, or would take
    /// longer than is allowed.
    void sample();

    /// On the first rank.
    void write_fit() const;
    void write_posterior() const;
    /// Whether the configuration asks for homodyne's cache of its own data.
    [[nodiscard]] bool is_cache_wanted() const;
    void write_cache() const;

    /// Once everything is written.
    XpcsOutcome finish();

    [[nodiscard]] Job& job() noexcept { return job_; }
    [[nodiscard]] bool has_ended_early() const noexcept { return job_.has_ended_early(); }
    [[nodiscard]] const DealtShards& dealt_shards() const noexcept { return fitted_.dealt; }
    [[nodiscard]] bool has_posterior() const noexcept { return sampled_.has_value(); }

private:
    [[nodiscard]] RunFacts facts() const;
    void tell(const std::vector<std::string>& notes);

    XpcsRequest request_;
    Files files_;
    Job job_;
    XpcsBridge bridge_;
    const std::string started_at_;
    Dataset dataset_;
    Fitted fitted_;
    std::optional<Sampled> sampled_;
};

}  // namespace lockstep::app
