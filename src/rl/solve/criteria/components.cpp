#include "rl/solve/criteria/components.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

/// Strongly connected components of the graph of admitted pairs, by Tarjan's algorithm with its
/// own stack.
class Connected {
public:
    Connected(const RowTable& table, const std::vector<std::uint8_t>& admitted)
        : rows_(table.all()),
          admitted_(admitted),
          index_(at(table.states()), 0),
          low_(at(table.states()), 0),
          of_(at(table.states()), -1) {
        for (int s = 0; s < table.states(); ++s) {
            if (index_[at(s)] == 0) {
                search(s);
            }
        }
    }
    [[nodiscard]] std::vector<std::int32_t> take() { return std::move(of_); }

private:
    struct Visit {
        std::int32_t state;
        std::int64_t pair;
        std::int64_t outcome;
    };

    void enter(std::int32_t s) {
        index_[at(s)] = low_[at(s)] = ++entered_;
        open_.push_back(s);
        const std::int64_t pair = rows_.pair_first[s];
        visits_.push_back({s, pair, rows_.first[pair]});
    }

    void search(std::int32_t root) {
        enter(root);
        while (!visits_.empty()) {
            if (!advance()) {
                leave();
            }
        }
    }

    // Goes on to the next successor; false where there is none left.
    bool advance() {
        Visit& visit = visits_.back();
        const std::int32_t s = visit.state;
        for (; visit.pair < rows_.pair_first[s + 1]; visit.outcome = rows_.first[++visit.pair]) {
            if (admitted_[at(visit.pair)] == 0) {
                continue;
            }
            for (; visit.outcome < rows_.first[visit.pair + 1]; ++visit.outcome) {
                const std::int32_t next = rows_.next[visit.outcome];
                if (index_[at(next)] == 0) {
                    enter(next);
                    return true;
                }
                if (of_[at(next)] < 0) {
                    low_[at(s)] = std::min(low_[at(s)], index_[at(next)]);
                }
            }
        }
        return false;
    }

    void leave() {
        const std::int32_t s = visits_.back().state;
        visits_.pop_back();
        if (!visits_.empty()) {
            const std::int32_t parent = visits_.back().state;
            low_[at(parent)] = std::min(low_[at(parent)], low_[at(s)]);
        }
        if (low_[at(s)] != index_[at(s)]) {
            return;
        }
        for (std::int32_t member = -1; member != s;) {
            member = open_.back();
            open_.pop_back();
            of_[at(member)] = count_;
        }
        ++count_;
    }

    RowBlock rows_;
    const std::vector<std::uint8_t>& admitted_;
    std::vector<std::int32_t> index_;
    std::vector<std::int32_t> low_;
    std::vector<std::int32_t> of_;
    std::vector<std::int32_t> open_;
    std::vector<Visit> visits_;
    std::int32_t entered_ = 0;
    std::int32_t count_ = 0;
};

bool stays_in(const RowBlock& rows,
              std::int64_t pair,
              int component,
              const std::vector<std::int32_t>& of) {
    return std::all_of(rows.next + rows.first[pair],
                       rows.next + rows.first[pair + 1],
                       [&](std::int32_t next) { return of[at(next)] == component; });
}

// Takes back pairs that leave their component; true if there was one.
bool drop_leaving(const RowTable& table,
                  const std::vector<std::int32_t>& of,
                  std::vector<std::uint8_t>& admitted) {
    const RowBlock rows = table.all();
    bool has_dropped = false;
    for (int s = 0; s < table.states(); ++s) {
        for (std::int64_t pair = rows.pair_first[s]; pair < rows.pair_first[s + 1]; ++pair) {
            if (admitted[at(pair)] != 0 && !stays_in(rows, pair, of[at(s)], of)) {
                admitted[at(pair)] = 0;
                has_dropped = true;
            }
        }
    }
    return has_dropped;
}

// Numbers components by their first state and leaves out states without a pair that stays.
void number(const RowTable& table, EndComponents& components) {
    const RowBlock rows = table.all();
    std::vector<std::int32_t> renamed(components.of.size(), -1);
    for (int s = 0; s < table.states(); ++s) {
        const auto first = components.is_inner.begin() + rows.pair_first[s];
        const auto last = components.is_inner.begin() + rows.pair_first[s + 1];
        std::int32_t& of = components.of[at(s)];
        if (std::find(first, last, 1) == last) {
            of = -1;
            continue;
        }
        std::int32_t& name = renamed[at(of)];
        name = name < 0 ? components.count++ : name;
        of = name;
    }
}

/// Sweeps that let states join a set, until none does.
template <typename Join>
void grow(const RowSource& source, Join&& join) {
    RowWriter writer;
    constexpr int length = 4096;
    const int blocks = (source.states() + length - 1) / length;
    for (bool is_backwards = true, has_grown = true; has_grown; is_backwards = !is_backwards) {
        has_grown = false;
        for (int i = 0; i < blocks; ++i) {
            const int begin = (is_backwards ? blocks - 1 - i : i) * length;
            const int end = std::min(source.states() - begin, length) + begin;
            const RowBlock rows = source.block(begin, end, writer);
            for (int k = 0; k < end - begin; ++k) {
                const int s = is_backwards ? end - 1 - k : begin + k;
                has_grown |= join(rows, s - begin, s);
            }
        }
    }
}

/// Whether all successors of a pair are still thought certain to end, and one is known to be.
bool brings_nearer(const RowBlock& rows,
                   std::int64_t pair,
                   const std::vector<std::uint8_t>& candidate,
                   const std::vector<std::uint8_t>& known) {
    bool is_nearer = rows.ends[pair] != 0;
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        if (candidate[at(rows.next[k])] == 0) {
            return false;
        }
        is_nearer |= known[at(rows.next[k])] != 0;
    }
    return is_nearer;
}

}  // namespace

EndComponents end_components(const RowTable& table, const std::function<bool(std::int64_t)>& may) {
    const RowBlock rows = table.all();
    EndComponents components;
    components.is_inner.resize(at(rows.pair_first[table.states()]));
    for (std::size_t pair = 0; pair < components.is_inner.size(); ++pair) {
        const auto number = static_cast<std::int64_t>(pair);
        components.is_inner[pair] = rows.ends[pair] == 0 && may(number) ? 1 : 0;
    }
    do {
        components.of = Connected(table, components.is_inner).take();
    } while (drop_leaving(table, components.of, components.is_inner));
    number(table, components);
    return components;
}

CertainEnd certain_end(const RowSource& source) {
    CertainEnd end;
    end.is_certain.assign(at(source.states()), 1);
    for (;;) {
        std::vector<std::uint8_t> known(at(source.states()), 0);
        end.choice.assign(at(source.states()), -1);
        grow(source, [&](const RowBlock& rows, int local, int s) {
            const std::int64_t first = rows.pair_first[local];
            const std::int64_t last = rows.pair_first[local + 1];
            if (known[at(s)] != 0 || end.is_certain[at(s)] == 0) {
                return false;
            }
            known[at(s)] = first == last ? 1 : 0;
            for (std::int64_t pair = first; pair < last && known[at(s)] == 0; ++pair) {
                if (brings_nearer(rows, pair, end.is_certain, known)) {
                    known[at(s)] = 1;
                    end.choice[at(s)] = static_cast<std::int32_t>(pair - first);
                }
            }
            return known[at(s)] != 0;
        });
        if (known == end.is_certain) {
            return end;
        }
        end.is_everywhere = false;
        end.is_certain = std::move(known);
    }
}

std::vector<std::uint8_t> reachable(const RowSource& source, std::span<const Start> starts) {
    std::vector<std::uint8_t> is_reached(at(source.states()), 0);
    std::vector<std::int32_t> open;
    const auto reach = [&](std::int32_t s) {
        if (is_reached[at(s)] == 0) {
            is_reached[at(s)] = 1;
            open.push_back(s);
        }
    };
    for (const Start& start : starts) {
        reach(start.state);
    }
    RowWriter writer;
    while (!open.empty()) {
        const std::int32_t s = open.back();
        open.pop_back();
        const RowBlock rows = source.block(s, s + 1, writer);
        for (std::int64_t k = rows.first[rows.pair_first[0]]; k < rows.first[rows.pair_first[1]];
             ++k) {
            reach(rows.next[k]);
        }
    }
    return is_reached;
}

}  // namespace lockstep::rl
