#include "core/Error.h"
#include "core/network/ClassMapPass.h"
#include "core/network/GradientRun.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"

#include <torch/types.h>

namespace softscope {

namespace {

ClassMap mapBy(ClassMethod method, const ClassMapPass& pass, const ClassMapRequest& request) {
  switch (method) {
    case ClassMethod::All:
      break;
    case ClassMethod::GradientRollout:
      return pass.gradientRollout(request.entries);
    case ClassMethod::LeGrad:
      return pass.leGrad(request.entries);
    case ClassMethod::GradientTokens:
      return pass.gradientTokens(request.layer);
    case ClassMethod::GradCam:
      return pass.gradCam(request.layer);
    case ClassMethod::IntegratedGradients:
      return pass.integratedGradients(request.points);
  }
  throw InspectionError("there is no such class map");
}

ClassMaps mapsOf(Network& network, const torch::Tensor& picture, const ClassMapRequest& request,
                 const Progress& progress) {
  progress.report(0, "Forward pass");
  ClassMapPass pass(network, picture, progress);
  const torch::Tensor logits = pass.logits();
  ClassMaps result;
  result.classIndex = askedClass(logits, request.classIndex);
  result.logit = logits[result.classIndex].item<double>();
  if (logits.size(0) > 1) {
    result.probability = logits.softmax(0)[result.classIndex].item<double>();
  }
  progress.report(0, "Backward pass");
  pass.differentiate(result.classIndex);
  for (const ClassMethod method : request.methods) {
    try {
      result.maps.push_back(mapBy(method, pass, request));
    } catch (const MemoryError& error) {
      // Without it there is nothing to show.
      if (request.methods.size() == 1) throw;
      result.maps.push_back({.method = method, .obstacle = error.what(), .exceedsMemory = true});
    } catch (const InspectionError& error) {
      result.maps.push_back({.method = method, .obstacle = error.what()});
    }
  }
  return result;
}

}  // namespace

ClassMaps measureClassMaps(const Model& model, const InputTensor& input,
                           const ClassMapRequest& request, const Progress& progress) {
  ClassMaps maps;
  runForGradients(model, input, "gradient of a class",
                  [&](Network& network, const torch::Tensor& picture) {
                    maps = mapsOf(network, picture, request, progress);
                  });
  return maps;
}

}  // namespace softscope
