#pragma once

#include "core/Matrix.h"
#include "core/Setting.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Analysis.h"
#include "core/array/Npz.h"
#include "core/inspect/Inspection.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// How much each patch matters, by the l1 norm over channels of its query or key (Section 4.7 of
/// "SimA: Simple Softmax-free Attention for Vision Transformers", 2022, arXiv 2206.08898).
struct SaliencyMap {
  /// [patches] the norms themselves.
  Vector norms;
  /// [patches] the norms scaled so that the smallest is 0 and the largest 1; all 0 if they are
  /// alike.
  Vector values;
  /// The norms that were scaled to 0 and to 1.
  float smallest = 0;
  float largest = 0;
};

struct Saliency {
  TokenGrid grid;
  /// One map per head, each scaled separately.
  std::vector<SaliencyMap> heads;
  /// The map of the norms' sum over heads, scaled after summing.
  SaliencyMap summed;
};

/// Selects the tokens whose norms are shown.
enum class SaliencySide {
  Both,
  Queries,
  Keys,
};

/// Returns the saliency of a layer's queries; empty if it has none or they are not patches. Tokens
/// that are no patches are left out, so that a class token's norm does not set the scale.
std::optional<Saliency> querySaliency(const LayerInspection& layer);

/// Returns the saliency of a layer's keys, as querySaliency() does for its queries.
std::optional<Saliency> keySaliency(const LayerInspection& layer);

/// True if one projection yields both queries and keys, as in SOFT, so that they have the same
/// norms.
bool keysAreQueries(const LayerInspection& layer);

/// Selects the norms to show.
struct SaliencySettings {
  SaliencySide of = SaliencySide::Both;
  /// True to show every head in addition to the sums over heads.
  bool eachHead = false;

  bool operator==(const SaliencySettings&) const = default;
};

/// The saliency of a layer, or the reason why there is nothing to show.
struct LayerSaliency {
  AnalysedLayer of;
  /// Filled if they were asked for and are patches; only `queries` if the keys are the queries.
  std::optional<Saliency> queries;
  std::optional<Saliency> keys;
  bool keysAreQueries = false;
  /// Heads shown in addition to the sums over heads.
  std::vector<int> heads;
  std::string obstacle;
};

/// Returns the saliency of each layer that `settings.of` selects, with `heads`, or with every head
/// if the settings ask for each. A layer without saliency gets an obstacle instead. Throws
/// InspectionError for a head that a layer does not have.
std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads = {});

/// One map of a layer, and the tokens and head that it belongs to.
struct ShownSaliency {
  const Saliency* of = nullptr;
  const SaliencyMap* map = nullptr;
  bool queries = true;
  /// Index of the head whose map is shown; empty for the sum over heads.
  std::optional<int> head;
};

/// Returns the maps that are shown for a layer: sums first, queries before keys.
std::vector<ShownSaliency> shownSaliency(const LayerSaliency& saliency);

/// Returns the norms of every panel, [height, width] of its grid: `MODEL.LAYER.query_sum`,
/// `.key_sum`, `.query_head_N`, `.key_head_N`, with the layer's dots as underscores.
NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies);

inline constexpr ChoiceName<SaliencySide> saliencyNames[] = {
    {SaliencySide::Both, "both", "Queries and keys"},
    {SaliencySide::Queries, "queries", "Queries"},
    {SaliencySide::Keys, "keys", "Keys"}};

/// Settings of the page. On the command line, --head selects heads.
inline constexpr std::tuple saliencySettings{
    ChoiceSetting<SaliencySettings, SaliencySide>{
        {.key = "of",
         .flag = "--only",
         .type = "queries|keys",
         .help = "Of queries or of keys alone; heads are shown where --head asks for them",
         .label = "Norms",
         .tip = "Whose norms are shown"},
        &SaliencySettings::of,
        saliencyNames},
    FlagSetting<SaliencySettings>{
        {.key = "eachHead", .label = "Each head", .tip = "Every head beside the sum over heads"},
        &SaliencySettings::eachHead}};

/// The analysis of the l1 norms of queries and keys.
struct SaliencyAnalysis {
  using Settings = SaliencySettings;
  static constexpr AnalysisDescription about{
      .name = "saliency",
      .title = "Sal&iency",
      .group = AnalysisGroup::Maps,
      .summary = "the l1 norms of every patch's query and key",
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
  };
  static constexpr const auto& settingList = saliencySettings;
};

}  // namespace softscope
