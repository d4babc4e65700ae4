#include "formats/records/fields.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/json.hpp"

#include "formats/cobre/records.hpp"

namespace lockstep::formats::cobre {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

enum class Colour { red, green };
constexpr std::array<Choice<Colour>, 2> choices(Colour) {
    return {{{"red", Colour::red}, {"green", Colour::green}}};
}

struct Inner {
    int line = 0;
    double size = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("size", size, {"Size", "1", "m"}, positive);
    }
};

struct Outer {
    int count = 3;
    std::optional<double> limit;
    Colour colour = Colour::red;
    Date day{};
    std::vector<Inner> parts;
    std::array<double, 2> pair{};
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("count", count, {"Count"}, within(0, 9));
        f.optional("limit", limit, {"Limit", "2", "m"});
        f.optional("colour", colour, {"Colour"});
        f.optional("day", day, {"Day", "2024-02-29"});
        f.replaced("pieces", "they are \"parts\"");
        f.required("parts", parts, {"Parts"});
        f.optional("pair", pair, {"Pair", "[3, 4]", "m"});
    }
};

struct Read {
    Outer value;
    std::vector<std::string> problems;
};

Read read(const std::string& text) {
    Read out;
    Problems problems;
    const io::Json root = io::parse_json(text, "a.json");
    const FileReport report("a.json", problems);
    const Place place;
    read_value(ValueAt{root, place, report}, out.value, {});
    for (const Problem& problem : problems.all()) {
        out.problems.push_back(to_string(problem));
    }
    return out;
}

TEST(FieldsTest, ReadsValuesAndKeepsDefaults) {
    const Read all = read(R"({"$schema": "x", "limit": 2, "colour": "green", "day": "2024-02-29",
        "parts": [{"size": 1.5},
                  {"size": 2}], "pair": [3, 4]})");

    EXPECT_THAT(all.problems, IsEmpty());
    EXPECT_EQ(all.value.count, 3);
    EXPECT_EQ(all.value.limit, 2);
    EXPECT_EQ(all.value.colour, Colour::green);
    EXPECT_EQ(all.value.day, Date(std::chrono::year(2024) / 2 / 29));
    ASSERT_EQ(all.value.parts.size(), 2U);
    EXPECT_EQ(all.value.parts[1].size, 2);
    EXPECT_EQ(all.value.parts[1].line, 3);
    EXPECT_EQ(all.value.pair[1], 4);
}

TEST(FieldsTest, TakesNullForAnOptionalKeyOnly) {
    EXPECT_THAT(read(R"({"limit": null, "parts": []})").problems, IsEmpty());
    EXPECT_THAT(read(R"({"count": null, "parts": []})").problems, IsEmpty());
    EXPECT_EQ(read(R"({"count": null, "parts": []})").value.count, 3);
    EXPECT_THAT(read(R"({"parts": null})").problems,
                ElementsAre("[SchemaViolation] a.json:1 (parts): expected array, found null"));
}

TEST(FieldsTest, ReportsEveryMistakeWithItsPlace) {
    EXPECT_THAT(
        read(R"({"count": 10, "limt": 1, "colour": "gren",
        "parts": [{"size": 1}, {"size": "big"}, {}, 7, {"size": 0}], "pair": [1]})")
            .problems,
        ElementsAre("[SchemaViolation] a.json:1 (count): 10 is out of range: must be in [0, 9]",
                    "[SchemaViolation] a.json:1 (colour): \"gren\" is not allowed: must be "
                    "\"red\", \"green\"; did you mean \"green\"?",
                    "[SchemaViolation] a.json:2 (parts[1].size): expected number, found string",
                    "[SchemaViolation] a.json:2 (parts[2]): missing key \"size\"",
                    "[SchemaViolation] a.json:2 (parts[3]): expected object, found integer",
                    "[SchemaViolation] a.json:2 (parts[4].size): 0 is out of range: must be > 0",
                    "[SchemaViolation] a.json:2 (pair): expected 2 values, found 1",
                    "[SchemaViolation] a.json:1: unknown key \"limt\"; did you mean \"limit\"?"));
}

TEST(FieldsTest, ExplainsKeysOfOlderFormats) {
    EXPECT_THAT(
        read(R"({"pieces": [], "parts": []})").problems,
        ElementsAre("[SchemaViolation] a.json:1: key \"pieces\" is of an older format: they "
                    "are \"parts\""));
}

TEST(FieldsTest, RefusesWrongTypesOfTheRootAndOfContainers) {
    EXPECT_THAT(read("[]").problems,
                ElementsAre("[SchemaViolation] a.json:1: expected object, found array"));
    EXPECT_THAT(read(R"({"parts": {}})").problems,
                ElementsAre("[SchemaViolation] a.json:1 (parts): expected array, found object"));
}

TEST(FieldsTest, RefusesNumbersThatAreNoIntegersOfTheFormat) {
    EXPECT_THAT(read(R"({"count": 3.0, "parts": []})").problems,
                ElementsAre("[SchemaViolation] a.json:1 (count): expected integer, found number"));
    struct Plain {
        int id = 0;
        void fields(FieldReader& f) { f.required("id", id, {"Id", "1"}); }
    } plain;
    Problems problems;
    const io::Json root = io::parse_json(R"({"id": 4294967296})", "a.json");
    const FileReport report("a.json", problems);
    const Place place;
    read_value(ValueAt{root, place, report}, plain, {});
    EXPECT_EQ(problems.all().at(0).message, "4294967296 does not fit 32 bits");
}

TEST(FieldsTest, RefusesDatesThatDoNotExist) {
    for (const char* text : {"2023-02-29",
                             "2024-13-01",
                             "2024-1-01",
                             "24-01-01",
                             "2024-01-01T00",
                             "2024/01/01",
                             "",
                             "-024-01-01",
                             "2024-01-0x",
                             "2024-+1-01"}) {
        EXPECT_THAT(read(R"({"parts": [], "day": ")" + std::string(text) + R"("})").problems,
                    ElementsAre("[SchemaViolation] a.json:1 (day): \"" + std::string(text) +
                                "\" is not a date (YYYY-MM-DD)"));
    }
}

TEST(RangeTest, SaysWhatIsAllowed) {
    EXPECT_EQ(to_string(any_number), "a finite number");
    EXPECT_EQ(to_string(positive), "> 0");
    EXPECT_EQ(to_string(at_least(1)), ">= 1");
    EXPECT_EQ(to_string(Range{0, 1, true}), "in (0, 1]");
    EXPECT_FALSE(any_number.holds(std::numeric_limits<double>::infinity()));
    EXPECT_FALSE(any_number.holds(std::numeric_limits<double>::quiet_NaN()));
    EXPECT_TRUE(share.holds(1));
    EXPECT_FALSE(positive.holds(0));
}

}  // namespace
}  // namespace lockstep::formats::cobre
