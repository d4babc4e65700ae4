#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/comm/communicator.hpp"

#include "app/wing.hpp"

namespace lockstep::test {

/// An engine that knows nothing of hydrothermal dispatch: it adds up the squares of an input's
/// numbers, one number a step, and writes the sum. It is there to run through everything that
/// engines share.
struct FakeRun {
    app::RunOutcome outcome;
    std::uint64_t sum = 0;
};

/// @param before_step  called on every rank before each step; a test may end a rank there
/// Collective.
FakeRun run_fake(const app::RunRequest& request,
                 comm::Communicator& ranks,
                 app::Observer& observer,
                 const std::function<void(std::int64_t step)>& before_step = {});

/// Writes an input of `count` numbers.
void write_fake_input(const std::filesystem::path& directory, int count);

app::Wing fake_wing();

}  // namespace lockstep::test
