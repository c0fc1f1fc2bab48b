#include "models/attention/NonLocalAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/SoftmaxAttention.h"

#include <cmath>

namespace softscope {

namespace {

using Normalisation = NonLocalMechanism::Normalisation;
using Part = NonLocalMechanism::Part;

constexpr NonLocalMechanism nonLocalForms[] = {
    {Normalisation::Softmax, Part::Whole},     {Normalisation::Softmax, Part::Magnitude},
    {Normalisation::Softmax, Part::Direction}, {Normalisation::Scaled, Part::Whole},
    {Normalisation::Scaled, Part::Magnitude},  {Normalisation::Scaled, Part::Direction},
    {Normalisation::Dot, Part::Whole},         {Normalisation::Dot, Part::Magnitude},
    {Normalisation::Dot, Part::Direction},
};

using Normalisation = NonLocalMechanism::Normalisation;
using Part = NonLocalMechanism::Part;

/// Returns the norms [..., n, 1] or the unit vectors [..., n, C'] of embeddings; a zero vector
/// stays zero.
torch::Tensor partOf(const torch::Tensor& embedding, Part part) {
  if (part == Part::Whole) return embedding;
  const torch::Tensor magnitude = embedding.norm(2, {-1}, true);
  if (part == Part::Magnitude) return magnitude;
  return embedding / magnitude.clamp_min(1e-12);
}

/// Returns the factor of the products if there is no softmax.
double linearScale(Normalisation normalisation, std::int64_t width, std::int64_t positions) {
  const auto count = static_cast<double>(positions);
  if (normalisation == Normalisation::Dot) return 1 / count;
  return 1 / std::sqrt(static_cast<double>(width) * count);
}

AttentionOperator makeScaledNonLocalOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    const NonLocalMechanism scaled{Normalisation::Scaled, Part::Whole};
    return nonLocalAttention(query, key, value, scaled, 1, {}, {}, nullptr);
  };
}

/// Returns the number of elements of the scaled query; its key is the input itself.
std::int64_t scaledNonLocalNumbers(const CostRequest& request) {
  return request.tokens * headWidth(request);
}

}  // namespace

const std::vector<std::string>& nonLocalMechanisms() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NonLocalMechanism& mechanism : nonLocalForms)
      all.push_back(mechanismName(mechanism));
    return all;
  }();
  return names;
}

std::string mechanismName(const NonLocalMechanism& mechanism) {
  std::string name = "nonlocal";
  if (mechanism.normalisation == Normalisation::Scaled) name += "_scaled";
  if (mechanism.normalisation == Normalisation::Dot) name += "_dot";
  if (mechanism.part == Part::Magnitude) name += "_magnitude";
  if (mechanism.part == Part::Direction) name += "_direction";
  return name;
}

std::optional<NonLocalMechanism> nonLocalMechanism(const std::string& name) {
  for (const NonLocalMechanism& mechanism : nonLocalForms) {
    if (mechanismName(mechanism) == name) return mechanism;
  }
  return std::nullopt;
}

torch::Tensor nonLocalAttention(const torch::Tensor& theta, const torch::Tensor& phi,
                                const torch::Tensor& g, const NonLocalMechanism& mechanism,
                                double softmaxScale, const std::string& layer,
                                AttentionDescription description, Recorder* recorder) {
  description.mechanism = mechanismName(mechanism);
  const torch::Tensor query = partOf(theta, mechanism.part);
  const torch::Tensor key = partOf(phi, mechanism.part);
  if (mechanism.normalisation == Normalisation::Softmax) {
    return softmaxAttention(query, key, g, softmaxScale, layer, description, recorder);
  }
  const torch::Tensor scaled =
      query * linearScale(mechanism.normalisation, phi.size(-1), phi.size(-2));
  return attendWithFactors({scaled, key, query, key}, g, layer, description, recorder);
}

MechanismImplementation scaledNonLocalImplementation() {
  return {.mechanism = &mechanismNamed("nonlocal_scaled"),
          .operators = {{"nonlocal_scaled", makeScaledNonLocalOperator, scaledNonLocalNumbers}}};
}

}  // namespace softscope
