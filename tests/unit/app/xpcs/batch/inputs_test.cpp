#include "app/xpcs/batch/inputs.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "app/xpcs/batch/deal.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BatchInputsTest : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text = "x") const {
        io::write_file(folder_ / name, text);
        return (folder_ / name).string();
    }
    [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& inputs,
                                                 const std::string& configuration = "") const {
        std::vector<std::string> names;
        for (const auto& item : items(inputs, configuration)) {
            names.push_back(item.name);
        }
        return names;
    }
    [[nodiscard]] std::vector<BatchItem> items(const std::vector<std::string>& inputs,
                                               const std::string& configuration = "") const {
        BatchRequest request;
        request.inputs = inputs;
        request.each.run.input = configuration;
        return batch_items(request, "out");
    }
    [[nodiscard]] std::string message(const std::vector<std::string>& inputs,
                                      const std::string& configuration = "") const {
        try {
            const auto found = items(inputs, configuration);
            return std::to_string(found.size()) + " items";
        } catch (const Error& error) {
            return error.what();
        }
    }
    [[nodiscard]] std::string path(const std::string& name = "") const { return folder_ / name; }

private:
    TemporaryFolder folder_;
};

TEST_F(BatchInputsTest, DigitsCountAsNumbers) {
    EXPECT_TRUE(comes_before("scan_2.h5", "scan_10.h5"));
    EXPECT_FALSE(comes_before("scan_10.h5", "scan_2.h5"));
    EXPECT_TRUE(comes_before("a", "a1"));
    EXPECT_TRUE(comes_before("a01b", "a1c"));
    EXPECT_TRUE(comes_before("a01", "a1"));  // equal but for zeros: by their letters
    EXPECT_FALSE(comes_before("a1", "a01"));
    EXPECT_FALSE(comes_before("x", "x"));
    EXPECT_TRUE(comes_before("99999999999999999999998", "99999999999999999999999"));
}

TEST_F(BatchInputsTest, AFolderOrAPatternStandsForDataFilesInOrder) {
    for (const auto* name :
         {"s/scan_10.h5", "s/scan_2.hdf", "s/notes.txt", "s/cached_c2_frames_1_9.npz"}) {
        file(name);
    }
    EXPECT_THAT(names({path("s")}, "config.yaml"), ElementsAre("scan_2", "scan_10"));
    EXPECT_THAT(names({path("s/scan*")}, "config.yaml"), ElementsAre("scan_2", "scan_10"));
    EXPECT_THAT(names({path("s/scan_10.h5"), path("s")}, "config.yaml"),
                ElementsAre("scan_10", "scan_2"));
    const auto first = items({path("s")}, "config.yaml").front();
    EXPECT_EQ(first.request.run.input, "config.yaml");
    EXPECT_EQ(first.request.data_file, path("s/scan_2.hdf"));
    EXPECT_EQ(first.request.run.output, "out/scan_2");
}

TEST_F(BatchInputsTest, WithoutAConfigurationFoldersHoldThem) {
    file("c/b.yaml", "analyzer_parameters: {dt: 1}\n");
    file("c/a.json", R"({"experimental_data": {}})");
    file("c/else.yaml", "key: 1\n");
    file("c/broken.yml", "a: [\n");  // fails visibly instead of being passed over
    file("c/data.h5");
    EXPECT_THAT(names({path("c")}), ElementsAre("a", "b", "broken"));
}

TEST_F(BatchInputsTest, EqualNamesGetTheirFolders) {
    const auto one = file("monday/config.yaml");
    const auto two = file("tuesday/config.yaml");
    EXPECT_THAT(names({one, two}), ElementsAre("monday-config", "tuesday-config"));

    const auto clash = message({file("a.h5"), file("a.nxs")}, "config.yaml");
    EXPECT_THAT(clash, HasSubstr("would both write into"));
    EXPECT_THAT(clash, HasSubstr("a.nxs"));
}

TEST_F(BatchInputsTest, SaysWhatIsNotThere) {
    std::filesystem::create_directory(path("empty"));
    EXPECT_THAT(message({path("gone.h5")}, "c.yaml"), HasSubstr("gone.h5: no such file or folder"));
    EXPECT_THAT(message({path("*.h5")}, "c.yaml"), HasSubstr("no file matches the pattern"));
    EXPECT_THAT(message({path("empty")}, "c.yaml"), HasSubstr("empty: holds no data file"));
    EXPECT_THAT(message({path("empty")}), HasSubstr("name theirs with --config"));
}

TEST_F(BatchInputsTest, EachItemIsDealtToOneRankAndTheLargestApart) {
    std::vector<BatchItem> items;
    for (const int bytes : {1, 5, 1, 4, 1}) {
        items.push_back({std::to_string(items.size()), {}, bytes});
    }
    std::vector<const BatchItem*> all;
    for (const auto& item : items) {
        all.push_back(&item);
    }
    const auto of = [&](int rank, int ranks) {
        std::string names;
        for (const auto* item : share_of(all, rank, ranks)) {
            names += item->name;
        }
        return names;
    };
    EXPECT_EQ(of(0, 1), "01234");
    EXPECT_EQ(of(0, 2), "12");   // 5 + 1
    EXPECT_EQ(of(1, 2), "034");  // 4 + 1 + 1
    EXPECT_EQ(of(6, 7), "");
}

}  // namespace
}  // namespace lockstep::app
