#include "rl/server/shard_server.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/error.hpp"

#include "rl/server/shard_messages.hpp"

namespace lockstep::rl {

ShardServer::ShardServer(const LearnOptions& options,
                         TableStore& table,
                         runtime::ThreadTeam& threads,
                         const Settings& settings)
    : options_(options),
      settings_(settings),
      threads_(threads),
      shape_{table.planes(), table.states(), table.actions()},
      shared_(table, settings.part),
      combiner_(options.combine, options.learning_rate, options.workers),
      retention_(options.learning_rate) {
    if (options.first_table) {
        shared_.renew();  // workers begin without it
    }
}

void ShardServer::on_message(std::int64_t peer, std::span<const std::byte> message) {
    switch (kind_of(message)) {
        case MessageKind::pull:
            pullers_.push_back({peer, unpack_pull(message).version});
            break;
        case MessageKind::parts:
            keep(unpack_parts(message));
            break;
        case MessageKind::apply:
            apply(unpack_apply(message));
            break;
        case MessageKind::forget:
            for (const LeaseId& lease : unpack_leases(message)) {
                parts_.erase(lease);
            }
            break;
        default:
            return;
    }
    answer();
}

void ShardServer::on_leave(std::int64_t peer) {
    has_versions_.erase(peer);
    std::erase_if(pullers_, [peer](const Puller& puller) { return puller.peer == peer; });
}

void ShardServer::keep(std::vector<LeasePart> parts) {
    std::vector<LeaseId> came;
    for (LeasePart& part : parts) {
        Waiting waiting{decode(part.delta, shape_.cells()), std::move(part.losses)};
        const auto& changes = waiting.delta.changes;
        if ((options_.staleness != 0 && waiting.losses.size() != waiting.delta.size()) ||
            !std::ranges::all_of(changes, [](double change) { return std::isfinite(change); })) {
            throw InputError("a push is not what its lease asks for");
        }
        if (parts_.emplace(part.id, std::move(waiting)).second) {
            came.push_back(part.id);
        }
    }
    letters_.push_back({settings_.first, pack(MessageKind::arrived, came)});
}

void ShardServer::apply(const Apply& step) {
    if (options_.staleness == 0) {
        combine(step.leases);
    } else {
        for (const LeaseId& lease : step.leases) {
            compose(lease, step.share);
        }
    }
}

void ShardServer::compose(const LeaseId& lease, double share) {
    const Waiting part = take(lease);
    std::vector<double> left;
    for (const std::uint32_t loss : part.losses) {
        left.push_back(retention_.left(loss));
    }
    shared_.compose(part.delta, left, share);
}

void ShardServer::combine(std::span<const LeaseId> leases) {
    std::vector<Waiting> parts;
    for (const LeaseId& lease : leases) {
        parts.push_back(lease == LeaseId{} ? Waiting{} : take(lease));
    }
    std::vector<const Delta*> deltas;
    for (const Waiting& part : parts) {
        deltas.push_back(&part.delta);
    }
    shared_.combine(deltas, combiner_, threads_);
}

ShardServer::Waiting ShardServer::take(const LeaseId& lease) {
    auto found = parts_.extract(lease);
    if (found.empty()) {
        throw AssertionError("a lease counts of which a server of the table has no part");
    }
    ++applied_;
    return std::move(found.mapped());
}

void ShardServer::answer() {
    const auto has_come = [&](const Puller& puller) { return puller.version <= version(); };
    for (const Puller& puller : pullers_) {
        if (has_come(puller)) {
            letters_.push_back({puller.peer, pack(MessageKind::news, news_for(puller.peer))});
        }
    }
    std::erase_if(pullers_, has_come);
}

News ShardServer::news_for(std::int64_t peer) {
    News news = shared_.newer_than(std::exchange(has_versions_[peer], version()));
    if (settings_.is_narrow && options_.staleness != 0) {
        news.width = scaled_if_moderate(news.values);
    } else if (options_.table_precision == Precision::f32) {
        news.width = narrowest(news.values);
    }
    return news;
}

std::vector<Letter> ShardServer::take_letters() {
    return std::exchange(letters_, {});
}

}  // namespace lockstep::rl
