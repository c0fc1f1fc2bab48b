#include "core/analysis/bottleneck/NormsAnalysis.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/array/ComparedSentence.h"
#include "core/image/PreparedPicture.h"
#include "core/model/InputSize.h"

#include <algorithm>
#include <utility>

namespace softscope {

NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture,
                           std::function<InputTensor()> sameInput) {
  return [inspector = std::move(inspector), model = std::move(model), picture = std::move(picture),
          sameInput = std::move(sameInput)](std::optional<int> side, const Progress& progress) {
    const InspectionOptions precisely{.precise = true};
    const std::string obstacle = model->summary().obstacleTo("sweep of sizes");
    if (side && !obstacle.empty()) throw InspectionError(obstacle);
    if (!side) return inspector(*model, sameInput(), progress, precisely);
    const InputTransform& published = model->summary().transform;
    if (!picture) {
      return inspector(*model, resizedInput(sameInput(), *side, published), progress, precisely);
    }
    const InputSize size{InputSize::Kind::Crop, *side, *side};
    const PreparedPicture prepared = preparePicture(*picture, withInputSize(published, size));
    return inspector(*model, prepared.input, progress, precisely);
  };
}

namespace {

SizeNorms normsAt(const Inspection& inspection, const LayerInspection& layer, double rcond,
                  const Progress& progress) {
  SizeNorms norms{
      inspection.inputHeight, inspection.inputWidth, layer.attention->description().queries, 0, {}};
  const int heads = layer.attention->description().heads;
  for (int head = 0; head < heads; ++head) {
    progress.report(double(head) / heads, {});
    norms.heads.push_back(spectralNorms(layer, head, rcond, progress));
  }
  norms.landmarks = static_cast<int>(layer.bottleneck.front().rows());
  return norms;
}

/// Returns, for each model, the indices of its layers among the subjects; they share its runs.
std::vector<std::vector<std::size_t>> subjectsByModel(const std::vector<NormsSubject>& subjects) {
  std::vector<std::vector<std::size_t>> models;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto known = std::find_if(models.begin(), models.end(), [&](const auto& model) {
      return subjects[model.front()].layer.inspection == subjects[i].layer.inspection;
    });
    if (known == models.end()) {
      models.push_back({i});
    } else {
      known->push_back(i);
    }
  }
  return models;
}

/// Runs every model at every side and measures its layers.
void measureSizes(const std::vector<NormsSubject>& subjects,
                  const std::vector<std::optional<int>>& sides, double rcond,
                  std::vector<LayerNorms>& layers, const Progress& progress) {
  const auto models = subjectsByModel(subjects);
  const auto runs = static_cast<double>(models.size() * sides.size());
  double done = 0;
  for (const std::vector<std::size_t>& model : models) {
    const NormsSubject& first = subjects[model.front()];
    for (const std::optional<int>& side : sides) {
      const std::string what = first.layer.model + (side ? " at " + std::to_string(*side) : "");
      progress.report(done / runs, what);
      const Progress part = progress.part(done / runs, (done + 1) / runs, what);
      const auto inspection = first.run ? first.run(side, part) : first.layer.inspection;
      for (const std::size_t i : model) {
        if (!layers[i].obstacle.empty()) continue;
        const LayerInspection* layer = inspection->find(subjects[i].layer.layer().name);
        layers[i].sizes.push_back(normsAt(*inspection, *layer, rcond, part));
      }
      ++done;
    }
  }
}

/// The norms that grow, in the order of the table.
struct GrowingNorm {
  const char* name;
  std::optional<PowerLaw> NormGrowth::*law;
};
constexpr GrowingNorm growingNorms[] = {{"norm_soft", &NormGrowth::attention},
                                        {"norm_softpp", &NormGrowth::attentionNormalised},
                                        {"norm_pinv", &NormGrowth::inverse},
                                        {"norm_pinv_normalised", &NormGrowth::inverseNormalised}};

void addExponents(std::vector<Table::Cell>& row, const NormGrowth& growth) {
  for (const GrowingNorm& norm : growingNorms) {
    const std::optional<PowerLaw>& law = growth.*norm.law;
    row.push_back(law ? Table::Cell(law->exponent) : Table::Cell());
    row.push_back(law ? cellOf(law->exponentError) : Table::Cell());
  }
}

std::vector<Table::Cell> normsRow(const LayerNorms& layer, const SizeNorms& size, std::size_t head,
                                  bool exact, double rcond) {
  const ReleasedAndExactNorms& both = size.heads[head];
  const SpectralNorms& norms = exact ? both.exact : both.released;
  return {layer.of.model,
          layer.of.layer().name,
          static_cast<std::int64_t>(head),
          std::string(exact ? "exact" : "released"),
          static_cast<std::int64_t>(size.height),
          static_cast<std::int64_t>(size.width),
          static_cast<std::int64_t>(size.tokens),
          static_cast<std::int64_t>(size.landmarks),
          exact ? Table::Cell(rcond) : Table::Cell(),
          norms.condition,
          norms.attention,
          norms.attentionNormalised,
          norms.inverse,
          norms.inverseNormalised,
          std::string(exact && both.isPrecise ? "float64" : "float32"),
          norms.bound,
          norms.boundNormalised};
}

/// Compares SOFT++'s norm with SOFT's on the same weights, or over a sweep of sizes how both grow.
/// Where no kernel is Gaussian, the norm and its growth stand alone.
std::string normsSentence(const Table& table) {
  const ComparedNumbers ratio{.quantity = "|S| with SOFT++'s normalisation",
                              .column = "norm_softpp",
                              .divisor = "norm_soft",
                              .divisorQuantity = "|S| without it",
                              .whereColumn = "inverse",
                              .whereText = "released"};
  ComparedNumbers growth{.quantity = "the exponent of m in |S|",
                         .column = "norm_soft_exponent",
                         .whereColumn = "inverse",
                         .whereText = "released"};
  const std::string plain = comparedSentence(table, growth);
  growth.quantity = "with SOFT++'s normalisation, the exponent";
  growth.column = "norm_softpp_exponent";
  const std::string normalised = comparedSentence(table, growth);
  if (!plain.empty() && !normalised.empty()) return plain + ' ' + normalised;
  const std::string compared = comparedSentence(table, ratio);
  if (!compared.empty()) return compared;
  if (!plain.empty()) return plain;
  return comparedSentence(table, {.quantity = "|S|",
                                  .column = "norm_soft",
                                  .whereColumn = "inverse",
                                  .whereText = "released"});
}

}  // namespace

std::vector<LayerNorms> computeNorms(const std::vector<NormsSubject>& subjects,
                                     const NormsSettings& settings, const Progress& progress) {
  std::vector<LayerNorms> layers;
  std::vector<AnalysedLayer> analysed;
  for (const NormsSubject& subject : subjects) {
    layers.push_back({subject.layer, {}, {}});
    analysed.push_back(subject.layer);
  }
  // A layer without a bottleneck matrix has none at any size.
  const auto obstacles = forEachLayer(
      analysed, {}, [&](std::size_t i, const Progress&) { bottleneckOf(analysed[i].layer(), 0); });
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].obstacle = obstacles[i];
  if (definedLayers(layers).empty()) return layers;
  std::vector<std::optional<int>> sides(settings.sizes.begin(), settings.sizes.end());
  if (sides.empty()) sides.emplace_back();
  measureSizes(subjects, sides, settings.rcond, layers, progress);
  return layers;
}

bool hasNormalisedNorms(const LayerNorms& layer) {
  return std::any_of(layer.sizes.begin(), layer.sizes.end(), [](const SizeNorms& size) {
    return std::any_of(size.heads.begin(), size.heads.end(), [](const ReleasedAndExactNorms& head) {
      return head.released.isNormalised();
    });
  });
}

NormGrowth normGrowth(const LayerNorms& layer, std::size_t head, bool exact) {
  const auto growthOf = [&](double SpectralNorms::*norm) {
    std::vector<double> landmarks;
    std::vector<double> norms;
    for (const SizeNorms& size : layer.sizes) {
      landmarks.push_back(size.landmarks);
      const ReleasedAndExactNorms& both = size.heads[head];
      norms.push_back((exact ? both.exact : both.released).*norm);
    }
    return fitPowerLaw(landmarks, norms);
  };
  return {growthOf(&SpectralNorms::attention), growthOf(&SpectralNorms::attentionNormalised),
          growthOf(&SpectralNorms::inverse), growthOf(&SpectralNorms::inverseNormalised)};
}

Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings) {
  Table table{{"model", "layer", "head", "inverse", "height", "width", "tokens", "landmarks",
               "rcond", "condition", "norm_soft", "norm_softpp", "norm_pinv",
               "norm_pinv_normalised", "precision", "bound_soft", "bound_softpp"},
              {}};
  for (const GrowingNorm& norm : growingNorms) {
    table.columns.push_back(std::string(norm.name) + "_exponent");
    table.columns.push_back(std::string(norm.name) + "_exponent_error");
  }
  for (const LayerNorms& layer : layers) {
    for (const SizeNorms& size : layer.sizes) {
      for (std::size_t head = 0; head < size.heads.size(); ++head) {
        for (const bool exact : {false, true}) {
          table.add(normsRow(layer, size, head, exact, settings.rcond));
          addExponents(table.rows.back(), normGrowth(layer, head, exact));
        }
      }
    }
  }
  table.sentence = normsSentence(table);
  return table;
}

}  // namespace softscope
