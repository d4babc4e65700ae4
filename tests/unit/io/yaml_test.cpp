#include "lockstep/io/yaml.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;

std::string as_json(const std::string& text) {
    return to_text(parse_yaml(text, "a.yaml"));
}

std::string refusal(const std::string& text) {
    return message_of<InputError>([&] { parse_yaml(text, "a.yaml"); });
}

TEST(YamlTest, GivesTheValueOfTheSameJsonText) {
    const std::string json = R"({"a":{"b":[1,-2,2.5,null,true],"c":"x y"},"d":[],"e":{},"f":"1"})";
    const std::string block =
        "a:\n  b:\n  - 1\n  - -2\n  - 2.5\n  -\n  - true\n  c: x y\nd: []\ne: {}\nf: '1'\n";

    EXPECT_EQ(as_json(block), json);
    EXPECT_EQ(as_json(json), json) << "JSON is YAML";
}

TEST(YamlTest, ValuesKnowTheirLines) {
    const Json root = parse_yaml("# c\na:\n  b: 1\n\n  c:\n  - x\n  - {d: 2,\n     e: 3}\n", "a");

    EXPECT_EQ(root.line(), 2);
    EXPECT_EQ(root.find("a")->line(), 3);
    EXPECT_EQ(root.find("a")->find("b")->line(), 3);
    const Json::Array& list = *root.find("a")->find("c")->if_array();
    EXPECT_EQ(list[0].line(), 6);
    EXPECT_EQ(list[1].line(), 7);
    EXPECT_EQ(list[1].find("e")->line(), 8);
}

// Expected values: yaml.safe_load of PyYAML 6.0 for the words, integers and ".5"; the core schema
// of YAML 1.2 (section 10.3.2 of the specification) for reals without a point, which PyYAML leaves
// text.
TEST(YamlTest, PlainScalarsHaveTheTypesOfTheSchema) {
    EXPECT_EQ(as_json("[~, null, Null, NULL, ]"), "[null,null,null,null]");
    EXPECT_EQ(as_json("[true, True, yes, on, off, No, FALSE]"),
              "[true,true,true,true,false,false,false]");
    EXPECT_EQ(as_json("[0, -0, +12, 0x1f, 0o17, 2_000_000]"), "[0,0,12,31,15,2000000]");
    EXPECT_EQ(as_json("[1e-8, 1.0e-8, .5, 2., -1.5E+3, 0.001]"),
              "[1e-08,1e-08,0.5,2.0,-1500.0,0.001]");
    EXPECT_EQ(as_json("[9223372036854775807, 9223372036854775808]"),
              "[9223372036854775807,9223372036854775808.0]");
    EXPECT_EQ(as_json("[1.2.3, 12:30, 2024-01-31, _1, 1e, '5', \"no\", e5, ., -, y]"),
              R"(["1.2.3","12:30","2024-01-31","_1","1e","5","no","e5",".","-","y"])");
    const Json special = parse_yaml("[.inf, -.Inf, .NaN]", "a");
    EXPECT_EQ(special.if_array()->at(0).if_number(), HUGE_VAL);
    EXPECT_EQ(special.if_array()->at(1).if_number(), -HUGE_VAL);
    EXPECT_TRUE(std::isnan(*special.if_array()->at(2).if_number()));
}

TEST(YamlTest, TextOfSeveralLinesIsOneString) {
    EXPECT_EQ(as_json("a: |\n  x\n  y\nb: >-\n  x\n  y\nc: x\n  y\n"),
              R"({"a":"x\ny\n","b":"x y","c":"x y"})");
    EXPECT_EQ(as_json("a: \"phi \\u03c6\"\nb: 'it''s'\nc: µm\n"),
              R"({"a":"phi φ","b":"it's","c":"µm"})");
    EXPECT_EQ(as_json("a: \"x\\Ny\\_φ\""), "{\"a\":\"x\xC2\x85y\xC2\xA0φ\"}");
}

TEST(YamlTest, AnchorsAreCopiedAndMappingsMerged) {
    EXPECT_EQ(as_json("a: &x {p: 1, q: 2}\nb: *x\nc:\n  q: 3\n  <<: *x\n"),
              R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2},"c":{"q":3,"p":1}})");
    EXPECT_EQ(as_json("- &x {p: 1}\n- &y {p: 2, q: 2}\n- <<: [*x, *y]\n"),
              R"([{"p":1},{"p":2,"q":2},{"p":1,"q":2}])");
    EXPECT_THAT(refusal("a: &x 1\nb:\n  <<: *x\n"), HasSubstr("<< merges mappings, found integer"));
    EXPECT_THAT(refusal("a: &x [1, *x]\n"), HasSubstr("a.yaml:1: an alias stands inside"));
    EXPECT_THAT(refusal("a: *x\n"), HasSubstr("a.yaml:1:"));
}

TEST(YamlTest, TagsSayTheType) {
    EXPECT_EQ(as_json("[!!str 12, !!float 3, !!int '4', !!bool 'yes', !!null '', !!seq [1]]"),
              R"(["12",3.0,4,true,null,[1]])");
    EXPECT_THAT(refusal("a: !!float x"), HasSubstr("\"x\" is no value of the type !!float"));
    EXPECT_THAT(refusal("a: !!python/object:os.system x"),
                HasSubstr("no type that a configuration"));
    EXPECT_THAT(refusal("\n- !mine {a: 1}"), HasSubstr("a.yaml:2: the tag !mine"));
}

TEST(YamlTest, EmptyTextIsNull) {
    EXPECT_TRUE(parse_yaml("", "a").is_null());
    EXPECT_TRUE(parse_yaml("# nothing\n", "a").is_null());
    EXPECT_EQ(as_json("---\na: 1\n...\n"), R"({"a":1})");
}

TEST(YamlTest, MistakesAreToldWithTheirLine) {
    EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"),
              "a.yaml:3: member \"a\" is given twice, first in line 1");
    EXPECT_THAT(refusal("a:\n\t- 1\n"), HasSubstr("a.yaml:2:"));
    EXPECT_THAT(refusal("a: [1,\n  2\nb: 3\n"), HasSubstr("a.yaml:3:"));
    EXPECT_THAT(refusal("? [a, b]\n: 1\n"), HasSubstr("cannot be a key"));
    EXPECT_THAT(refusal("a: 1\n---\nb: 2\n"), HasSubstr("a second document begins"));
    EXPECT_THAT(refusal("run:\n  0042\n"), HasSubstr("a.yaml:2: 0042 is octal in YAML 1.1"));
    EXPECT_THAT(refusal("a: 1e999\n"), HasSubstr("1e999 does not fit"));
    EXPECT_THAT(refusal("a: 0xffffffffffffffff\n"), HasSubstr("does not fit an integer"));
    EXPECT_THAT(refusal("a: 1\nb: \xff\n"), HasSubstr("a.yaml:2: found a byte that is no text"));
    EXPECT_THAT(refusal(std::string("a: 1\0b", 6)), HasSubstr("no text in UTF-8"));
}

TEST(YamlTest, DepthAndCopiesAreBounded) {
    EXPECT_THAT(refusal(std::string(201, '[') + std::string(201, ']')),
                HasSubstr("more than 200 deep"));
    EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("a.yaml:1: "));
    EXPECT_EQ(as_json(std::string(200, '[') + std::string(200, ']')).size(), 400U);
    const std::string open(100, '[');
    const std::string closed(100, ']');
    std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    std::string tower = fmt::format("a0: &a0 {}{}\n", open, closed);
    for (int i = 1; i < 10; ++i) {
        const std::string copy = fmt::format("*a{}", i - 1);
        const std::vector<std::string> copies(10, copy);
        laughs += fmt::format("a{}: &a{} [{}]\n", i, i, fmt::join(copies, ", "));
        tower += fmt::format("a{}: &a{} {}{}{}\n", i, i, open, copy, closed);
    }
    EXPECT_THAT(refusal(laughs), HasSubstr("more than 1000000 values"));
    EXPECT_THAT(refusal(tower), HasSubstr("more than 200 deep"));
}

TEST(YamlTest, ReadsFilesAndNamesThem) {
    const TemporaryFolder folder;
    write_file(folder / "c.yaml", "a: 1\nb: [\n");

    EXPECT_THAT(message_of<InputError>([&] { read_yaml(folder / "c.yaml"); }),
                HasSubstr((folder / "c.yaml").string() + ":3: "));
    EXPECT_THAT(message_of<IoError>([&] { read_yaml(folder / "none.yaml"); }),
                HasSubstr("No such file"));
}

}  // namespace
}  // namespace lockstep::io
