#include "rl/solve/equations/multilevel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

#include "rl/solve/equations/dense.hpp"

namespace lockstep::rl {
namespace {

constexpr int most_levels = 20;
constexpr double most_that_stays = 0.7;  // of entries from level to level
constexpr double enough_of_a_step = 0.25;
constexpr int sweeps_of_the_coarsest = 4;

struct Groups {
    std::vector<std::int32_t> of;
    std::int32_t count = 0;
};

double coupling(const Couplings& c, std::int64_t i, std::int64_t j) {
    for (std::int64_t k = c.first[at(i)]; k < c.first[at(i + 1)]; ++k) {
        if (c.next[at(k)] == j) {
            return c.weight[at(i)] * c.factor[at(k)];
        }
    }
    return 0;
}

// The unknown of [i, end) without group that i and it couple to most, the first among equals; -1:
// none.
std::int64_t strongest(const Couplings& c,
                       const std::vector<std::int32_t>& of,
                       std::int64_t i,
                       std::int64_t end) {
    std::int64_t best = -1;
    double most = 0;
    for (std::int64_t k = c.first[at(i)]; k < c.first[at(i + 1)]; ++k) {
        const std::int64_t j = c.next[at(k)];
        if (j > i && j < end && of[at(j)] < 0) {
            const double strength = c.weight[at(i)] * c.factor[at(k)] + coupling(c, j, i);
            if (strength > most) {
                most = strength;
                best = j;
            }
        }
    }
    return best;
}

// Pairs within blocks, in the order of their first unknowns.
Groups pairs_of(const Couplings& c, runtime::ThreadTeam& team) {
    Groups groups{std::vector<std::int32_t>(at(c.size()), -1), 0};
    const Blocks blocks(c.size(), team);
    std::vector<std::int32_t> counts(at(blocks.count()), 0);
    blocks.each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t block) {
        std::int32_t count = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            if (groups.of[at(i)] < 0) {
                const std::int64_t j = strongest(c, groups.of, i, end);
                groups.of[at(i)] = count;
                if (j >= 0) {
                    groups.of[at(j)] = count;
                }
                ++count;
            }
        }
        counts[at(block)] = count;
    });
    for (std::int32_t& count : counts) {
        groups.count += std::exchange(count, groups.count);
    }
    blocks.each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t block) {
        for (std::int64_t i = begin; i < end; ++i) {
            groups.of[at(i)] += counts[at(block)];
        }
    });
    return groups;
}

struct Members {
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> list;
};

Members members_of(const Groups& groups) {
    Members members{std::vector<std::int64_t>(at(groups.count) + 1, 0),
                    std::vector<std::int32_t>(groups.of.size())};
    for (const std::int32_t group : groups.of) {
        ++members.first[at(group) + 1];
    }
    for (std::int32_t group = 0; group < groups.count; ++group) {
        members.first[at(group) + 1] += members.first[at(group)];
    }
    std::vector<std::int64_t> next(members.first.begin(), members.first.end() - 1);
    for (std::size_t i = 0; i < groups.of.size(); ++i) {
        members.list[at(next[at(groups.of[i])]++)] = static_cast<std::int32_t>(i);
    }
    return members;
}

struct Entry {
    std::int32_t next;
    double factor;
};

// Stable, so that sums of equal unknowns keep their order; by insertion where rows are short.
void sort(std::vector<Entry>& row) {
    constexpr std::size_t short_row = 64;
    const auto is_before = [](const Entry& a, const Entry& b) { return a.next < b.next; };
    if (row.size() > short_row) {
        std::stable_sort(row.begin(), row.end(), is_before);
        return;
    }
    for (std::size_t i = 1; i < row.size(); ++i) {
        const Entry moved = row[i];
        std::size_t k = i;
        for (; k > 0 && is_before(moved, row[k - 1]); --k) {
            row[k] = row[k - 1];
        }
        row[k] = moved;
    }
}

// Equations of groups: the sums of those of their members.
class Summed {
public:
    Summed(const Couplings& c, const Groups& groups, const Members& members)
        : c_(c), groups_(groups), members_(members) {}

    Couplings take(runtime::ThreadTeam& team) const {
        const Blocks blocks(groups_.count, team);
        std::vector<Couplings> parts(at(blocks.count()));
        blocks.each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t block) {
            std::vector<Entry> row;
            for (std::int64_t group = begin; group < end; ++group) {
                add(group, row, parts[at(block)]);
            }
        });
        return joined(parts);
    }

private:
    void add(std::int64_t group, std::vector<Entry>& row, Couplings& part) const {
        row.clear();
        double weight = 0;
        for (std::int64_t m = members_.first[at(group)]; m < members_.first[at(group + 1)]; ++m) {
            const std::int32_t i = members_.list[at(m)];
            weight += c_.weight[at(i)];
            for (std::int64_t k = c_.first[at(i)]; k < c_.first[at(i + 1)]; ++k) {
                const std::int32_t to = groups_.of[at(c_.next[at(k)])];
                const double factor = c_.weight[at(i)] * c_.factor[at(k)];
                if (to == group) {
                    weight -= factor;
                } else {
                    row.push_back({to, factor});
                }
            }
        }
        sort(row);
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k > 0 && row[k].next == row[k - 1].next) {
                part.factor.back() += row[k].factor / weight;
            } else {
                part.next.push_back(row[k].next);
                part.factor.push_back(row[k].factor / weight);
            }
        }
        part.end_row(weight);
    }

    const Couplings& c_;
    const Groups& groups_;
    const Members& members_;
};

double entries_of(const Couplings& c) {
    return static_cast<double>(c.next.size() + c.weight.size());
}

// L and U of I - C in one, L with ones on its diagonal. Pivots need not be sought: no row sum of C
// is above 1, nor negative an entry.
std::vector<double> factors_of(const Couplings& c) {
    const std::size_t n = at(c.size());
    std::vector<double> lu(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        lu[i * n + i] = 1;
        for (std::int64_t k = c.first[i]; k < c.first[i + 1]; ++k) {
            lu[i * n + at(c.next[at(k)])] -= c.factor[at(k)];
        }
    }
    for (std::size_t pivot = 0; pivot < n; ++pivot) {
        for (std::size_t row = pivot + 1; row < n; ++row) {
            const double factor = lu[row * n + pivot] / lu[pivot * n + pivot];
            lu[row * n + pivot] = factor;
            for (std::size_t k = pivot + 1; factor != 0 && k < n; ++k) {
                lu[row * n + k] -= factor * lu[pivot * n + k];
            }
        }
    }
    return lu;
}

void substitute(const std::vector<double>& lu, std::span<const double> r, std::span<double> x) {
    const std::size_t n = r.size();
    for (std::size_t i = 0; i < n; ++i) {
        double rest = r[i];
        for (std::size_t k = 0; k < i; ++k) {
            rest -= lu[i * n + k] * x[k];
        }
        x[i] = rest;
    }
    for (std::size_t i = n; i-- > 0;) {
        double rest = x[i];
        for (std::size_t k = i + 1; k < n; ++k) {
            rest -= lu[i * n + k] * x[k];
        }
        x[i] = rest / lu[i * n + i];
    }
}

// x = r + Cx within each block by a sweep forwards from 0.
void sweep_forwards(const Couplings& c,
                    std::span<const double> r,
                    std::span<double> x,
                    runtime::ThreadTeam& team) {
    Blocks(c.size(), team).each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t) {
        for (std::int64_t i = begin; i < end; ++i) {
            x[at(i)] = c.sum_before(r[at(i)], x.data(), i, begin);
        }
    });
}

// And backwards from x; `old` is what other blocks see of it.
void sweep_backwards(const Couplings& c,
                     std::span<const double> r,
                     std::span<double> x,
                     std::span<const double> old,
                     runtime::ThreadTeam& team) {
    Blocks(c.size(), team).each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t) {
        for (std::int64_t i = end; i-- > begin;) {
            x[at(i)] = c.sum_seen<true>(r[at(i)], x.data(), old.data(), i, begin, end);
        }
    });
}

}  // namespace

Multilevel::Multilevel(const Couplings& finest, runtime::ThreadTeam& team) : finest_(finest) {
    levels_.emplace_back();
    while (matrix(levels_.size() - 1).size() > most_dense_states &&
           levels_.size() < at(most_levels) && coarsen(team)) {
    }
    const Couplings& coarsest = matrix(levels_.size() - 1);
    levels_.back().rest.resize(at(coarsest.size()));
    if (coarsest.size() <= most_dense_states) {
        factors_ = factors_of(coarsest);
    }
}

// Pairs of pairs. False: too little would be gained.
bool Multilevel::coarsen(runtime::ThreadTeam& team) {
    const Couplings& fine = matrix(levels_.size() - 1);
    Groups groups = pairs_of(fine, team);
    Couplings coarse = Summed(fine, groups, members_of(groups)).take(team);
    const Groups again = pairs_of(coarse, team);
    coarse = Summed(coarse, again, members_of(again)).take(team);
    if (entries_of(coarse) > most_that_stays * entries_of(fine)) {
        return false;
    }
    for (std::int32_t& of : groups.of) {
        of = again.of[at(of)];
    }
    groups.count = again.count;
    Members members = members_of(groups);
    Level& level = levels_.back();
    level.rest.resize(at(fine.size()));
    level.group = std::move(groups.of);
    level.member_first = std::move(members.first);
    level.member = std::move(members.list);
    Level& next = levels_.emplace_back();
    next.own = std::move(coarse);
    for (std::vector<double>* of :
         {&next.r, &next.x, &next.first, &next.first_image, &next.second_image}) {
        of->resize(next.own.weight.size());
    }
    return true;
}

void Multilevel::solve(std::span<const double> r, std::span<double> x, runtime::ThreadTeam& team) {
    cycle(0, r, x, team);
}

void Multilevel::cycle(std::size_t level,
                       std::span<const double> r,
                       std::span<double> x,
                       runtime::ThreadTeam& team) {
    if (level + 1 == levels_.size()) {
        solve_coarsest(r, x, team);
        return;
    }
    const Couplings& c = matrix(level);
    Level& own = levels_[level];
    Level& next = levels_[level + 1];
    sweep_forwards(c, r, x, team);
    const Blocks blocks(c.size(), team);
    blocks.for_all([&](std::size_t i) {
        own.rest[i] = r[i] - x[i] + c.sum(x.data(), static_cast<std::int64_t>(i));
    });
    sum_rest(level, team);
    two_steps(level + 1, team);
    blocks.for_all([&](std::size_t i) { x[i] = own.rest[i] = x[i] + next.x[at(own.group[i])]; });
    sweep_backwards(c, r, x, own.rest, team);
}

// The right side of equation (12).
void Multilevel::sum_rest(std::size_t level, runtime::ThreadTeam& team) {
    const Level& own = levels_[level];
    const std::vector<double>& weight = matrix(level).weight;
    Level& next = levels_[level + 1];
    Blocks(next.own.size(), team).for_all([&](std::size_t group) {
        double sum = 0;
        for (std::int64_t m = own.member_first[group]; m < own.member_first[group + 1]; ++m) {
            const std::size_t i = at(own.member[at(m)]);
            sum += weight[i] * own.rest[i];
        }
        next.r[group] = sum / next.own.weight[group];
    });
}

void Multilevel::two_steps(std::size_t level, runtime::ThreadTeam& team) {
    Level& own = levels_[level];
    if (level + 1 == levels_.size()) {
        solve_coarsest(own.r, own.x, team);
        return;
    }
    const Couplings& c = own.own;
    const Blocks blocks(c.size(), team);
    const auto apply = [&](const std::vector<double>& x, std::vector<double>& image) {
        blocks.for_all([&](std::size_t i) {
            image[i] = x[i] - c.sum(x.data(), static_cast<std::int64_t>(i));
        });
    };
    const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
        return blocks.sum([&](std::size_t i) { return a[i] * b[i]; });
    };
    cycle(level, own.r, own.first, team);
    apply(own.first, own.first_image);
    const double size = dot(own.first_image, own.first_image);
    if (!(size > 0)) {
        std::fill(own.x.begin(), own.x.end(), 0.0);
        return;
    }
    const double before = dot(own.r, own.r);
    const double step = dot(own.first_image, own.r) / size;
    blocks.for_all([&](std::size_t i) { own.r[i] -= step * own.first_image[i]; });
    if (dot(own.r, own.r) <= enough_of_a_step * enough_of_a_step * before) {
        blocks.for_all([&](std::size_t i) { own.x[i] = step * own.first[i]; });
        return;
    }
    cycle(level, own.r, own.x, team);
    apply(own.x, own.second_image);
    const double both = dot(own.second_image, own.first_image);
    const double second_size = dot(own.second_image, own.second_image) - both * both / size;
    const double second = second_size > 0 ? dot(own.second_image, own.r) / second_size : 0;
    blocks.for_all([&](std::size_t i) {
        own.x[i] = (step - second * both / size) * own.first[i] + second * own.x[i];
    });
}

void Multilevel::solve_coarsest(std::span<const double> r,
                                std::span<double> x,
                                runtime::ThreadTeam& team) {
    if (factors_.empty()) {
        const Couplings& c = matrix(levels_.size() - 1);
        std::vector<double>& old = levels_.back().rest;
        sweep_forwards(c, r, x, team);
        for (int i = 0; i < sweeps_of_the_coarsest; ++i) {
            std::copy(x.begin(), x.end(), old.begin());
            sweep_backwards(c, r, x, old, team);
        }
        return;
    }
    substitute(factors_, r, x);
}

}  // namespace lockstep::rl
