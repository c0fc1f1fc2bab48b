#pragma once

#include "core/Setting.h"

namespace softscope {

/// Settings of how several models are shown side by side.
struct Comparison {
  enum class Difference {
    None,
    Raw,         ///< the first model's values minus each other model's
    Normalised,  ///< as Raw, after dividing every map by its largest magnitude
  };

  /// True if choosing a layer for one model chooses the layer at the same depth for all.
  bool linkedLayers = true;
  /// True if all models share one range of values.
  bool linkedScales = false;
  /// True to show the mean over heads instead of every head.
  bool onlyMean = false;
  Difference difference = Difference::None;

  bool operator==(const Comparison&) const = default;
};

inline constexpr ChoiceName<Comparison::Difference> differenceNames[] = {
    {Comparison::Difference::None, "none", "No difference"},
    {Comparison::Difference::Raw, "raw", "A − B"},
    {Comparison::Difference::Normalised, "normalised", "A − B, scaled"}};

inline constexpr std::tuple comparisonSettings{
    FlagSetting<Comparison>{
        {.key = "linkedLayers",
         .label = "Link layers",
         .tip = "A layer chosen for one model is chosen at the same depth for all"},
        &Comparison::linkedLayers},
    FlagSetting<Comparison>{{.key = "linkedScales",
                             .flag = "--linked-scales",
                             .help = "One colour scale for all models and queries",
                             .label = "One colour scale",
                             .tip = "The same colour is the same value in every panel; otherwise "
                                    "each panel's colours have the range below it"},
                            &Comparison::linkedScales},
    FlagSetting<Comparison>{
        {.key = "onlyMean", .label = "Means", .tip = "The mean over heads instead of every head"},
        &Comparison::onlyMean},
    ChoiceSetting<Comparison, Comparison::Difference>{
        {.key = "difference",
         .flag = "--difference",
         .type = "raw|normalised",
         .help = "The first model minus each other. normalised: of maps divided by their largest "
                 "magnitude, where mechanisms differ by orders of it",
         .label = "Difference",
         .tip = "The first model's values minus each other's; scaled: each map is divided by its "
                "largest magnitude before"},
        &Comparison::difference,
        differenceNames}};

}  // namespace softscope
