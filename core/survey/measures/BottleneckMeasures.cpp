#include "core/analysis/bottleneck/Landmarks.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/survey/measures/MeasureGroups.h"

#include <cstddef>

namespace softscope {

namespace {

/// Returns |A V A - A| / |A|, where V is the result of the published code's own steps.
std::optional<double> releasedResidual(const HeadPass& head) {
  const LayerInspection& layer = head.of.layer;
  const auto index = static_cast<std::size_t>(head.head);
  if (index >= layer.bottleneck.size() || index >= layer.bottleneckInverse.size()) {
    return std::nullopt;
  }
  const Eigen::MatrixXd kernel = layer.bottleneck[index].cast<double>();
  const Eigen::MatrixXd inverse = layer.bottleneckInverse[index].cast<double>();
  const double norm = spectralNorm(kernel, head.progress());
  if (!(norm > 0)) return std::nullopt;
  const Eigen::MatrixXd product = kernel * inverse;
  return spectralNorm(product * kernel - kernel, head.progress()) / norm;
}

std::optional<double> medianLandmarkDistance(const HeadPass& head) {
  const auto distance = landmarkDistance(head.of.layer, head.head);
  if (!distance) return std::nullopt;
  return distance->median;
}

std::optional<double> nearLandmarks(const HeadPass& head) {
  const auto distance = landmarkDistance(head.of.layer, head.head);
  if (!distance) return std::nullopt;
  return distance->nearShare;
}

}  // namespace

std::vector<Measure> bottleneckMeasures() {
  return {{.name = "newton_residual",
           .title = "Newton-Raphson residual, as released",
           .unit = "norm over norm",
           .source = "SOFT: Softmax-free Transformer with Linear Complexity, 2021",
           .value = releasedResidual},
          {.name = "landmark_distance",
           .title = "Squared distance of queries from landmarks, median",
           .unit = "",
           .source = "ours",
           .value = medianLandmarkDistance},
          {.name = "landmark_near",
           .title = "Share of the landmarks' kernel above 0.01",
           .unit = "share",
           .source = "ours",
           .value = nearLandmarks}};
}

}  // namespace softscope
