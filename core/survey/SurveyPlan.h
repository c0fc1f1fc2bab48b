#pragma once

#include "core/Progress.h"
#include "core/survey/Shard.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns a SHA-256 of a checkpoint's files that does not depend on their paths: for one file its
/// own, as `sha256sum` prints it; for several, that of their sums. Throws FileError; may throw
/// Cancelled.
std::string modelFingerprint(const std::string& path, const Progress& progress = {});

/// The description of a survey before any picture is measured: everything that its file stores
/// once.
struct SurveyPlan {
  struct Layer {
    std::string name;
    int position = 0;  ///< index among all layers of the model
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
    std::string request;    ///< JSON of the request
    std::string transform;  ///< JSON of the transform
    std::vector<Layer> layers;
    /// Index of the logit of each of the pictures' classes; empty if unknown.
    std::vector<int> logitOfClass = {};
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
  /// Number of pictures in the whole folder, and a checksum of their paths.
  std::int64_t pictures = 0;
  std::string listing;
  Shard shard;
  std::vector<Model> models;
  std::vector<std::string> classes;
  std::vector<Measure> measures;
  /// Number of random orders in the measures of deletion; empty if none of these is measured.
  std::optional<int> randomOrders = std::nullopt;
  /// Returns the checksum in place of `listing` that surveys of the first version keep; null if
  /// none is to be continued.
  std::function<std::string()> firstVersionsListing = {};
};

/// The values of one model, layer or head on one picture, in the order of its scope's measures.
using MeasuredValues = std::vector<std::optional<double>>;

/// All values of one picture, for models, layers and heads in the order of the plan.
struct PictureValues {
  std::vector<MeasuredValues> models;
  std::vector<MeasuredValues> layers;
  std::vector<MeasuredValues> heads;
};

/// Returns the recipe as JSON: everything that the values depend on except the pictures themselves.
/// A survey file can be continued only with the same recipe.
std::string recipeOf(const SurveyPlan& plan);

/// Names for the two recipes in a description of their difference.
struct RecipeNames {
  std::string first = "in the file";
  std::string second = "now";
};

/// Returns true if the text is a recipe: a JSON object.
bool isRecipe(const std::string& text);

/// Describes what differs between two recipes: `models, sima, mechanism: "sima" in the file,
/// "sima_l2" now`. Empty if they agree.
std::string recipeDifference(const std::string& first, const std::string& second,
                             const RecipeNames& names = {});

}  // namespace softscope
