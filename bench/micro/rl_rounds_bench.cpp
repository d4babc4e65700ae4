// How often workers have to meet: the error of values against the number of rounds in which eight
// workers exchange what they learn, beside one learner with as many transitions as one of them and
// as all of them have.   usage: rl_rounds [SEEDS [FILE.svg]]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"
#include "lockstep/rl/learn.hpp"

#include "support/rl/garnet_errors.hpp"

namespace lockstep {
namespace {

constexpr int workers = 8;
constexpr std::int64_t transitions_of_a_worker = 1 << 16;
constexpr int most_doublings = 12;

rl::LearnOptions alone(std::int64_t steps) {
    rl::LearnOptions options;
    options.mode = rl::Mode::serial;
    options.steps = steps;
    return options;
}

rl::LearnOptions together(std::int64_t rounds) {
    rl::LearnOptions options;
    options.mode = rl::Mode::threads;
    options.workers = workers;
    options.sync_frequency = transitions_of_a_worker / rounds;
    options.steps = transitions_of_a_worker * workers;
    return options;
}

int run(int seeds, const std::string& file) {
    const test::GarnetErrors errors(seeds);
    const double one = errors.of_states(alone(transitions_of_a_worker));
    const double all = errors.of_states(alone(transitions_of_a_worker * workers));
    std::printf("Garnet of 100 states, discount factor 0.95; largest error of a value, %d seeds\n",
                seeds);
    std::printf(
        "one learner, %lld steps: %.3f\n", static_cast<long long>(transitions_of_a_worker), one);
    std::printf("one learner, %lld steps: %.3f\n",
                static_cast<long long>(transitions_of_a_worker * workers),
                all);
    io::Plot plot;
    plot.title = "Eight workers with 65,536 steps each";
    plot.x_label = "rounds in which they exchange";
    plot.y_label = "largest error of a value";
    plot.log_y = true;
    plot.lines = {{"eight workers"},
                  {"one learner, 65,536 steps", {}, {}, true},
                  {"one learner, 524,288 steps", {}, {}, true}};
    for (int doublings = 0; doublings <= most_doublings; ++doublings) {
        const std::int64_t rounds = std::int64_t{1} << doublings;
        const double found = errors.of_states(together(rounds));
        std::printf("%5lld rounds of %6lld: %.3f\n",
                    static_cast<long long>(rounds),
                    static_cast<long long>(transitions_of_a_worker / rounds),
                    found);
        plot.x_ticks.push_back(std::to_string(rounds));
        for (auto& line : plot.lines) {
            line.x.push_back(doublings);
        }
        plot.lines[0].y.push_back(found);
        plot.lines[1].y.push_back(one);
        plot.lines[2].y.push_back(all);
    }
    if (!file.empty()) {
        // In a page it needs no namespace; alone it does.
        io::write_file(file,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                           io::to_svg(plot).substr(std::string_view("<svg").size()) + "\n");
    }
    return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
    return lockstep::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 4, argc > 2 ? argv[2] : "");
}
