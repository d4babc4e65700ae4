#include "integration/comm/workers.hpp"

#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/index.hpp"

namespace lockstep::comm {

Workers::Workers(int ranks,
                 const std::function<Variables(int rank)>& variables,
                 const std::vector<std::string>& arguments) {
    for (int rank = 0; rank < ranks; ++rank) {
        programs_.push_back(std::make_unique<cli::Program>(arguments, [own = variables(rank)] {
            ::alarm(60);
            for (const auto& [name, value] : own) {
                ::setenv(name.c_str(), value.c_str(), 1);
            }
        }));
    }
}

bool Workers::wait_until_running() {
    for (const auto& program : programs_) {
        if (!program->wait_for("running")) {
            return false;
        }
    }
    return true;
}

bool Workers::wait_for(int rank, const std::string& text) {
    return programs_[at(rank)]->wait_for(text);
}

void Workers::send(int rank, int signal) const {
    programs_[at(rank)]->send(signal);
}

cli::Ended Workers::end(int rank) {
    return programs_[at(rank)]->end();
}

std::string sum_line(std::uint64_t rounds, std::uint64_t items, int ranks) {
    const auto sum = rounds * (rounds + 1) / 2 * (items * (items + 1) / 2);
    return fmt::format("sum {} ranks {}\n", sum, ranks);
}

}  // namespace lockstep::comm
