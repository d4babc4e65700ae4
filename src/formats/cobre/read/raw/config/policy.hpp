#pragma once

#include <array>
#include <optional>
#include <string>

#include "lockstep/formats/cobre/case.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre {

constexpr std::array<Choice<PolicyMode>, 3> choices(PolicyMode) {
    return {{{"fresh", PolicyMode::fresh},
             {"warm_start", PolicyMode::warm_start},
             {"resume", PolicyMode::resume}}};
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::raw {

// config.json, as written. Where a policy is kept and where training starts from.

struct Boundary {
    std::string path;
    bool strict = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "path",
            path,
            {"Folder of the other policy, relative to the case", "../next-year/output/policy"});
        f.optional("strict",
                   strict,
                   {"Whether a policy that prices what this study does not model is refused"});
    }
};

struct Checkpointing {
    std::optional<bool> enabled;
    std::optional<int> initial_iteration;
    std::optional<int> interval_iterations;
    std::optional<bool> store_basis;
    std::optional<bool> compress;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("enabled",
                   enabled,
                   {"Whether training writes checkpoints that --resume goes on from; null: false"});
        f.optional("initial_iteration",
                   initial_iteration,
                   {"Iteration of the first one; null: the interval", "10"},
                   at_least(1));
        f.optional("interval_iterations",
                   interval_iterations,
                   {"Iterations between two; null: 10", "10"},
                   at_least(1));
        f.optional("store_basis",
                   store_basis,
                   {"Whether bases are stored. Read, without effect: checkpoints hold all that the "
                    "same bits need"});
        f.optional(
            "compress", compress, {"Whether checkpoints are compressed. Read, without effect"});
    }
};

struct Policy {
    std::string path = "./policy";
    PolicyMode mode = PolicyMode::fresh;
    bool validate_compatibility = true;
    std::optional<Boundary> boundary;
    Checkpointing checkpointing;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "path", path, {"Folder of the policy, relative to the output directory and within it"});
        f.optional("mode",
                   mode,
                   {"fresh: training begins anew; warm_start: with the cuts of the policy folder; "
                    "resume: the same, and iterations go on where those cuts' training ended"});
        f.optional("validate_compatibility",
                   validate_compatibility,
                   {"Whether a policy that is read has to fit the case. Read, without effect: it "
                    "always has to"});
        f.optional("boundary",
                   boundary,
                   {"Policy of another study that prices the end of this one: its cuts after the "
                    "stage that "
                    "ends on the same day"});
        f.optional("checkpointing", checkpointing, {"Checkpoints of the training"});
    }
};

}  // namespace lockstep::formats::cobre::raw
