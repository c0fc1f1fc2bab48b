#include "core/analysis/bottleneck/HeadBottleneck.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/array/ComparedSentence.h"

#include <algorithm>
#include <complex>
#include <iterator>
#include <utility>

namespace softscope {
namespace {

FloatArray arrayOf(const std::vector<std::complex<double>>& eigenvalues) {
  const bool real = std::all_of(eigenvalues.begin(), eigenvalues.end(),
                                [](const auto& value) { return value.imag() == 0; });
  FloatArray array{{static_cast<std::int64_t>(eigenvalues.size())}, {}};
  if (!real) array.shape.push_back(2);
  for (const auto& value : eigenvalues) {
    array.values.push_back(static_cast<float>(value.real()));
    if (!real) array.values.push_back(static_cast<float>(value.imag()));
  }
  return array;
}

HeadBottleneck bottleneckOfHead(const AnalysedLayer& of, int head) {
  HeadBottleneck bottleneck{.of = of, .head = head};
  bottleneck.eigenvalues = bottleneckEigenvalues(bottleneckOf(of.layer(), head));
  const auto places = landmarkPlaces(of.attention());
  if (!places) {
    throw InspectionError("the landmarks of layer " + of.layer().name +
                          " have no place on the picture; choose another layer");
  }
  bottleneck.landmarks = *places;
  bottleneck.distance = landmarkDistance(of.layer(), head);
  return bottleneck;
}

std::string bottleneckSentence(const std::vector<HeadBottleneck>& bottlenecks) {
  Table largest{{"model", "layer", "head", "eigenvalue"}, {}};
  for (const HeadBottleneck& bottleneck : bottlenecks) {
    if (!bottleneck.obstacle.empty()) continue;
    largest.add({bottleneck.of.model, bottleneck.of.layer().name,
                 static_cast<std::int64_t>(bottleneck.head),
                 std::abs(bottleneck.eigenvalues.ofKernel.front())});
  }
  return comparedSentence(
      largest, {.quantity = "the largest magnitude of an eigenvalue of A", .column = "eigenvalue"});
}

}  // namespace

std::vector<HeadBottleneck> computeBottlenecks(const std::vector<AnalysedLayer>& layers,
                                               const std::vector<int>& heads,
                                               const Progress& progress) {
  std::vector<std::vector<HeadBottleneck>> found(layers.size());
  const auto obstacles = forEachLayer(layers, progress, [&](std::size_t i, const Progress& part) {
    for (const int head : headsOrAll(layers[i], heads)) {
      part.report(double(found[i].size()) / double(layers[i].attention().heads), {});
      found[i].push_back(bottleneckOfHead(layers[i], head));
    }
  });
  std::vector<HeadBottleneck> bottlenecks;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!obstacles[i].empty()) {
      found[i] = {{.of = layers[i], .obstacle = obstacles[i]}};
    }
    std::move(found[i].begin(), found[i].end(), std::back_inserter(bottlenecks));
  }
  return bottlenecks;
}

int chosenLandmark(const HeadBottleneck& bottleneck, std::optional<int> landmark) {
  if (!landmark) return landmarkAt(bottleneck.landmarks, bottleneck.grid(), 0.5, 0.5);
  const auto count = static_cast<int>(bottleneck.landmarks.size());
  if (*landmark < 0 || *landmark >= count) {
    throw InspectionError("landmark " + std::to_string(*landmark) + " is outside 0 to " +
                          std::to_string(count - 1) + " of layer " + bottleneck.of.layer().name);
  }
  return *landmark;
}

NamedArrays bottleneckArrays(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark) {
  NamedArrays arrays;
  for (const HeadBottleneck& bottleneck : bottlenecks) {
    if (!bottleneck.obstacle.empty()) continue;
    const std::string name = headName(bottleneck.of, bottleneck.head) + ".";
    const Matrix& kernel = bottleneck.kernel();
    arrays.emplace_back(name + "A", FloatArray{{kernel.rows(), kernel.cols()},
                                               {kernel.data(), kernel.data() + kernel.size()}});
    arrays.emplace_back(name + "eigenvalues", arrayOf(bottleneck.eigenvalues.ofKernel));
    arrays.emplace_back(name + "eigenvalues_normalised",
                        arrayOf(bottleneck.eigenvalues.ofNormalised));
    const int chosen = chosenLandmark(bottleneck, landmark);
    const TokenGrid& grid = bottleneck.grid();
    const Vector column = landmarkColumn(*bottleneck.of.layer().attention, bottleneck.head, chosen);
    arrays.emplace_back(name + "landmark_" + std::to_string(chosen),
                        FloatArray{{grid.height, grid.width}, {column.begin(), column.end()}});
    if (!bottleneck.distance) continue;
    for (const auto& [number, value] : {std::pair{"landmark_distance", bottleneck.distance->median},
                                        {"landmark_near", bottleneck.distance->nearShare},
                                        {"row_sum", bottleneck.distance->rowSum}}) {
      arrays.emplace_back(name + number, FloatArray{{1}, {static_cast<float>(value)}});
    }
  }
  arrays.sentence = bottleneckSentence(bottlenecks);
  return arrays;
}

}  // namespace softscope
