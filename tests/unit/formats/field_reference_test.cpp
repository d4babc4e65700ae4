#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/formats/cobre/schema.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"

namespace lockstep::formats::cobre {
namespace {

TEST(FieldReferenceTest, IsThePageInTheDocuments) {
    const std::string page = io::read_file(test::source_dir() / "docs/fields.md");

    EXPECT_TRUE(page == field_reference())
        << "docs/fields.md is out of date: build/release/lockstep schema --markdown > "
           "docs/fields.md";
}

TEST(FieldReferenceTest, NamesEveryFileThatHasASchema) {
    const std::string page = field_reference();
    for (const auto& [file, text] : schemas()) {
        EXPECT_NE(page.find("\n## " + file + "\n"), std::string::npos) << file;
    }
}

TEST(FieldReferenceTest, HasAnExampleOfEveryFileInThePageOfTheFormat) {
    const std::string page = io::read_file(test::source_dir() / "docs/sddp/case-format.md");
    for (const auto& [file, text] : schemas()) {
        const auto name = std::filesystem::path(file).stem().string();
        const bool is_made = page.find("```json " + file + "\n") != std::string::npos ||
                             page.find('"' + name + '"') != std::string::npos ||
                             page.find('/' + name + ".parquet\")") != std::string::npos ||
                             page.find('"' + file + "\")") != std::string::npos;
        EXPECT_TRUE(is_made) << file;
    }
}

TEST(FieldReferenceTest, TellsAFieldInOneRow) {
    EXPECT_NE(field_reference().find(
                  "| `lines[].capacity.direct_mw` | number | MW | needed | ≥ 0 | `500` | Largest "
                  "flow from the source bus to the target bus |\n"),
              std::string::npos);
}

}  // namespace
}  // namespace lockstep::formats::cobre
