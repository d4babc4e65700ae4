#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/records.hpp"

namespace lockstep::formats::cobre::translate {

/// A stage of a 0.5 case.
struct OldStage {
    int id = 0;  ///< >= 0: in the study
    Date start{};
    Date end{};
    std::optional<int> season;
    double hours = 0;
};

/// The files of a 0.5 case on their way to 0.18. What could not be read is not here; it was told.
struct OldCase {
    explicit OldCase(Problems& all) : problems(all) {}

    Problems& problems;
    std::map<std::string, io::Json> json;              ///< by path in the case
    std::map<std::string, io::Table> tables;           ///< by path in the case
    std::vector<OldStage> stages;                      ///< of the study, by id
    bool got_months = false;                           ///< seasons, which the case had none of
    std::vector<std::string> remarks;                  ///< what 0.5 read without effect
    std::map<int, raw::EvaporationBasis> evaporation;  ///< where months do not suffice
    std::vector<DeclaredRatio> ratios;

    [[nodiscard]] io::Json* find(const std::string& path);
    [[nodiscard]] io::Table* table(const std::string& path);
    /// The file, made as an object if it is not there.
    io::Json& object(const std::string& path);

    /// What the translation cannot say.
    void refuse(const std::string& path, const std::string& entity, std::string_view why) const;
    /// A key that only 0.18 has.
    void refuse_new_key(const std::string& path,
                        const io::Json& object,
                        std::string_view key) const;
};

// The chapters. Each goes over its files; they are independent but for the order given.

void translate_config(OldCase& old);
/// stages.json; fills old.stages.
void translate_stages(OldCase& old);
/// @pre translate_stages
void translate_past_inflows(OldCase& old);
/// @pre translate_stages
void translate_history(OldCase& old);
void translate_entities(OldCase& old);
/// Productivities, costs of turbined flow. @pre translate_stages, translate_entities
void translate_production(OldCase& old);
/// @pre translate_stages
void translate_evaporation(OldCase& old);
/// Statistics of months before the study, which 0.5 took from the study's seasons by number.
/// @pre translate_stages
void translate_statistics(OldCase& old);
/// @pre translate_stages
void translate_tables(OldCase& old);
/// @pre translate_stages
void translate_exchange_factors(OldCase& old);
void translate_generic(OldCase& old);

}  // namespace lockstep::formats::cobre::translate
