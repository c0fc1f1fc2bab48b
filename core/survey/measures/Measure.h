#pragma once

#include "core/analysis/deletion/DeletionSettings.h"
#include "core/survey/measures/HeadLook.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// A number of every picture and model, layer, or head. Nothing where it is not defined; numbers
/// that are not finite and InspectionError count as that.
struct Measure {
  using OfModel = std::function<std::optional<double>(const ModelLook&)>;
  using OfLayer = std::function<std::optional<double>(const LayerLook&)>;
  using OfHead = std::function<std::optional<double>(const HeadLook&)>;

  /// The column in files, and what `--measure` takes.
  std::string name;
  std::string title;
  std::string unit;
  /// The paper's title and year, or `ours`.
  std::string source;
  std::variant<OfModel, OfLayer, OfHead> value;
  /// What has to be recorded beside the attention: the terms that heads add, the tokens.
  bool ofTerms = false;
  bool ofTokens = false;
  /// Measures of one name that are computed together, and that `--measure` may ask for by it; empty
  /// for one alone.
  std::string group = {};
  /// How many forward passes it takes for a picture beside the one that all measures share, with
  /// the layers that are measured; null for none. Those of a group are shared.
  std::function<std::int64_t(const std::vector<LayerSummary>&)> passes = {};

  bool isCheap() const { return !passes; }
  /// `model`, `layer` or `head`.
  std::string scope() const;
};

/// What may be chosen of measures that are computed with something beside the picture.
struct MeasureOptions {
  /// The orders at random that deletion compares maps with.
  int randomOrders = DeletionSettings().random;
};

/// The group of measures that orders at random belong to.
inline constexpr const char* deletionGroup = "deletion";

/// All there are, those of heads first, then of layers and of models.
const std::vector<Measure>& allMeasures();

/// Those that `--measure` asks for, in the order of allMeasures(): names, groups, or `all`; all
/// that are cheap for an empty list. Throws InspectionError naming those there are.
std::vector<Measure> chosenMeasures(const std::vector<std::string>& names,
                                    const MeasureOptions& options = {});

}  // namespace softscope
