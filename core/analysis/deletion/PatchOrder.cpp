#include "core/analysis/deletion/PatchOrder.h"

#include "core/Error.h"
#include "core/analysis/GridSampling.h"
#include "core/analysis/SaliencyAnalysis.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/Mechanism.h"
#include "core/files/Sha256.h"
#include "core/query/QueryToken.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace softscope {

namespace {

/// A map of patches on its own grid.
struct GridScores {
  TokenGrid grid;
  Eigen::VectorXd values;
  std::string note = {};
};

/// Memory limit for a map without factors; larger ones are multiplied in parts.
constexpr std::size_t scoredMapBytes = std::size_t{256} << 20;

GridScores saliencyOnGrid(const std::optional<Saliency>& saliency) {
  if (!saliency) {
    throw InspectionError("it has none that are patches of the picture");
  }
  return {saliency->grid, saliency->summed.norms.cast<double>()};
}

/// Returns the mean over heads of weights^T A, for the keys that are patches.
GridScores seenPatches(const AttentionMap& map, const Eigen::VectorXd& weights,
                       const Progress& progress) {
  const AttentionDescription& attention = map.description();
  if (!attention.keyGrid) throw InspectionError("its keys are no patches of the picture");
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(attention.keys);
  for (int head = 0; head < attention.heads; ++head) {
    seen += mapProduct(map, head, scoredMapBytes, progress)->transposedTimes(weights);
  }
  return {*attention.keyGrid,
          seen.head(seen.size() - attention.suffixTokens).tail(attention.keyGrid->count()) /
              attention.heads};
}

GridScores receivedScores(const LayerInspection& layer, const Progress& progress) {
  const int queries = layer.attention->description().queries;
  return seenPatches(*layer.attention, Eigen::VectorXd::Constant(queries, 1.0 / queries), progress);
}

/// Returns the query of a layer that is the class token.
std::optional<int> classQuery(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  if (!attention.keyGrid || traitsOf(attention.mechanism).overChannels) return std::nullopt;
  const auto token = classToken(attention, Direction::Rows);
  if (!token) return std::nullopt;
  return singleTokenPlace(attention, Direction::Rows, *token);
}

/// Returns the query of a layer that the answer is read from: the class token, or a learned query
/// that is the layer's only one.
std::optional<int> answerQuery(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  if (const auto query = classQuery(layer)) return query;
  const bool isOnly = !attention.queryGrid && attention.queries == 1;
  return isOnly && attention.keyGrid ? std::optional(0) : std::nullopt;
}

/// True if one of a layer's queries is the class token.
bool asksForClass(const LayerInspection& layer) {
  return classQuery(layer).has_value();
}

/// True if the answer is read from one of a layer's queries.
bool asksForAnswer(const LayerInspection& layer) {
  return answerQuery(layer).has_value();
}

using LayerTest = bool (*)(const LayerInspection&);

std::optional<std::size_t> lastLayer(const Inspection& inspection, LayerTest fits) {
  for (std::size_t i = inspection.layers.size(); i > 0; --i) {
    if (fits(inspection.layers[i - 1])) return i - 1;
  }
  return std::nullopt;
}

bool mixesPatches(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  return attention.queryGrid && attention.keyGrid && !traitsOf(attention.mechanism).overChannels;
}

/// True if some tokens lie on zeros that the network put around its input.
bool seesBeyondInput(const Inspection& inspection) {
  if (!inspection.seen) return false;
  const PictureRegion& seen = *inspection.seen;
  return seen.x < 0 || seen.y < 0 || seen.x + seen.width > inspection.inputWidth ||
         seen.y + seen.height > inspection.inputHeight;
}

/// Makes the scores of one order after the other, on the grid whose patches are removed.
class ScoreTable {
 public:
  ScoreTable(const TokenGrid& grid, const Inspection& inspection)
      : grid_(grid), seesBeyondInput_(seesBeyondInput(inspection)) {}

  void add(PatchOrderSource of, const std::string& layer, const std::function<GridScores()>& make) {
    PatchScores scores{.of = of, .layer = layer, .values = {}, .note = {}, .obstacle = {}};
    scores.obstacle = obstacleOf([&] {
      if (seesBeyondInput_) {
        throw InspectionError(
            "the network puts zeros around this picture, and some of its tokens lie on them; "
            "choose the --size of its positions");
      }
      const GridScores own = make();
      scores.note = own.note;
      scores.values = sharedByArea(own.values, own.grid, grid_);
    });
    all.push_back(std::move(scores));
  }

  std::vector<PatchScores> all;

 private:
  TokenGrid grid_;
  bool seesBeyondInput_;
};

void addSaliency(const LayerInspection& layer, ScoreTable& table) {
  table.add(PatchOrderSource::QuerySaliency, layer.name,
            [&] { return saliencyOnGrid(querySaliency(layer)); });
  if (keysAreQueries(layer)) {
    table.all.back().ofQueriesAndKeys = true;
    return;
  }
  table.add(PatchOrderSource::KeySaliency, layer.name,
            [&] { return saliencyOnGrid(keySaliency(layer)); });
}

void addClassAttention(const Inspection& inspection, const Progress& progress, ScoreTable& table) {
  const auto last = lastLayer(inspection, asksForClass);
  const std::string name = last ? inspection.layers[*last].name : std::string();
  table.add(PatchOrderSource::ClassAttention, name, [&] {
    if (!last) throw InspectionError("this model has no class token that attends to patches");
    const AttentionMap& map = *inspection.layers[*last].attention;
    const int query = *classQuery(inspection.layers[*last]);
    return seenPatches(map, Eigen::VectorXd::Unit(map.description().queries, query), progress);
  });
}

void addRollout(AnalysedLayer of, const SharesOf& shares, const Progress& progress,
                ScoreTable& table) {
  const auto token = lastLayer(*of.inspection, asksForAnswer);
  const auto last = token ? token : lastLayer(*of.inspection, mixesPatches);
  if (last) of.index = *last;
  table.add(PatchOrderSource::Rollout, last ? of.layer().name : std::string(), [&] {
    if (!last) throw InspectionError("no layer of this model mixes patches of the picture");
    const Rollout rollout =
        token ? rollOut(of, *answerQuery(of.layer()), RolloutSettings(), shares, progress)
              : rollOutPatches(of, RolloutSettings(), shares, progress);
    return GridScores{rollout.grid, rollout.patches.cast<double>(), rolloutDeviation(rollout)};
  });
}

/// Returns a number below `end`, each with the same probability. (std::uniform_int_distribution
/// differs between libraries.)
std::uint32_t evenNumberBelow(std::uint32_t end, std::mt19937& engine) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t refused = most - most % end;
  std::uint_fast32_t number = engine();
  while (number >= refused) number = engine();
  return static_cast<std::uint32_t>(number % end);
}

/// Returns a colour in 255 steps from 0 to 255; NaN becomes 0.
char colorStep(float value, float mean, float deviation) {
  const double step = 255.0 * (static_cast<double>(value) * deviation + mean);
  return static_cast<char>(
      static_cast<unsigned char>(step > 0 ? std::lround(std::min(step, 255.0)) : 0));
}

}  // namespace

std::string orderName(PatchOrderSource of) {
  switch (of) {
    case PatchOrderSource::QuerySaliency:
      return "query_saliency";
    case PatchOrderSource::KeySaliency:
      return "key_saliency";
    case PatchOrderSource::ClassAttention:
      return "class_attention";
    case PatchOrderSource::Rollout:
      return "rollout";
    case PatchOrderSource::Received:
      return "received";
    case PatchOrderSource::ClassRollout:
      return methodName(ClassMethod::GradientRollout);
    case PatchOrderSource::LeGrad:
      return methodName(ClassMethod::LeGrad);
    case PatchOrderSource::GradientTokens:
      return methodName(ClassMethod::GradientTokens);
    case PatchOrderSource::GradCam:
      return methodName(ClassMethod::GradCam);
    case PatchOrderSource::IntegratedGradients:
      return methodName(ClassMethod::IntegratedGradients);
    case PatchOrderSource::Random:
      break;
  }
  return "random";
}

std::string orderTitle(PatchOrderSource of) {
  switch (of) {
    case PatchOrderSource::QuerySaliency:
      return "query saliency";
    case PatchOrderSource::KeySaliency:
      return "key saliency";
    case PatchOrderSource::ClassAttention:
      return "class attention";
    case PatchOrderSource::Rollout:
      return "rollout";
    case PatchOrderSource::Received:
      return "attention received";
    case PatchOrderSource::ClassRollout:
      return "attention × gradient";
    case PatchOrderSource::LeGrad:
      return "LeGrad";
    case PatchOrderSource::GradientTokens:
      return "tokens × gradient";
    case PatchOrderSource::GradCam:
      return "Grad-CAM";
    case PatchOrderSource::IntegratedGradients:
      return "integrated gradients";
    case PatchOrderSource::Random:
      break;
  }
  return "random";
}

PatchOrderSource orderOf(ClassMethod method) {
  switch (method) {
    case ClassMethod::All:
    case ClassMethod::GradientRollout:
      break;
    case ClassMethod::LeGrad:
      return PatchOrderSource::LeGrad;
    case ClassMethod::GradientTokens:
      return PatchOrderSource::GradientTokens;
    case ClassMethod::GradCam:
      return PatchOrderSource::GradCam;
    case ClassMethod::IntegratedGradients:
      return PatchOrderSource::IntegratedGradients;
  }
  return PatchOrderSource::ClassRollout;
}

std::vector<PatchScores> patchScores(const ClassMaps& maps, const TokenGrid& grid,
                                     const Inspection& inspection) {
  ScoreTable table(grid, inspection);
  for (const ClassMap& map : maps.maps) {
    table.add(orderOf(map.method), map.layer, [&] {
      if (!map.obstacle.empty()) throw InspectionError(map.obstacle);
      return GridScores{map.grid, map.patches.cast<double>()};
    });
  }
  return std::move(table.all);
}

std::vector<PatchScores> patchScores(const std::vector<AnalysedLayer>& layers,
                                     const TokenGrid& grid, const DeletionSettings& settings,
                                     const SharesOf& shares, const Progress& progress) {
  ScoreTable table(grid, *layers.front().inspection);
  for (const AnalysedLayer& of : layers) {
    if (settings.saliency) addSaliency(of.layer(), table);
  }
  if (settings.classAttention) addClassAttention(*layers.front().inspection, progress, table);
  if (settings.rollout) addRollout(layers.front(), shares, progress, table);
  for (const AnalysedLayer& of : layers) {
    if (!settings.received) continue;
    table.add(PatchOrderSource::Received, of.layer().name,
              [&] { return receivedScores(of.layer(), progress); });
  }
  return std::move(table.all);
}

std::vector<int> randomPatchOrder(int patches, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<int> order(static_cast<std::size_t>(patches));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    const std::size_t chosen = evenNumberBelow(static_cast<std::uint32_t>(left), engine);
    std::swap(order[left - 1], order[chosen]);
  }
  return order;
}

std::vector<int> patchOrder(const Eigen::VectorXd& scores, std::uint32_t seed) {
  const auto ranked = [&](int patch) {
    return std::isnan(scores[patch]) ? -std::numeric_limits<double>::infinity() : scores[patch];
  };
  std::vector<int> order = randomPatchOrder(static_cast<int>(scores.size()), seed);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ranked(a) > ranked(b); });
  return order;
}

std::string pictureIdentity(const InputTensor& input, const InputTransform& transform) {
  std::string bytes = std::to_string(input.height) + "x" + std::to_string(input.width) + ":";
  const std::size_t pixels =
      static_cast<std::size_t>(input.height) * static_cast<std::size_t>(input.width);
  bytes.reserve(bytes.size() + input.values.size());
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const std::size_t channel = std::min<std::size_t>(i / std::max<std::size_t>(1, pixels), 2);
    bytes += colorStep(input.values[i], transform.mean[channel], transform.deviation[channel]);
  }
  Sha256 checksum;
  checksum.add(bytes);
  return checksum.digest();
}

std::uint32_t orderSeed(const std::string& identity, int number) {
  Sha256 checksum;
  checksum.add(identity + ":" + std::to_string(number));
  constexpr std::size_t digits = 8;
  constexpr int base = 16;
  return static_cast<std::uint32_t>(std::stoul(checksum.digest().substr(0, digits), nullptr, base));
}

}  // namespace softscope
