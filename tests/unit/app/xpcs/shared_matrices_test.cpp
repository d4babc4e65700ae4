#include "app/xpcs/stages/shared_matrices.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/hdf5.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/xpcs/stages/dataset.hpp"
#include "unit/app/temporary_folder.hpp"
#include "unit/formats/homodyne/data_fixture.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::configuration_of;
using formats::homodyne::load;
using formats::homodyne::Loaded;
using testing::HasSubstr;

/// Over ranks of one node.
template <typename F>
void on_ranks(int count, F&& body) {
    comm::run_in_process(count, [&](comm::Communicator& ranks) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{ranks, threads};
        body(team);
    });
}

TEST(SharedMatricesTest, RanksThatReadAPartEachHaveWhatOneReadsAlone) {
    const auto configuration = configuration_of(formats::homodyne::shared_data("lam6_aps_old.h5"));
    const Loaded alone = load(configuration);
    for (const int count : {1, 2, 3, 8}) {  // of 6 matrices
        on_ranks(count, [&](runtime::Team& team) {
            const auto shared = load_shared(configuration, team);
            EXPECT_EQ(shared.loaded.measurement.c2, alone.measurement.c2);
            EXPECT_EQ(shared.loaded.measurement.diagonal, alone.measurement.diagonal);
            EXPECT_EQ(shared.loaded.measurement.phi, alone.measurement.phi);
            EXPECT_EQ(shared.loaded.dropped, alone.dropped);
            EXPECT_EQ(shared.loaded.selection.notes, alone.selection.notes);
            const auto bytes = static_cast<std::int64_t>(8 * alone.measurement.c2.size());
            EXPECT_EQ(shared.borrowed_bytes, team.ranks.rank() == 0 ? 0 : bytes);
        });
    }
}

TEST(SharedMatricesTest, AFileHasWhatMemoryHas) {
    const auto configuration = configuration_of(formats::homodyne::shared_data("lam6_aps_old.h5"));
    const Loaded alone = load(configuration);
    const auto bytes = static_cast<std::int64_t>(8 * alone.measurement.c2.size());
    for (const int count : {1, 3}) {
        const TemporaryFolder folder;
        const MatrixStorage just_too_large{folder / "new", bytes - 1};
        on_ranks(count, [&](runtime::Team& team) {
            const auto shared = load_shared(configuration, team, just_too_large);
            EXPECT_EQ(shared.loaded.measurement.c2, alone.measurement.c2);
            EXPECT_EQ(shared.loaded.measurement.diagonal, alone.measurement.diagonal);
            EXPECT_THAT(shared.loaded.selection.notes.back(), HasSubstr(" are kept in a file in "));
            EXPECT_EQ(shared.borrowed_bytes, team.ranks.rank() == 0 ? 0 : bytes);
        });
        EXPECT_TRUE(std::filesystem::is_empty(folder / "new"));
    }
}

TEST(SharedMatricesTest, MatricesThatFitStayInMemory) {
    const TemporaryFolder folder;
    const auto configuration = configuration_of(formats::homodyne::shared_data("lam6_aps_old.h5"));
    const Loaded alone = load(configuration);
    const auto bytes = static_cast<std::int64_t>(8 * alone.measurement.c2.size());
    on_ranks(2, [&](runtime::Team& team) {
        const auto shared = load_shared(configuration, team, {folder / "new", bytes});
        EXPECT_EQ(shared.loaded.selection.notes, alone.selection.notes);
    });
}

TEST(SharedMatricesTest, ADiskWithoutRoomEndsAllRanks) {
    const auto configuration = configuration_of(formats::homodyne::shared_data("lam6_aps_old.h5"));
    on_ranks(2, [&](runtime::Team& team) {
        try {
            (void)load_shared(configuration, team, {"/proc/none", 0});
            FAIL() << "there is no room in /proc";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("/proc/none"));
        }
    });
}

TEST(MatrixStorageTest, MemoryIsForMatricesUpToMostOfIt) {
    const XpcsRequest request;
    const auto usable = runtime::usable_memory();
    EXPECT_FALSE(storage_of(request).takes(usable / 2));
    EXPECT_TRUE(storage_of(request).takes(usable));
    EXPECT_FALSE(storage_of(request, 3).takes(usable / 6));  // a dataset of three
    EXPECT_TRUE(storage_of(request, 3).takes(usable / 3));
}

TEST(MatrixStorageTest, AFolderThatIsNamedIsForAllMatrices) {
    XpcsRequest request;
    request.scratch = "somewhere";
    EXPECT_TRUE(storage_of(request).takes(1));
    EXPECT_EQ(storage_of(request).folder, "somewhere");
    EXPECT_FALSE(MatrixStorage{}.takes(1));
}

/// Matrices of 4 frames at 3 angles, of which the last is neither symmetric nor a half.
void write_a_bad_matrix(const std::string& file) {
    const auto writer = io::create_hdf5(file);
    using Shape = std::vector<std::int64_t>;
    writer->write("xpcs/dqlist", std::vector<double>(3, 0.0054), Shape{1, 3}, {});
    writer->write("xpcs/dphilist", std::vector<double>{0, 10, 20}, Shape{1, 3}, {});
    for (int k = 1; k <= 3; ++k) {
        std::vector<double> matrix(16, 1.1);
        matrix[2] += k == 3 ? 0.1 : 0;
        writer->write("exchange/C2T_all/g2_0000" + std::to_string(k), matrix, Shape{4, 4}, {});
    }
    writer->close();
}

TEST(SharedMatricesTest, WhatOneRankRefusesEndsAll) {
    const TemporaryFolder folder;
    write_a_bad_matrix(folder / "bad.h5");
    const auto configuration = configuration_of(folder / "bad.h5");
    int refused = 0;
    on_ranks(3, [&](runtime::Team& team) {
        std::string told;
        try {
            (void)load_shared(configuration, team);
        } catch (const Error& error) {
            told = error.what();
        }
        EXPECT_THAT(told, HasSubstr("g2_00003 is not symmetric"));
        if (team.ranks.rank() == 0) {
            ++refused;
        }
    });
    EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace lockstep::app
