#include "formats/cobre/policy/pool_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lockstep/base/index.hpp"

#include "formats/cobre/policy/buffer.hpp"
#include "formats/cobre/policy/slot_table.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/units.hpp"

namespace lockstep::formats::cobre::out {

namespace {

constexpr double cost_scale = 1e6;  // Cobre's own; the numbers in the file are not scaled
using Builder = flatbuffers::FlatBufferBuilder;

auto add_cuts(Builder& out, const sddp::StageCuts& cuts, const std::vector<std::size_t>& order) {
    std::vector<flatbuffers::Offset<flat::AffinePiece>> pieces;
    std::vector<double> slopes(order.size());
    for (int cut = 0; cut < cuts.size(); ++cut) {
        const auto row = cuts.slopes.row(cut);
        std::ranges::transform(order, slopes.begin(), [&](auto place) { return row[place]; });
        const auto i = at(cut);
        pieces.push_back(flat::CreateAffinePiece(out,
                                                 i,
                                                 static_cast<std::uint32_t>(cut),
                                                 static_cast<std::uint32_t>(cuts.iteration[i]),
                                                 static_cast<std::uint32_t>(cuts.trajectory[i]),
                                                 cuts.intercept[i],
                                                 out.CreateVector(slopes),
                                                 cuts.active[i] != 0,
                                                 cuts.outcome.empty() ? -1 : cuts.outcome[i]));
    }
    return out.CreateVector(pieces);
}

std::vector<std::uint32_t> active_cuts(const sddp::StageCuts& cuts) {
    std::vector<std::uint32_t> active;
    for (int cut = 0; cut < cuts.size(); ++cut) {
        if (cuts.active[at(cut)] != 0) {
            active.push_back(static_cast<std::uint32_t>(cut));
        }
    }
    return active;
}

void require_room(const std::filesystem::path& path, std::size_t cuts, std::size_t states) {
    constexpr std::size_t of_a_cut = 96;  // besides the slopes, at most
    if (2 * cuts * (of_a_cut + sizeof(double) * states) > FLATBUFFERS_MAX_BUFFER_SIZE) {
        throw IoError(fmt::format("{}: {} cuts of {} states are more than a policy file can hold",
                                  path.string(),
                                  cuts,
                                  states),
                      IoError::Direction::write);
    }
}

/// A file of cuts as it is read.
class Reader {
public:
    explicit Reader(Buffer<flat::StageCuts> root) : root_(std::move(root)) {}

    Pool read() {
        Pool pool;
        pool.number = count_of(root_->stage_id(), "the number of the pool", root_.file());
        pool.node_id = root_->node_id();
        pool.stage_id = root_->graph_stage_id();
        pool.date = to_date(root_->priced_state_date());
        pool.slots = slots_of(root_->entity_manifest(), root_->state_dimension(), root_.file());
        pool.dimension = count_of(root_->state_dimension(), "the size of a state", root_.file());
        pool.places.resize(pool.slots.size());
        std::iota(pool.places.begin(), pool.places.end(), 0U);
        pool.cuts = cuts_of(root_->cuts(), pool.slots.size());
        if (root_->bounds() != nullptr) {
            pool.bounds = cuts_of(root_->bounds(), pool.slots.size());
            if (pool.bounds->size() != pool.cuts.size()) {
                fail(fmt::format("{} cuts with {} bounds", pool.cuts.size(), pool.bounds->size()));
            }
        }
        return pool;
    }

private:
    using Pieces = flatbuffers::Vector<flatbuffers::Offset<flat::AffinePiece>>;

    sddp::StageCuts cuts_of(const Pieces* pieces, std::size_t width) {
        sddp::StageCuts out;
        out.slopes = sddp::CutSlopes({static_cast<int>(width), 0, 0});
        out.slopes.reserve(static_cast<int>(size_of(pieces)));
        for (std::size_t cut = 0; cut < size_of(pieces); ++cut) {
            add(*pieces->Get(static_cast<flatbuffers::uoffset_t>(cut)), cut, out);
        }
        return out;
    }

    void add(const flat::AffinePiece& piece, std::size_t cut, sddp::StageCuts& out) {
        const auto width = static_cast<std::size_t>(out.slopes.width());
        if (size_of(piece.coefficients()) != width) {
            fail(fmt::format("cut {}: {} coefficients, the state has {} variables",
                             cut,
                             size_of(piece.coefficients()),
                             width));
        }
        std::vector<double> slopes;
        for (std::size_t i = 0; i < width; ++i) {
            const auto slope = piece.coefficients()->Get(static_cast<flatbuffers::uoffset_t>(i));
            slopes.push_back(money(slope, cut, "a coefficient"));
        }
        out.slopes.add(slopes);
        out.intercept.push_back(money(piece.intercept(), cut, "the intercept"));
        out.iteration.push_back(
            count_of(piece.iteration(), "the iteration of a cut", root_.file()));
        out.trajectory.push_back(
            count_of(piece.forward_pass_index(), "the pass of a cut", root_.file()));
        out.active.push_back(piece.is_active() ? 1 : 0);
        add_outcome(piece.outcome(), cut, out);
    }

    // A list only where some cut is of one outcome.
    void add_outcome(std::int32_t outcome, std::size_t cut, sddp::StageCuts& out) {
        constexpr std::int32_t most = 1'000'000;
        if (outcome < -1 || outcome > most) {
            fail(fmt::format("cut {}: the outcome is {}, must be in [-1, {}]", cut, outcome, most));
        }
        if (outcome >= 0 || !out.outcome.empty()) {
            out.outcome.resize(cut, -1);
            out.outcome.push_back(outcome);
        }
    }

    [[nodiscard]] double money(double value, std::size_t cut, std::string_view what) const {
        if (!(std::abs(value) <= largest_money)) {
            fail(fmt::format("cut {}: {} is {}, must be in [{}, {}]",
                             cut,
                             what,
                             value,
                             -largest_money,
                             largest_money));
        }
        return value;
    }

    [[noreturn]] void fail(const std::string& message) const {
        throw InputError(fmt::format("{}: {}", root_.file(), message));
    }

    Buffer<flat::StageCuts> root_;
};

}  // namespace

std::filesystem::path pool_path(const std::filesystem::path& directory, std::size_t pool) {
    return directory / "cuts" / fmt::format("{:03d}.bin", pool);
}

void write_pool(const std::filesystem::path& path, const Pool& pool) {
    const auto count = static_cast<std::uint32_t>(pool.cuts.size());
    require_room(path, count, pool.slots.size());
    const auto order = cobre_order(pool.slots);
    std::vector<std::size_t> places;
    for (const auto slot : order) {
        places.push_back(pool.places[slot]);
    }
    Builder out;
    out.ForceDefaults(true);
    const auto cuts = add_cuts(out, pool.cuts, places);
    const auto bounds = pool.bounds ? add_cuts(out, *pool.bounds, places) : 0;
    const auto active = out.CreateVector(active_cuts(pool.cuts));
    const auto slots = add_slots(out, pool.slots, order);
    const auto earlier = std::ranges::count(pool.cuts.iteration, 0);
    write_buffer(path,
                 out,
                 flat::CreateStageCuts(out,
                                       static_cast<std::uint32_t>(pool.number),
                                       static_cast<std::uint32_t>(pool.dimension),
                                       count,
                                       static_cast<std::uint32_t>(earlier),
                                       cuts,
                                       active,
                                       count,
                                       slots,
                                       cost_scale,
                                       pool.node_id,
                                       pool.stage_id,
                                       number_or_none(pool.date),
                                       bounds));
}

Pool read_pool(const std::filesystem::path& path) {
    return Reader(Buffer<flat::StageCuts>(path)).read();
}

Pool parse_pool(std::string bytes, const std::string& file) {
    return Reader(Buffer<flat::StageCuts>(std::move(bytes), file)).read();
}

sddp::StageCuts rearranged(const sddp::StageCuts& cuts,
                           const std::vector<std::optional<std::size_t>>& places,
                           sddp::StateLayout states) {
    sddp::StageCuts out;
    out.slopes = sddp::CutSlopes(states);
    out.slopes.reserve(cuts.size());
    std::vector<double> slopes(places.size());
    for (int cut = 0; cut < cuts.size(); ++cut) {
        const auto row = cuts.slopes.row(cut);
        std::ranges::transform(
            places, slopes.begin(), [&](const auto& place) { return place ? row[*place] : 0; });
        out.slopes.add(slopes);
    }
    out.intercept = cuts.intercept;
    out.iteration = cuts.iteration;
    out.trajectory = cuts.trajectory;
    out.active = cuts.active;
    out.outcome = cuts.outcome;
    return out;
}

}  // namespace lockstep::formats::cobre::out
