#include "core/analysis/OverviewAnalysis.h"

#include "core/Error.h"
#include "core/analysis/AttentionSpread.h"
#include "core/array/ComparedSentence.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

LayerOverview entriesOf(const AnalysedLayer& layer, const Progress& progress) {
  LayerOverview measured{layer, {}, {}};
  for (int head = 0; head < layer.attention().heads; ++head) {
    const EntryRange range = entryRange(*layer.layer().attention, head, progress);
    measured.entries.push_back(range);
    const double magnitude = range.largestMagnitude();
    measured.heads.push_back(std::isfinite(magnitude) ? std::optional(magnitude) : std::nullopt);
  }
  return measured;
}

/// Compares what the figure shows: entries of either sign by their magnitudes.
std::string entrySentence(const std::vector<LayerOverview>& layers) {
  Table magnitudes{{"model", "layer", "head", "magnitude"}, {}};
  for (const LayerOverview& layer : layers) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      magnitudes.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                      cellOf(layer.heads[head])});
    }
  }
  return comparedSentence(magnitudes,
                          {.quantity = "the largest magnitude of an entry", .column = "magnitude"});
}

Table entryTable(const std::vector<LayerOverview>& layers) {
  Table table{{"model", "layer", "head", "smallest_entry", "largest_entry", "entry_bound"}, {}};
  for (const LayerOverview& layer : layers) {
    const Table::Cell bound = cellOf(entryBound(layer.of.attention()));
    for (std::size_t head = 0; head < layer.entries.size(); ++head) {
      table.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                 layer.entries[head].smallest, layer.entries[head].largest, bound});
    }
  }
  table.sentence = entrySentence(layers);
  return table;
}

std::optional<double> overviewOfHead(const AnalysedLayer& layer, int head, OverviewMeasure of,
                                     const Progress& progress) {
  const AttentionMap& map = *layer.layer().attention;
  if (of == OverviewMeasure::Entropy) return meanEntropyShare(map, head, progress);
  const PictureRegion covered = layer.inspection->covered();
  return attentionDistance(map, head, covered.height, covered.width, progress);
}

/// True if a layer's queries, and for distances its keys, are patches.
bool looksFromPatches(const AttentionDescription& attention, OverviewMeasure of) {
  return attention.queryGrid && (attention.keyGrid || of == OverviewMeasure::Entropy);
}

}  // namespace

std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers,
                                           OverviewMeasure of, const Progress& progress) {
  std::vector<LayerOverview> overview;
  for (const AnalysedLayer& layer : layers) {
    progress.report(static_cast<double>(overview.size()) / static_cast<double>(layers.size()),
                    shortLayerName(layer.layer().name));
    if (of == OverviewMeasure::Entries) {
      overview.push_back(entriesOf(layer, progress));
      continue;
    }
    LayerOverview measured{layer, {}, {}};
    for (int head = 0; head < layer.attention().heads; ++head) {
      measured.heads.push_back(overviewOfHead(layer, head, of, progress));
    }
    overview.push_back(std::move(measured));
  }
  return overview;
}

std::string overviewObstacle(const AttentionMap& map, OverviewMeasure of) {
  if (!looksFromPatches(map.description(), of)) return "its tokens are not patches";
  if (of == OverviewMeasure::Distance) {
    return "its weights on patches are all zero or not all finite";
  }
  return mostKeys(map) == 1 ? "there is one key" : "its weights are all zero or not all finite";
}

void checkOverview(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  const bool ofEntries = of == OverviewMeasure::Entries;
  const auto hasNumber = [&](const LayerOverview& layer) {
    return std::any_of(layer.heads.begin(), layer.heads.end(), [&](const auto& head) {
      return head && std::isfinite(*head) && (!ofEntries || *head > 0);
    });
  };
  if (std::any_of(layers.begin(), layers.end(), hasNumber)) return;
  if (ofEntries) {
    throw InspectionError(
        "no head has entries that are finite and not all zero, so that there is no largest one");
  }
  for (const LayerOverview& layer : layers) {
    const AttentionMap& map = *layer.of.layer().attention;
    if (!looksFromPatches(map.description(), of)) continue;
    throw InspectionError("no head has a number to show; of " + layer.of.layer().name + ", " +
                          overviewObstacle(map, of));
  }
  throw InspectionError(
      "no head looks from patches to patches, so that there is neither distance nor spread");
}

Table overviewTable(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  if (of == OverviewMeasure::Entries) return entryTable(layers);
  Table table{{"model", "layer", "head",
               of == OverviewMeasure::Distance ? "attention_distance" : "entropy"},
              {}};
  for (const LayerOverview& layer : layers) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      table.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                 cellOf(layer.heads[head])});
    }
  }
  table.sentence = comparedSentence(
      table, of == OverviewMeasure::Distance
                 ? ComparedNumbers{.quantity = "the attention distance in pixels",
                                   .column = "attention_distance"}
                 : ComparedNumbers{.quantity = "the entropy as a share of the largest",
                                   .column = "entropy"});
  return table;
}

}  // namespace softscope
