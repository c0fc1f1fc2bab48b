#pragma once

#include "core/analysis/deletion/DeletionRequest.h"
#include "core/survey/measures/HeadPass.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// A number for every picture and model, layer or head; empty if it is not defined. Results that
/// are not finite and InspectionError also count as undefined.
struct Measure {
  using OfModel = std::function<std::optional<double>(const ModelPass&)>;
  using OfLayer = std::function<std::optional<double>(const LayerPass&)>;
  using OfHead = std::function<std::optional<double>(const HeadPass&)>;

  /// The column in files, and the name that `--measure` takes.
  std::string name;
  std::string title;
  std::string unit;
  /// The title and year of the paper, or `ours`.
  std::string source;
  std::variant<OfModel, OfLayer, OfHead> value;
  /// True if the measure needs more than the attention: the terms that heads add, or the tokens.
  bool ofTerms = false;
  bool ofTokens = false;
  /// Name of a group of measures that are computed together and that `--measure` accepts; empty for
  /// a measure outside any group.
  std::string group = {};
  /// Returns the number of forward passes per picture in addition to the one that all measures
  /// share, given the layers that are measured; null if there are none. The measures of a group
  /// share their passes.
  std::function<std::int64_t(const std::vector<LayerSummary>&)> passes = {};

  bool isCheap() const { return !passes; }
  /// Returns `model`, `layer` or `head`.
  std::string scope() const;
};

/// Options of measures that depend on more than the picture.
struct MeasureOptions {
  /// Number of random orders that deletion compares maps with.
  int randomOrders = DeletionSettings().random;
};

/// Name of the group of deletion by maps of attention.
inline constexpr const char* deletionGroup = "deletion";

/// True if a measure compares maps with orders at random.
bool usesRandomOrders(const Measure& measure);

/// Returns all measures: first those of heads, then of layers, then of models.
const std::vector<Measure>& allMeasures();

/// Returns the measures that `--measure` asks for, in the order of allMeasures(). `names` holds
/// names, groups, or `all`; an empty list stands for all cheap measures. Throws an InspectionError
/// that lists the existing ones if a name is unknown.
std::vector<Measure> chosenMeasures(const std::vector<std::string>& names,
                                    const MeasureOptions& options = {});

}  // namespace softscope
