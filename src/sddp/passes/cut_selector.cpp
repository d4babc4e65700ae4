#include "sddp/passes/cut_selector.hpp"

#include <algorithm>
#include <numeric>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/gather_list.hpp"

namespace lockstep::sddp {

namespace {

// The root is left out: its LPs make the lower bound.
struct Nodes {
    int first = 0;
    int end = 0;
};

Nodes nodes_to_select(Engine& engine) {
    return {engine.graph().width(0), static_cast<int>(engine.growing_pools().size())};
}

int most_outcome(const CutPool& pool) {
    int most = -1;
    for (int cut = 0; cut < pool.size(); ++cut) {
        most = std::max(most, pool.outcome(cut));
    }
    return most;
}

void put(CutPool& pool, int cut, bool is_selected, SelectionReport& report) {
    if (pool.is_selected(cut) != is_selected) {
        pool.select(cut, is_selected);
        ++(is_selected ? report.reselected : report.deselected);
    }
}

}  // namespace

bool CutSelector::is_due(int iteration) const noexcept {
    return rule_.method == CutSelection::Method::recent ||
           (rule_.needs_states() && iteration % rule_.every == 0);
}

std::vector<SelectionReport> CutSelector::select(Engine& engine, int iteration) {
    const bool is_due_now = is_due(iteration);
    std::vector<SelectionReport> reports;
    if (!is_due_now && rule_.most_selected == 0) {
        return reports;
    }
    const auto [first, end] = nodes_to_select(engine);
    for (int node = first; node < end; ++node) {
        const auto& pool = engine.pools[at(node)];
        reports.push_back({node, pool.size(), pool.selected_count()});
    }
    if (is_due_now && rule_.needs_states()) {
        select_highest(engine, iteration, reports);
    }
    for (auto& report : reports) {
        auto& pool = engine.pools[at(report.node)];
        if (rule_.method == CutSelection::Method::recent) {
            select_recent(pool, iteration, report);
        }
        evict(pool, iteration, report);
    }
    return reports;
}

void CutSelector::forget() {
    std::fill(leaders_.begin(), leaders_.end(), Node{});
}

void CutSelector::select_highest(Engine& engine,
                                 int iteration,
                                 std::span<SelectionReport> reports) {
    std::vector<double> seconds(leaders_.size());
    const auto numbers = comm::gather_list(engine.team.ranks, choose_own(engine, seconds));
    auto next = numbers.begin();
    std::uint32_t offset = 0;
    for (auto& report : reports) {
        auto& pool = engine.pools[at(report.node)];
        report.seconds = seconds[at(report.node)];
        for (int cut = 0; cut < pool.size(); ++cut) {
            const bool is_chosen =
                next != numbers.end() && *next == offset + static_cast<std::uint32_t>(cut);
            next += is_chosen ? 1 : 0;
            put(pool, cut, is_chosen || pool.iteration(cut) == iteration, report);
        }
        offset += static_cast<std::uint32_t>(pool.size());
    }
}

// Cuts numbered through all pools, ascending over the ranks, each of which looks at a block of
// nodes.
std::vector<std::uint32_t> CutSelector::choose_own(Engine& engine, std::span<double> seconds) {
    const auto [first, end] = nodes_to_select(engine);
    auto& ranks = engine.team.ranks;
    const auto own = runtime::block_of(end - first, ranks.rank(), ranks.size());
    std::vector<std::vector<std::uint8_t>> kept(at(own.size()));
    engine.team.threads.parallel_for(own.size(), [&](std::ptrdiff_t item, int) {
        const Stopwatch clock;
        const auto node = at(first + own.begin + item);
        learn(engine.pools[node], engine.visited[node].slopes(), leaders_[node]);
        kept[at(item)] = chosen(leaders_[node]);
        seconds[node] = clock.seconds();
    });
    std::vector<std::uint32_t> numbers;
    std::uint32_t offset = 0;
    for (int node = first; node < first + own.end; ++node) {
        if (node >= first + own.begin) {
            const auto& cuts = kept[at(node - first - own.begin)];
            for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
                if (cuts[cut] != 0) {
                    numbers.push_back(offset + static_cast<std::uint32_t>(cut));
                }
            }
        }
        offset += static_cast<std::uint32_t>(engine.pools[at(node)].size());
    }
    return numbers;
}

// Products are summed in the same order whether a cut meets known states or a state known cuts, so
// that what is learned at once is what was learned by and by.
void CutSelector::learn(const CutPool& pool, const CutSlopes& visited, Node& node) const {
    // Cuts of different outcomes do not compete.
    const auto futures = 1 + at(most_outcome(pool) + 1);
    const int known = node.futures == futures ? node.known : 0;
    if (known == 0) {
        node = {};
        node.futures = futures;
    }
    node.known = visited.size();
    node.states.resize(at(visited.size()) * futures);
    const auto place = [&](int state, int cut) {
        return at(state) * futures + at(pool.outcome(cut) + 1);
    };
    std::vector<double> value(at(std::max(pool.size(), visited.size())));
    for (int state = known; state < visited.size(); ++state) {
        pool.slopes().multiply(visited.row(state), value);
        for (int cut = 0; cut < pool.size(); ++cut) {
            enter(pool.intercept(cut) + value[at(cut)], cut, node.states[place(state, cut)]);
        }
    }
    for (int cut = known == 0 ? pool.size() : node.cuts; cut < pool.size(); ++cut) {
        visited.multiply(pool.slopes().row(cut), value);
        for (int state = 0; state < known; ++state) {
            enter(pool.intercept(cut) + value[at(state)], cut, node.states[place(state, cut)]);
        }
    }
    node.cuts = pool.size();
}

// Leaders are those within the tolerance of the highest; cuts come in ascending order.
void CutSelector::enter(double value, int cut, std::vector<Leader>& leaders) const {
    double highest = value;
    for (const auto& [other, number] : leaders) {
        highest = std::max(highest, other);
    }
    if (value < highest - rule_.tolerance) {
        return;
    }
    std::erase_if(leaders, [&](const Leader& l) { return l.first < highest - rule_.tolerance; });
    leaders.emplace_back(value, cut);
}

std::vector<std::uint8_t> CutSelector::chosen(const Node& node) const {
    std::vector<std::uint8_t> is_chosen(at(node.cuts));
    for (const auto& leaders : node.states) {
        for (const auto& [value, cut] : leaders) {
            is_chosen[at(cut)] = 1;
            if (rule_.method == CutSelection::Method::lml1) {
                break;
            }
        }
    }
    return is_chosen;
}

void CutSelector::select_recent(CutPool& pool, int iteration, SelectionReport& report) const {
    for (int cut = 0; cut < pool.size(); ++cut) {
        put(pool, cut, pool.last_active(cut) > iteration - rule_.window, report);
    }
}

// The latest to have been active stay, of these the latest made. Where no method has selected, all
// cuts compete again.
void CutSelector::evict(CutPool& pool, int iteration, SelectionReport& report) const {
    if (rule_.most_selected == 0) {
        return;
    }
    std::vector<int> order;
    for (int cut = 0; cut < pool.size(); ++cut) {
        if (rule_.method == CutSelection::Method::all || pool.is_selected(cut)) {
            order.push_back(cut);
        }
    }
    const auto rank = [&](int cut) {
        return std::tuple(pool.iteration(cut) == iteration, pool.last_active(cut), cut);
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) > rank(b); });
    for (std::size_t place = 0; place < order.size(); ++place) {
        const int cut = order[place];
        const bool stays = place < at(rule_.most_selected) || pool.iteration(cut) == iteration;
        if (pool.is_selected(cut) && !stays) {
            pool.select(cut, false);
            ++report.evicted;
        } else if (stays) {
            put(pool, cut, true, report);
        }
    }
}

}  // namespace lockstep::sddp
