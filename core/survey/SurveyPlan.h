#pragma once

#include "core/survey/Shard.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What a survey is of, before any picture is measured: all that its file says once.
struct SurveyPlan {
  struct Layer {
    std::string name;
    int position = 0;  ///< among all layers of the model
    std::string mechanism;
    int heads = 0;
  };
  struct Model {
    std::string name;
    std::string path;
    std::string fingerprint;
    std::string family;
    std::string variant;
    std::string mechanism;
    std::int64_t parameters = 0;
    std::string request;    ///< JSON
    std::string transform;  ///< JSON
    std::vector<Layer> layers;
  };
  struct Measure {
    std::string name;
    std::string scope;
    std::string title;
    std::string unit;
    std::string source;
  };

  std::string program;
  std::string command;
  std::string folder;
  /// Of the whole folder, and a checksum of their paths.
  std::int64_t pictures = 0;
  std::string listing;
  Shard shard;
  std::vector<Model> models;
  std::vector<std::string> classes;
  std::vector<Measure> measures;
  /// How many orders at random the measures of deletion are computed with; nothing without these.
  std::optional<int> randomOrders = std::nullopt;
};

/// The numbers of one model, layer or head on one picture, in the order of its scope's measures.
using MeasuredValues = std::vector<std::optional<double>>;

/// All that was measured of one picture; of models, layers and heads in the order of the plan.
struct PictureValues {
  std::vector<MeasuredValues> models;
  std::vector<MeasuredValues> layers;
  std::vector<MeasuredValues> heads;
};

/// JSON: all that the numbers depend on but the pictures themselves. A file goes on only under the
/// same recipe.
std::string recipeOf(const SurveyPlan& plan);

/// What two recipes are called where their difference is told.
struct RecipeNames {
  std::string first = "in the file";
  std::string second = "now";
};

/// Whether it is a recipe at all: JSON, an object.
bool isRecipe(const std::string& text);

/// What is not the same in two recipes, in words: `models, sima, mechanism: "sima" in the file,
/// "sima_l2" now`. Empty for recipes that agree.
std::string recipeDifference(const std::string& first, const std::string& second,
                             const RecipeNames& names = {});

}  // namespace softscope
