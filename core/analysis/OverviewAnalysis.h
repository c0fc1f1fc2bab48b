#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/EntryRange.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// The number that the overview shows for every head.
enum class OverviewMeasure {
  Distance,  ///< how far it looks, in pixels
  Entropy,   ///< how widely it looks, as a share of ln(keys)
  Entries,   ///< its largest entry in magnitude
};

/// One number for every head of a layer. Distance and entropy are empty where overviewObstacle()
/// says why; an entry is empty if it is not finite.
struct LayerOverview {
  AnalysedLayer of;
  std::vector<std::optional<double>> heads;
  /// The range of every head's entries; filled only for OverviewMeasure::Entries.
  std::vector<EntryRange> entries;
};

/// Returns the overview of each layer. May throw Cancelled.
std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers,
                                           OverviewMeasure of, const Progress& progress = {});

/// Returns why the distance or entropy of a head of a layer is empty, as the end of a sentence:
/// `its tokens are not patches`.
std::string overviewObstacle(const AttentionMap& map, OverviewMeasure of);

/// Throws InspectionError if no head has a finite number to show; an entry is shown only if it is
/// above 0.
void checkOverview(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns the table with the columns `model,layer,head,attention_distance` (in pixels of the
/// network's input), or `...,entropy` (as a share of ln(keys)), or
/// `...,smallest_entry,largest_entry,entry_bound` (see entryBound()).
Table overviewTable(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// The number by which the heads of each layer are ordered, the largest first.
enum class HeadOrder {
  Measure,    ///< the overview's
  Share,      ///< how much the head adds, beside the residual stream
  Sink,       ///< the share of its attention that one key receives
  LineScore,  ///< how much of its matrix are vertical lines
};

struct OverviewSettings {
  OverviewMeasure of = OverviewMeasure::Distance;
  /// Shows numbers instead of every head's answer to the query.
  bool numbers = false;
  /// Orders the heads of each layer.
  bool sorted = false;
  HeadOrder order = HeadOrder::Measure;

  bool operator==(const OverviewSettings&) const = default;
};

inline constexpr ChoiceName<OverviewMeasure> overviewNames[] = {
    {OverviewMeasure::Distance, "distance", "Attention distance"},
    {OverviewMeasure::Entropy, "entropy", "Entropy"},
    {OverviewMeasure::Entries, "entries", "Largest entry"}};

inline constexpr ChoiceName<HeadOrder> headOrderNames[] = {
    {HeadOrder::Measure, "measure", "By the measure"},
    {HeadOrder::Share, "share", "By share"},
    {HeadOrder::Sink, "sink", "By sink"},
    {HeadOrder::LineScore, "linescore", "By line score"}};

inline constexpr std::tuple overviewSettings{
    ChoiceSetting<OverviewSettings, OverviewMeasure>{
        {.key = "of",
         .flag = "--measure",
         .type = "distance|entropy|entries",
         .help =
             "How far heads look, in pixels, how widely, as a share of ln(keys), or their largest "
             "entries",
         .label = "Measure",
         .tip = "How far heads look, how widely, or their largest entries"},
        &OverviewSettings::of,
        overviewNames},
    FlagSetting<OverviewSettings>{
        {.key = "numbers",
         .label = "Numbers",
         .tip = "One number for each head instead of its answer to the query"},
        &OverviewSettings::numbers},
    FlagSetting<OverviewSettings>{
        {.key = "sorted",
         .label = "Sort heads",
         .tip = "Order the heads of each layer, the largest number first"},
        &OverviewSettings::sorted},
    ChoiceSetting<OverviewSettings, HeadOrder>{
        {.key = "order",
         .label = "Order",
         .tip = "What heads are sorted by: the measure, how much they add beside the residual "
                "stream, the share of attention that one key receives, or vertical lines"},
        &OverviewSettings::order,
        headOrderNames}};

/// The analysis of how far, or how widely, every head of every layer looks.
struct OverviewAnalysis {
  using Settings = OverviewSettings;
  static constexpr AnalysisDescription about{
      .name = "overview",
      .title = "&Overview",
      .group = AnalysisGroup::Maps,
      .summary = "how far, or how widely, every head of every layer looks",
  };
  static constexpr const auto& settingList = overviewSettings;
};

}  // namespace softscope
