#pragma once

#include "core/survey/Database.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Everything in a survey file but its values: what the values belong to. Vectors are in display
/// order, and refer to each other by index.
struct SurveyIndex {
  /// The kind of unit for which a measure has one value per picture.
  enum class Scope { Model, Layer, Head };

  struct Model {
    std::int64_t id = 0;
    std::string name;
    std::string path;
    std::string fingerprint;
    std::string mechanism;
    /// The request that opened the model, as JSON.
    std::string request;
    /// How pictures were read and prepared, as JSON; surveyedInput() parses it.
    std::string transform;
  };
  struct Layer {
    std::int64_t id = 0;
    int model = 0;
    std::string name;
    std::string mechanism;
  };
  struct Head {
    std::int64_t id = 0;
    int layer = 0;
    /// Number of the head in its layer, from 0.
    int number = 0;
  };
  struct Picture {
    /// Position in the whole folder.
    std::int64_t id = 0;
    /// Path relative to the folder.
    std::string path;
    /// Index of the class; -1 if the pictures are not in class folders.
    int ofClass = -1;
    /// Why the picture has no values; empty if it has.
    std::string unreadable;
  };
  struct Measure {
    std::string name;
    Scope scope = Scope::Head;
    std::string title;
    /// Unit of the measure; empty if it has none.
    std::string unit;
    std::string source;
  };
  /// A model, layer or head that has values; layer and head are indices, or -1 if they do not
  /// apply.
  struct Unit {
    int model = 0;
    int layer = -1;
    int head = -1;
  };

  /// Facts about the file: `program`, `command`, `recipe`, `folder`, `pictures`, `shard`, ...
  std::map<std::string, std::string> about;
  std::vector<Model> models;
  std::vector<Layer> layers;
  std::vector<Head> heads;
  std::vector<std::string> classes;
  std::vector<Picture> pictures;
  std::vector<Measure> measures;

  /// Returns the folder of the pictures; empty if the file does not say.
  std::string folder() const;
  /// Returns the number of pictures that have values.
  int readablePictures() const;
  /// Returns the number of pictures that the whole file is to hold: all of the folder, or those of
  /// its shard. Nothing if the file does not say.
  std::optional<std::int64_t> plannedPictures() const;
  /// Says which part of the survey the file holds: `6 of 7 measured so far` if it was cut short or
  /// still runs, `shard 1/3 of 7 pictures` for a shard; empty for a whole survey.
  std::string partText() const;
  /// Returns the index of a measure by name, or -1.
  int measure(const std::string& name) const;
  /// Returns all models, layers or heads; those of one model are next to each other.
  std::vector<Unit> units(Scope scope) const;
  /// Returns the layer's name; empty for a model.
  std::string layerName(const Unit& unit) const;
  /// Returns the head's number in its layer, or -1.
  int headNumber(const Unit& unit) const;
  /// Returns the picture's class; empty if it has none.
  std::string className(const Picture& picture) const;
};

/// Reads everything but the values from a file whose tables were checked. Throws SurveyError for
/// names that occur twice, references to missing rows, and anything else that docs/survey.md rules
/// out.
SurveyIndex readSurveyIndex(Database& database);

/// Returns the table that holds a scope's values, and its column of units.
const char* valueTable(SurveyIndex::Scope scope);
const char* unitColumn(SurveyIndex::Scope scope);

}  // namespace softscope
