#include "core/analysis/bottleneck/LayerNorms.h"

#include "core/linalg/PowerLaw.h"

#include <algorithm>
#include <array>

namespace softscope {
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

/// Where each model's layers stand among the subjects: they share its runs.
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

void sweep(const std::vector<NormsSubject>& subjects, const NormsSettings& settings,
           std::vector<LayerNorms>& layers, const Progress& progress) {
  const auto models = subjectsByModel(subjects);
  const auto runs = static_cast<double>(models.size() * settings.sizes.size());
  double done = 0;
  for (const std::vector<std::size_t>& model : models) {
    for (const int side : settings.sizes) {
      const std::string what = subjects[model.front()].layer.model + " at " + std::to_string(side);
      progress.report(done / runs, what);
      const Progress part = progress.part(done / runs, (done + 1) / runs, what);
      const auto inspection = subjects[model.front()].run(side, part);
      for (const std::size_t i : model) {
        if (!layers[i].obstacle.empty()) continue;
        const LayerInspection* layer = inspection->find(subjects[i].layer.layer().name);
        layers[i].sizes.push_back(normsAt(*inspection, *layer, settings.rcond, part));
      }
      ++done;
    }
  }
}

std::optional<double> normExponent(const std::vector<double>& m, const std::vector<double>& norms) {
  const auto law = fitPowerLaw(m, norms);
  return law ? std::optional(law->exponent) : std::nullopt;
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
  const bool sweeps = !settings.sizes.empty();
  // What has no bottleneck matrix has none at any size.
  const auto obstacles = forEachLayer(
      analysed, progress.part(0, sweeps ? 0.02 : 1, {}), [&](std::size_t i, const Progress& part) {
        SizeNorms norms =
            normsAt(*analysed[i].inspection, analysed[i].layer(), settings.rcond, part);
        if (!sweeps) layers[i].sizes.push_back(std::move(norms));
      });
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].obstacle = obstacles[i];
  const bool anything = std::any_of(obstacles.begin(), obstacles.end(),
                                    [](const std::string& obstacle) { return obstacle.empty(); });
  if (sweeps && anything) sweep(subjects, settings, layers, progress);
  return layers;
}

NormGrowth normGrowth(const LayerNorms& layer, std::size_t head) {
  std::vector<double> m;
  std::array<std::vector<double>, 4> norms;
  for (const SizeNorms& size : layer.sizes) {
    m.push_back(size.landmarks);
    const ReleasedAndExactNorms& both = size.heads[head];
    norms[0].push_back(both.released.inverse);
    norms[1].push_back(both.released.inverseNormalised);
    norms[2].push_back(both.exact.inverse);
    norms[3].push_back(both.exact.inverseNormalised);
  }
  return {normExponent(m, norms[0]), normExponent(m, norms[1]), normExponent(m, norms[2]),
          normExponent(m, norms[3])};
}

Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings) {
  Table table{
      {"model", "layer", "head", "inverse", "height", "width", "tokens", "landmarks", "rcond",
       "condition", "norm_soft", "norm_softpp", "norm_pinv", "norm_pinv_normalised"},
      {}};
  for (const LayerNorms& layer : layers) {
    for (const SizeNorms& size : layer.sizes) {
      for (std::size_t head = 0; head < size.heads.size(); ++head) {
        for (const bool exact : {false, true}) {
          const SpectralNorms& norms = exact ? size.heads[head].exact : size.heads[head].released;
          table.add(
              {layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
               std::string(exact ? "exact" : "released"), static_cast<std::int64_t>(size.height),
               static_cast<std::int64_t>(size.width), static_cast<std::int64_t>(size.tokens),
               static_cast<std::int64_t>(size.landmarks),
               exact ? Table::Cell(settings.rcond) : Table::Cell(), norms.condition,
               norms.attention, norms.attentionNormalised, norms.inverse, norms.inverseNormalised});
        }
      }
    }
  }
  return table;
}

}  // namespace softscope
