#include "core/train/Evaluation.h"

#include "core/Error.h"
#include "core/inspect/Network.h"
#include "core/train/Augmentation.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softscope {

namespace {

torch::Tensor normalisedPictures(const DataSet& data, std::size_t begin, std::size_t end,
                                 const InputTransform& transform) {
  const Picture& first = data.pictures[begin].picture;
  torch::Tensor pictures =
      torch::empty({static_cast<std::int64_t>(end - begin), 3, first.height, first.width});
  const std::int64_t values = pictures.stride(0);
  for (std::size_t i = begin; i < end; ++i) {
    float* planes = pictures.data_ptr<float>() + static_cast<std::int64_t>(i - begin) * values;
    normalisePicture(data.pictures[i].picture, transform.mean, transform.deviation, planes);
  }
  return pictures;
}

/// Pictures from `begin` on that fit one batch: as many as allowed, all of one size.
std::size_t endOfBatch(const DataSet& data, std::size_t begin, std::int64_t batch) {
  const Picture& first = data.pictures[begin].picture;
  std::size_t end = begin + 1;
  while (end < data.pictures.size() && end - begin < static_cast<std::size_t>(batch) &&
         data.pictures[end].picture.width == first.width &&
         data.pictures[end].picture.height == first.height) {
    ++end;
  }
  return end;
}

}  // namespace

double EvaluationResult::accuracy() const {
  return pictures > 0 ? static_cast<double>(right) / static_cast<double>(pictures) : 0;
}

double EvaluationResult::standardError() const {
  const double share = accuracy();
  return pictures > 0 ? std::sqrt(share * (1 - share) / static_cast<double>(pictures)) : 0;
}

EvaluationResult evaluate(Network& network, const DataSet& data, const EvaluationOptions& options,
                          const Progress& progress) {
  const c10::InferenceMode inference;
  EvaluationResult result;
  for (const std::string& name : data.classes) result.classes.push_back({name, 0, 0});
  std::vector<int> logitOfClass = options.logitOfClass;
  if (logitOfClass.empty()) {
    logitOfClass.resize(data.classes.size());
    std::iota(logitOfClass.begin(), logitOfClass.end(), 0);
  }
  double loss = 0;
  for (std::size_t begin = 0, end = 0; begin < data.pictures.size(); begin = end) {
    progress.report(static_cast<double>(begin) / static_cast<double>(data.pictures.size()),
                    "Evaluating");
    end = endOfBatch(data, begin, options.batch);
    const torch::Tensor pictures =
        normalisedPictures(data, begin, end, options.transform).to(network.device());
    const torch::Tensor logits =
        network.forward(pictures, nullptr).to(torch::kCPU, torch::kFloat32);
    const torch::Tensor chances = logits.log_softmax(-1);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::int64_t>(i - begin);
      const auto label = static_cast<std::size_t>(data.pictures[i].label);
      const bool right = logits[row].argmax().item<std::int64_t>() == logitOfClass[label];
      loss -= chances[row][logitOfClass[label]].item<double>();
      ++result.classes[label].pictures;
      result.classes[label].right += right ? 1 : 0;
      result.right += right ? 1 : 0;
      ++result.pictures;
    }
  }
  result.loss = loss / static_cast<double>(std::max<std::int64_t>(1, result.pictures));
  return result;
}

std::vector<int> matchClasses(const std::string& folder,
                              const std::vector<std::string>& dataClasses,
                              const std::vector<std::string>& modelClasses, int modelClassCount) {
  std::vector<int> logits;
  std::string unknown;
  for (const std::string& name : dataClasses) {
    const auto found = std::find(modelClasses.begin(), modelClasses.end(), name);
    if (found != modelClasses.end()) {
      logits.push_back(static_cast<int>(found - modelClasses.begin()));
    } else {
      unknown = name;
    }
  }
  if (unknown.empty()) return logits;
  if (!logits.empty()) {
    throw DataSetError(folder, "has the class " + unknown +
                                   ", which the model does not know; give the data set it was "
                                   "trained on");
  }
  if (static_cast<int>(dataClasses.size()) != modelClassCount) {
    throw DataSetError(folder, "has " + std::to_string(dataClasses.size()) +
                                   " classes, and the model tells " +
                                   std::to_string(modelClassCount) +
                                   " apart under other names; give the data set it was trained on");
  }
  logits.resize(dataClasses.size());
  std::iota(logits.begin(), logits.end(), 0);
  return logits;
}

}  // namespace softscope
