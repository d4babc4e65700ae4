#include "comm/tcp/membership.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm::tcp {

int Membership::rank_of(int id) const noexcept {
    for (int rank = 0; rank < size(); ++rank) {
        if (member(rank).id == id) {
            return rank;
        }
    }
    return -1;
}

std::uint64_t Membership::fingerprint() const {
    DigestBuilder builder;
    builder.add(epoch);
    for (const Member& member : members) {
        builder.add(member.id);
    }
    return builder.digest()[0];
}

Bytes pack(const Membership& membership) {
    Packer packer;
    packer.number(membership.epoch);
    packer.number(static_cast<std::uint32_t>(membership.members.size()));
    for (const Member& member : membership.members) {
        packer.number(static_cast<std::uint32_t>(member.id));
        packer.text(member.host)
            .text(member.node)
            .text(member.cores)
            .text(member.address)
            .number(member.port);
    }
    return packer.take();
}

Membership unpack_membership(std::span<const std::byte> bytes) {
    Unpacker fields(bytes);
    Membership membership;
    membership.epoch = fields.number<std::uint32_t>();
    const auto count = fields.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
        Member member;
        member.id = static_cast<int>(fields.number<std::uint32_t>());
        member.host = fields.text();
        member.node = fields.text();
        member.cores = fields.text();
        member.address = fields.text();
        member.port = fields.number<std::uint16_t>();
        membership.members.push_back(std::move(member));
    }
    fields.finish();
    return membership;
}

Address address_of(const Member& member) {
    return resolve(member.address, member.port).front();
}

std::string own_node() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    // Without a boot id the name of the host has to do.
    if (!std::getline(file, boot)) {
        boot = own_host();
    }
    struct stat mount {};
    if (stat("/dev/shm", &mount) != 0) {
        return boot;
    }
    return fmt::format("{}/{}.{}", boot, mount.st_dev, mount.st_ino);
}

std::string own_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return {};
    }
    std::string bits(sizeof set, '\0');
    std::memcpy(bits.data(), &set, sizeof set);
    return bits.substr(0, bits.find_last_not_of('\0') + 1);
}

int count_cores(const std::vector<std::string>& sets) {
    std::bitset<8 * sizeof(cpu_set_t)> all;
    for (const std::string& set : sets) {
        for (std::size_t bit = 0; bit < std::min(all.size(), 8 * set.size()); ++bit) {
            if ((static_cast<unsigned char>(set[bit / 8]) >> (bit % 8) & 1) != 0) {
                all.set(bit);
            }
        }
    }
    return static_cast<int>(all.count());
}

}  // namespace lockstep::comm::tcp
