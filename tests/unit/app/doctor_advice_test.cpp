#include "app/doctor_advice.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two ranks of one thread on a free machine of two CPUs.
Diagnosis two_ranks() {
    Diagnosis diagnosis;
    diagnosis.launcher = "Open MPI (mpirun)";
    diagnosis.shm_bytes = std::int64_t{1} << 30;
    RankSeen rank;
    rank.host = "node1";
    rank.cpus = 1;
    rank.host_cpus = 2;
    rank.machine_cpus = 2;
    rank.threads = 1;
    diagnosis.ranks = {rank, rank};
    diagnosis.topology.allowed_cpus = {0};
    return diagnosis;
}

TEST(DoctorAdviceTest, ChangesNothingAboutRanksBoundToCpusOfTheirOwn) {
    EXPECT_THAT(advice_for(two_ranks()), IsEmpty());
}

TEST(DoctorAdviceTest, NamesRanksThatShareACpu) {
    auto diagnosis = two_ranks();
    for (auto& rank : diagnosis.ranks) {
        rank.host_cpus = 1;
    }

    EXPECT_THAT(advice_for(diagnosis),
                ElementsAre("2 ranks share 1 CPU of node1: start fewer ranks"));
}

TEST(DoctorAdviceTest, CountsTheRanksOfEachHostAlone) {
    auto diagnosis = two_ranks();
    for (auto& rank : diagnosis.ranks) {
        rank.host_cpus = 1;
    }
    diagnosis.ranks[1].host = "node2";

    EXPECT_THAT(advice_for(diagnosis), IsEmpty());
}

TEST(DoctorAdviceTest, TellsOfOtherProgramsThatTakeTheCpus) {
    auto diagnosis = two_ranks();
    for (auto& rank : diagnosis.ranks) {
        rank.others = 22;
    }

    EXPECT_THAT(
        advice_for(diagnosis),
        ElementsAre(HasSubstr("other programs run 22 threads on the 2 CPUs of node1, where a run "
                              "would take 2")));
}

TEST(DoctorAdviceTest, AsksForSharedMemory) {
    auto diagnosis = two_ranks();
    diagnosis.shm_bytes = 64 << 20;

    EXPECT_THAT(advice_for(diagnosis), ElementsAre(HasSubstr("/dev/shm has 67 MB")));
}

}  // namespace
}  // namespace lockstep::app
