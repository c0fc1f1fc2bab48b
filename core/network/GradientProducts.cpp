#include "core/Error.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/network/GradientRun.h"
#include "core/network/Inspector.h"
#include "core/network/MapBuilder.h"
#include "core/network/Network.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// The logit y of a request, or the difference of two, and its name.
struct AskedLogit {
  torch::Tensor value;
  GradientProductMap::Logit about;
};

AskedLogit askedLogit(const torch::Tensor& logits, const LogitRequest& request,
                      const std::vector<std::string>& names) {
  const int first = askedClass(logits, request.classIndex);
  AskedLogit asked{logits[first], {request, nameOfClass(first, names)}};
  if (request.against) {
    const auto classes = static_cast<int>(logits.size(0));
    asked.value = asked.value - logits[checkedClass(*request.against, classes)];
    asked.about.name += " less " + nameOfClass(*request.against, names);
  }
  return asked;
}

void multiply(const GradientRecorder::Layer& of, const torch::Tensor& gradient,
              const GradientProductMap::Logit& logit, LayerInspection& layer) {
  if (!of.record.value.defined()) {
    layer.gradientObstacle =
        "the layer does not record the values that its attention multiplies, so that the gradient "
        "of its entries is not known";
    return;
  }
  if (!of.attended.defined()) {
    layer.gradientObstacle =
        "the layer does not tell what its attention makes of V, so that the gradient of its "
        "entries is not known";
    return;
  }
  if (!gradient.defined()) {
    layer.gradientObstacle = "the class does not depend on this layer's attention";
    return;
  }
  try {
    // A copy, so that nothing of the graph is kept alive.
    layer.gradientProduct = std::make_shared<const GradientProductMap>(
        layer.attention, stackOf(gradient[0].detach().clone()),
        stackOf(of.record.value.detach().clone()), logit);
  } catch (const InspectionError& error) {
    layer.gradientObstacle = error.what();
  }
}

void multiplyAll(Network& network, const torch::Tensor& picture, const LogitRequest& request,
                 const std::vector<std::string>& classNames, Inspection& inspection,
                 const Progress& progress) {
  const at::AutoGradMode differentiable(true);
  GradientRecorder recorder(progress);
  const torch::Tensor logits =
      network.forward(picture.detach().clone().requires_grad_(), &recorder);
  const AskedLogit asked = askedLogit(logits[0], request, classNames);
  progress.throwIfCancelled();
  std::vector<torch::Tensor> attended;
  for (const auto& layer : recorder.layers()) attended.push_back(layer.attended);
  const std::vector<torch::Tensor> gradients = gradientsOf(asked.value, attended);
  for (std::size_t i = 0; i < recorder.layers().size(); ++i) {
    const GradientRecorder::Layer& of = recorder.layers()[i];
    const auto layer =
        std::ranges::find(inspection.layers, of.record.layer, &LayerInspection::name);
    if (layer != inspection.layers.end()) multiply(of, gradients[i], asked.about, *layer);
  }
}

}  // namespace

void addGradientProducts(const Model& model, const InputTensor& input, const LogitRequest& logit,
                         Inspection& inspection, const Progress& progress) {
  progress.report(1, "Gradient of a class");
  try {
    runForGradients(
        model, input, "gradient of a class", [&](Network& network, const torch::Tensor& picture) {
          multiplyAll(network, picture, logit, model.summary().classNames, inspection, progress);
        });
  } catch (const MemoryError&) {
    throw;
  } catch (const InspectionError& error) {
    for (LayerInspection& layer : inspection.layers) layer.gradientObstacle = error.what();
  }
}

}  // namespace softscope
