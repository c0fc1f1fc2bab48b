#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace softscope {

/// All of a survey file but its values: what these are of. Vectors stand in the order in which they
/// are shown, and refer to each other by index.
struct SurveyIndex {
  /// What a measure has one value of, for each picture.
  enum class Scope { Model, Layer, Head };

  struct Model {
    std::int64_t id = 0;
    std::string name;
    std::string path;
    std::string fingerprint;
    std::string mechanism;
    /// JSON: what was asked for when it was opened.
    std::string request;
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
    /// Its number in the layer, from 0.
    int number = 0;
  };
  struct Picture {
    /// Its place in the whole folder.
    std::int64_t id = 0;
    /// Relative to the folder.
    std::string path;
    /// -1 where the pictures lie in no class folders.
    int ofClass = -1;
    /// Why it has no values; empty if it has.
    std::string unreadable;
  };
  struct Measure {
    std::string name;
    Scope scope = Scope::Head;
    std::string title;
    /// Empty where it has none.
    std::string unit;
    std::string source;
  };
  /// What a value is of; layer and head are indices, or -1 outside the scope.
  struct Unit {
    int model = 0;
    int layer = -1;
    int head = -1;
  };

  /// `program`, `command`, `recipe`, `folder`, `pictures`, `shard`, ...
  std::map<std::string, std::string> about;
  std::vector<Model> models;
  std::vector<Layer> layers;
  std::vector<Head> heads;
  std::vector<std::string> classes;
  std::vector<Picture> pictures;
  std::vector<Measure> measures;

  /// Empty where the file does not say.
  std::string folder() const;
  /// Pictures that have values.
  int readablePictures() const;
  /// The index of a measure by name, or -1.
  int measure(const std::string& name) const;
  /// All models, layers or heads, those of one model together.
  std::vector<Unit> units(Scope scope) const;
  /// The layer's name, or nothing outside the scope.
  std::string layerName(const Unit& unit) const;
  /// The head's number in its layer, or -1.
  int headNumber(const Unit& unit) const;
  /// Empty where it has none.
  std::string className(const Picture& picture) const;
};

}  // namespace softscope
