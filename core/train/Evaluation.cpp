#include "core/train/Evaluation.h"

#include "core/Error.h"
#include "core/ParallelWork.h"
#include "core/image/PreparedPicture.h"
#include "core/network/Device.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/tensor/TorchErrors.h"
#include "core/train/Augmentation.h"
#include "core/train/DataSet.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace softscope {

namespace {

/// A network's answer for one file, or why it was not asked.
struct FileAnswer {
  std::string problem;
  std::string note;
  std::vector<float> logits;
};

FileAnswer answerTo(const Model& model, const std::string& path, const EvaluationOptions& options) {
  FileAnswer answer;
  InputTensor input;
  answer.problem = readProblem(path, [&] {
    usePicture(path, options.reading, [&](const Picture& picture) {
      answer.note = sourceNote(picture.source, OptionsInNote::Named);
      input = preparePicture(picture, options.transform).input;
    });
  });
  if (answer.problem.empty()) answer.logits = runNetwork(model, input, nullptr);
  return answer;
}

/// Returns [pictures, 3, height, width].
torch::Tensor normalisedPictures(std::span<const LabelledPicture> entries,
                                 const InputTransform& transform) {
  const Picture& first = entries.front().picture;
  torch::Tensor pictures =
      torch::empty({static_cast<std::int64_t>(entries.size()), 3, first.height, first.width});
  float* planes = pictures.data_ptr<float>();
  for (const LabelledPicture& entry : entries) {
    normalisePicture(entry.picture, transform.mean, transform.deviation, planes);
    planes += pictures.stride(0);
  }
  return pictures;
}

/// Returns the end of the batch that starts at `begin`: as many pictures as allowed, all of one
/// size.
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

FileEvaluation evaluateFiles(const Model& model, const ClassFolders& folders,
                             const EvaluationOptions& options, int workers,
                             const Progress& progress) {
  Evaluation evaluation(model.network(), folders.classes, options);
  ReadableClasses classes(folders);
  NotedPictures noted;
  const std::size_t count = folders.files.size();
  const auto take = [&](std::size_t i, const FileAnswer& answer) {
    progress.report(static_cast<double>(i) / static_cast<double>(count), "Evaluating");
    if (answer.problem.empty()) evaluation.addAnswer(answer.logits, folders.files[i].label);
    classes.add(answer.problem);
    noted.add(folders.files[i].path, answer.note);
  };
  OrderedWork<FileAnswer>(
      {.count = count,
       .workers = workers,
       .begin = [] { setComputeThreads(1); },
       .work = [&](std::size_t i) { return answerTo(model, folders.files[i].path, options); },
       .take = take})
      .run(progress);
  return {evaluation.result(), classes.unreadable(), noted};
}

double EvaluationResult::accuracy() const {
  return pictures > 0 ? static_cast<double>(right) / static_cast<double>(pictures) : 0;
}

double EvaluationResult::standardError() const {
  const double share = accuracy();
  return pictures > 0 ? std::sqrt(share * (1 - share) / static_cast<double>(pictures)) : 0;
}

Evaluation::Evaluation(Network& network, const std::vector<std::string>& classes,
                       EvaluationOptions options)
    : network_(network), options_(std::move(options)) {
  for (const std::string& name : classes) counted_.classes.push_back({name, 0, 0});
  std::vector<int>& logits = options_.logitOfClass;
  if (!logits.empty()) return;
  logits.resize(classes.size());
  std::iota(logits.begin(), logits.end(), 0);
}

void Evaluation::add(std::span<const LabelledPicture> pictures) {
  const c10::InferenceMode inference;
  const Picture& first = pictures.front().picture;
  network_.checkInputSize(first.height, first.width);
  const std::string size = std::to_string(first.height) + " x " + std::to_string(first.width);
  const torch::Tensor logits = withReadableErrors("the forward pass at " + size, [&] {
    const torch::Tensor input = normalisedPictures(pictures, options_.transform);
    return network_.forward(input.to(network_.device()), nullptr).to(torch::kCPU, torch::kFloat32);
  });
  const torch::Tensor rows = logits.contiguous();
  const auto classes = static_cast<std::size_t>(rows.size(1));
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    addAnswer({rows.data_ptr<float>() + i * classes, classes}, pictures[i].label);
  }
}

void Evaluation::addAnswer(std::span<const float> logits, int label) {
  const c10::InferenceMode inference;
  const torch::Tensor row =
      torch::from_blob(const_cast<float*>(logits.data()), std::ssize(logits), torch::kFloat32);
  const auto known = static_cast<std::size_t>(label);
  const int wanted = options_.logitOfClass[known];
  // The largest of values with a NaN among them would be the NaN, the first class's if all are.
  const bool isDefined =
      std::ranges::none_of(logits, [](float logit) { return std::isnan(logit); });
  const bool right = isDefined && row.argmax().item<std::int64_t>() == wanted;
  loss_ -= row.log_softmax(-1)[wanted].item<double>();
  ++counted_.classes[known].pictures;
  counted_.classes[known].right += right ? 1 : 0;
  counted_.right += right ? 1 : 0;
  ++counted_.pictures;
  counted_.undefined += isDefined ? 0 : 1;
}

EvaluationResult Evaluation::result() const {
  EvaluationResult result = counted_;
  result.loss = loss_ / static_cast<double>(std::max<std::int64_t>(1, result.pictures));
  return result;
}

EvaluationResult evaluate(Network& network, const DataSet& data, const EvaluationOptions& options,
                          std::int64_t batch) {
  Evaluation evaluation(network, data.classes, options);
  const std::span<const LabelledPicture> pictures(data.pictures);
  for (std::size_t begin = 0, end = 0; begin < pictures.size(); begin = end) {
    end = endOfBatch(data, begin, batch);
    evaluation.add(pictures.subspan(begin, end - begin));
  }
  return evaluation.result();
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
