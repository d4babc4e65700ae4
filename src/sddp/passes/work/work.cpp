#include "lockstep/sddp/work.hpp"

#include <cmath>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/varint.hpp"

#include "sddp/passes/work/work_counts.hpp"

namespace lockstep::sddp {

namespace {

constexpr double ticks_per_second = 1e7;

template <typename Report, typename F>
void visit_times(Report& work, F&& f) {
    f(work.solve_seconds);
    f(work.load_seconds);
    f(work.bounds_seconds);
    f(work.basis_seconds);
}

void put_times(const PhaseReport& work, std::vector<std::byte>& out) {
    visit_times(work, [&](double seconds) {
        put_varint(static_cast<std::uint64_t>(std::llround(seconds * ticks_per_second)), out);
    });
}

std::int32_t take_place(std::span<const std::byte>& rest) {
    const auto place = take_varint(rest);
    if (!std::in_range<std::int32_t>(place)) {
        throw InputError("a place of the work is beyond any problem");
    }
    return static_cast<std::int32_t>(place);
}

WorkRow take_row(std::span<const std::byte>& rest) {
    WorkRow row;
    row.pass = take_place(rest) == 0 ? WorkRow::Pass::forward : WorkRow::Pass::backward;
    row.stage = take_place(rest);
    row.opening = take_place(rest) - 1;
    take_counts(rest, row.work);
    visit_times(row.work, [&](double& seconds) {
        seconds = static_cast<double>(take_varint(rest)) / ticks_per_second;
    });
    return row;
}

}  // namespace

WorkTable::WorkTable(std::span<const WorkRow> rows) {
    for (const auto& row : rows) {
        put_varint(row.pass == WorkRow::Pass::forward ? 0 : 1, bytes_);
        put_varint(static_cast<std::uint64_t>(row.stage), bytes_);
        put_varint(static_cast<std::uint64_t>(row.opening + 1), bytes_);
        put_counts(row.work, bytes_);
        put_times(row.work, bytes_);
    }
}

std::vector<WorkRow> WorkTable::rows() const {
    std::vector<WorkRow> rows;
    for (std::span<const std::byte> rest = bytes_; !rest.empty();) {
        rows.push_back(take_row(rest));
    }
    return rows;
}

void add_times(const PhaseReport& work, PhaseReport& sum) {
    sum.solve_seconds += work.solve_seconds;
    sum.load_seconds += work.load_seconds;
    sum.bounds_seconds += work.bounds_seconds;
    sum.basis_seconds += work.basis_seconds;
}

void add(const PhaseReport& work, PhaseReport& sum) {
    sum.solves += work.solves;
    sum.units += work.units;
    sum.pivots += work.pivots;
    sum.resident_cuts += work.resident_cuts;
    sum.warm_starts += work.warm_starts;
    add_times(work, sum);
    for (std::size_t i = 0; i < sum.retried.size(); ++i) {
        sum.retried[i] += work.retried[i];
    }
}

// Solves are hardly ever retried: one number says which levels have any, and those follow.
void put_counts(const PhaseReport& work, std::vector<std::byte>& out) {
    std::uint64_t levels = 0;
    for (std::size_t i = 0; i < work.retried.size(); ++i) {
        levels |= std::uint64_t{work.retried[i] > 0} << i;
    }
    for (const std::int64_t count : {work.solves, work.pivots, work.warm_starts}) {
        put_varint(static_cast<std::uint64_t>(count), out);
    }
    put_varint(levels, out);
    for (const std::int64_t count : work.retried) {
        if (count > 0) {
            put_varint(static_cast<std::uint64_t>(count), out);
        }
    }
}

void take_counts(std::span<const std::byte>& rest, PhaseReport& sum) {
    for (std::int64_t* count : {&sum.solves, &sum.pivots, &sum.warm_starts}) {
        *count += static_cast<std::int64_t>(take_varint(rest));
    }
    const auto levels = take_varint(rest);
    for (std::size_t i = 0; i < sum.retried.size(); ++i) {
        if ((levels >> i & 1) != 0) {
            sum.retried[i] += static_cast<std::int64_t>(take_varint(rest));
        }
    }
}

}  // namespace lockstep::sddp
