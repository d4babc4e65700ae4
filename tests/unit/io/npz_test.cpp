#include "lockstep/io/npz.hpp"

#include <array>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
std::vector<T> values_of(const NpyArray& array) {
    return std::get<std::vector<T>>(array.values);
}

std::filesystem::path made(const std::string& name) {
    return test::source_dir() / "tests/data/io" / name;
}

std::string refusal(const std::string& bytes, const std::string& name = "reals") {
    return message_of<InputError>([&] {
        const NpzFile file(bytes, "q.npz");
        for (const std::string& each : file.names()) {
            if (name == "*" || each == name) {
                static_cast<void>(file.read(each));
            }
        }
    });
}

class NpzOfNumpyTest : public testing::TestWithParam<const char*> {};

TEST_P(NpzOfNumpyTest, ReadsEveryType) {
    const NpzFile file(made(GetParam()));

    EXPECT_THAT(file.names(),
                ElementsAre("reals",
                            "columns",
                            "singles",
                            "counts",
                            "longs",
                            "shorts",
                            "truths",
                            "text",
                            "texts",
                            "empty"));
    const NpyArray reals = file.read("reals");
    EXPECT_THAT(reals.shape, ElementsAre(2, 3));
    EXPECT_THAT(values_of<double>(reals), ElementsAre(1.5, -0.0, 1.0 / 3.0, 2, -1e300, 5e-324));
    EXPECT_THAT(values_of<float>(file.read("singles")), ElementsAre(1, 2.5));
    EXPECT_THAT(values_of<std::uint32_t>(file.read("counts")), ElementsAre(7, 4'294'967'295U));
    EXPECT_THAT(values_of<std::int64_t>(file.read("longs")),
                ElementsAre(std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max()));
    EXPECT_THAT(values_of<std::int64_t>(file.read("shorts")), ElementsAre(-5, 6));
    EXPECT_THAT(values_of<bool>(file.read("truths")), ElementsAre(true, false, true));
    EXPECT_THAT(values_of<std::string>(file.read("texts")), ElementsAre("D0", "", "gamma_dot_t0"));
    const NpyArray text = file.read("text");
    EXPECT_TRUE(text.shape.empty());
    EXPECT_THAT(values_of<std::string>(text), ElementsAre("{\"q\": \"Å⁻¹\", \"k\": \"😀\"}"));
    EXPECT_THAT(file.read("empty").shape, ElementsAre(0, 3));
}

TEST_P(NpzOfNumpyTest, TurnsWhatIsStoredByColumns) {
    const NpyArray columns = NpzFile(made(GetParam())).read("columns");

    EXPECT_THAT(columns.shape, ElementsAre(2, 3, 4));
    std::vector<double> counted(24);
    for (std::size_t k = 0; k < counted.size(); ++k) {
        counted[k] = static_cast<double>(k);
    }
    EXPECT_EQ(values_of<double>(columns), counted);
}

// A flipped bit anywhere is found by the checksum or by the format; nothing else may happen.
TEST_P(NpzOfNumpyTest, SurvivesEveryCutAndManyFlippedBits) {
    const std::string bytes = read_file(made(GetParam()));
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
        EXPECT_NE(refusal(bytes.substr(0, length), "*"), "") << length;
    }
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        std::string flipped = bytes;
        flipped[k] = static_cast<char>(flipped[k] ^ (1 << (k % 8)));
        static_cast<void>(refusal(flipped, "*"));
    }
}

INSTANTIATE_TEST_SUITE_P(Storages, NpzOfNumpyTest, testing::Values("stored.npz", "deflated.npz"));

TEST(NpzTest, ReadsTheCacheOfHomodyne) {
    const NpzFile file(test::source_dir() / "tests/data/xpcs/st3_cache.npz");

    EXPECT_THAT(file.read("c2_exp").shape, ElementsAre(3, 48, 48));
    EXPECT_THAT(values_of<double>(file.read("phi_angles_list")), ElementsAre(0, 45, 90));
    EXPECT_THAT(values_of<std::string>(file.read("cache_metadata_json")).front(),
                HasSubstr("\"cache_version\": \"2.0\""));
}

TEST(NpzTest, ReadsZip64) {
    EXPECT_THAT(NpzFile(made("zip64.npz")).read("reals").shape, ElementsAre(2, 3));
}

TEST(NpzTest, ReadsBackWhatItWrites) {
    const TemporaryFolder folder;
    const std::vector<double> reals{1.5, -2, 1e-300, 4, 5, 6};
    for (const NpzStorage storage : {NpzStorage::stored, NpzStorage::deflated}) {
        NpzWriter writer(folder / "made/a.npz", storage);
        writer.add("reals", reals, std::array<std::int64_t, 2>{2, 3});
        writer.add("singles", std::vector<float>{1.5F}, std::array<std::int64_t, 1>{1});
        writer.add("longs", std::vector<std::int64_t>{-7}, {});
        writer.add(
            "texts", std::vector<std::string>{"Å⁻¹ 😀", "", "D0"}, std::array<std::int64_t, 1>{3});
        writer.close();

        const NpzFile file(folder / "made/a.npz");
        EXPECT_EQ(values_of<double>(file.read("reals")), reals);
        EXPECT_THAT(file.read("reals").shape, ElementsAre(2, 3));
        EXPECT_THAT(values_of<float>(file.read("singles")), ElementsAre(1.5));
        EXPECT_THAT(values_of<std::int64_t>(file.read("longs")), ElementsAre(-7));
        EXPECT_THAT(values_of<std::string>(file.read("texts")), ElementsAre("Å⁻¹ 😀", "", "D0"));
    }
}

TEST(NpzTest, WritesTheSameBytesAgain) {
    const TemporaryFolder folder;
    for (const char* const name : {"a.npz", "b.npz"}) {
        NpzWriter writer(folder / name);
        writer.add("x", std::vector<double>(100, 1.5), std::array<std::int64_t, 1>{100});
        writer.close();
    }
    EXPECT_EQ(read_file(folder / "a.npz"), read_file(folder / "b.npz"));
}

TEST(NpzTest, LeavesNothingBehindWithoutClose) {
    const TemporaryFolder folder;
    {
        NpzWriter writer(folder / "a.npz");
        writer.add("x", std::vector<double>{1}, {});
    }
    EXPECT_EQ(folder.entries(), 0U);
    EXPECT_THROW(NpzWriter("/proc/none/a.npz"), IoError);
}

TEST(NpzTest, RefusesAnArrayThatIsAddedTwiceOrOfAnotherSize) {
    const TemporaryFolder folder;
    NpzWriter writer(folder / "a.npz");
    writer.add("x", std::vector<double>{1}, {});
    EXPECT_THROW(writer.add("x", std::vector<double>{1}, {}), AssertionError);
    EXPECT_THROW(writer.add("y", std::vector<double>{1, 2}, {}), AssertionError);
}

TEST(NpzTest, RefusesPickledObjects) {
    const NpzFile file(made("objects.npz"));
    EXPECT_THAT(message_of<InputError>([&] { static_cast<void>(file.read("cache_metadata")); }),
                HasSubstr("objects.npz: cache_metadata: holds Python objects (pickle), which can "
                          "run programs"));
}

TEST(NpzTest, RefusesOtherArchives) {
    EXPECT_THAT(refusal("PK\x03\x04 and no more"), HasSubstr("q.npz: no zip archive, or cut off"));
    EXPECT_THAT(refusal(""), HasSubstr("no zip archive"));
    EXPECT_THAT(refusal(read_file(made("notes.npz"))),
                HasSubstr("holds \"notes.txt\", which is no array (.npy)"));
    EXPECT_THAT(refusal(read_file(made("bzip2.npz")), "a"),
                HasSubstr("array \"a\" is compressed otherwise than by deflate"));
    EXPECT_THROW(NpzFile("/nowhere/a.npz"), IoError);
    EXPECT_THROW(NpzFile("/dev/null"), IoError);
}

TEST(NpzTest, NamesWhatThereIsForAnArrayThatIsMissing) {
    const NpzFile file(made("zip64.npz"));
    EXPECT_FALSE(file.has("c2_exp"));
    EXPECT_TRUE(file.has("reals"));
    EXPECT_THAT(message_of<InputError>([&] { static_cast<void>(file.read("c2_exp")); }),
                HasSubstr("zip64.npz: no array \"c2_exp\"; it has reals"));
}

// The list of the archive lies about sizes: nothing may ask for that much memory.
TEST(NpzTest, RefusesAnArrayThatItsBytesCannotStandFor) {
    std::string bytes = read_file(made("deflated.npz"));
    const std::size_t entry = bytes.find("PK\x01\x02");
    bytes.replace(entry + 24, 4, "\xff\xff\xff\x7f");
    EXPECT_THAT(refusal(bytes), HasSubstr("bytes cannot stand for 2147483647"));
    EXPECT_THAT(message_of<InputError>(
                    [&] { static_cast<void>(NpzFile(made("deflated.npz")).read("reals", 100)); }),
                HasSubstr("array \"reals\" has 176 bytes, at most 100 are allowed"));
}

TEST(NpzTest, FindsAWrongChecksum) {
    std::string bytes = read_file(made("stored.npz"));
    const std::size_t value = bytes.find("\xf8\x3f");
    bytes[value] = '\x07';
    EXPECT_THAT(refusal(bytes), HasSubstr("array \"reals\" is damaged: its checksum"));
}

}  // namespace
}  // namespace lockstep::io
