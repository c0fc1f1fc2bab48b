#include "models/OpenModel.h"

#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Device.h"
#include "core/recording/RecordingPreview.h"
#include "core/tensor/TorchErrors.h"
#include "core/text/Words.h"
#include "models/RecognisedModel.h"
#include "models/WithoutWrapper.h"
#include "models/identify/Metadata.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/Parameters.h"
#include "models/live/OpenLiveModel.h"
#include "models/recorded/OpenRecording.h"
#include "models/vit/VitNames.h"

#include <algorithm>
#include <filesystem>

namespace softscope {

namespace {

WeightsChoice weightsChoice(const ModelRequest& request) {
  if (!request.weights) return WeightsChoice::Published;
  if (*request.weights == "ema") return WeightsChoice::Ema;
  if (*request.weights == "raw") return WeightsChoice::Raw;
  throw ModelError("--weights is ema or raw, not \"" + *request.weights + "\"");
}

/// Returns advice about a network whose only difference is that its pictures have another number of
/// channels than three, or its patches other sides than each other; empty for any other.
std::string patchEmbeddingText(const StateDict& state, const ModelSummary& summary) {
  if (summary.wrongShape.size() != 1) return {};
  constexpr int ofConvolution = 4;
  constexpr int ofColours = 3;
  const std::string name =
      summary.wrongShape.front().substr(0, summary.wrongShape.front().find(' '));
  const torch::Tensor* filters = state.find(name);
  if (filters == nullptr || filters->dim() != ofConvolution) return {};
  if (filters->size(1) == ofColours) {
    if (filters->size(2) == filters->size(3)) return {};
    return ". Its patches have " + std::to_string(filters->size(2)) + " x " +
           std::to_string(filters->size(3)) + " pixels; of " + summary.family +
           ", Softscope opens networks with square ones; " + recordingAdvice();
  }
  return ". Its pictures may have " + countedText(filters->size(1), "channel") + "; of " +
         summary.family + ", Softscope opens networks for three; " + recordingAdvice();
}

void requireComplete(const RecognisedModel& recognised, const Checkpoint& checkpoint,
                     const ModelRequest& request) {
  if (recognised.match.complete()) return;
  const ModelSummary& summary = recognised.model.summary;
  const std::string what = summary.path +
                           (summary.foreign.empty() ? ": is a " : ": looks like a ") +
                           summary.family + " model (" + summary.variant + "), but ";
  const std::vector<std::string>& missing = recognised.match.missing;
  const auto isClassToken = [](const std::string& name) { return name.ends_with("cls_token"); };
  if (hasHuggingFaceNames(checkpoint.state) && std::ranges::any_of(missing, isClassToken)) {
    throw ModelError(what + "lacks " + firstOf(missing) +
                     ", as ViTPose does, which adds the first position to every patch and which "
                     "Softscope does not open yet; " +
                     recordingAdvice());
  }
  if (!recognised.match.missing.empty()) {
    const std::string also = summary.foreign.empty() ? "" : ". It also " + foreignText(summary);
    const bool isWhole = readByStructure(summary.family, checkpoint, request).has_value();
    throw ModelError(what + "lacks " + firstOf(recognised.match.missing) + also +
                     ". Run softscope inspect for the whole list" +
                     (isWhole ? structureAdvice : ""));
  }
  throw ModelError(what +
                   "has tensors of the wrong shape: " + firstOf(recognised.match.wrongShape) +
                   patchEmbeddingText(checkpoint.state, summary));
}

void requireItsOwnParameters(const ModelSummary& summary) {
  if (summary.foreign.empty()) return;
  const auto isPrompt = [](const std::string& name) {
    return lowerCase(name).find("prompt") != std::string::npos;
  };
  if (std::ranges::any_of(summary.foreign, isPrompt)) {
    throw ModelError(summary.path + ": is a " + summary.family + " model with prompts, and " +
                     foreignText(summary) + ", whose place in the network no file tells; " +
                     recordingAdvice());
  }
  // A network that lacks a part of its attention would surely show another one.
  const auto isOfAttention = [](const std::string& name) {
    return name.find(".attn.") != name.npos || name.find(".attention.") != name.npos;
  };
  const std::string advice =
      std::ranges::any_of(summary.foreign, isOfAttention)
          ? recordingAdvice()
          : "--ignore-unexpected opens it as " + summary.family + " all the same";
  throw ModelError(summary.path + ": looks like " + summary.family + ", but " +
                   foreignText(summary) +
                   ". It is another network, or damaged, and its attention is not what " +
                   summary.family + " would show; " + advice);
}

void requireAgreementOnHeads(const RecognisedModel& recognised) {
  if (recognised.otherHeads.empty()) return;
  const ModelSummary& summary = recognised.model.summary;
  throw ModelError(summary.path + ": would be opened with heads " + listedNumbers(summary.heads) +
                   ", but " + recognised.otherHeads +
                   "; decide with --heads, or correct the one that is wrong");
}

std::shared_ptr<const Model> openCheckpoint(const ModelRequest& request, const Progress& progress) {
  const std::string device = resolveDevice(request.device);
  progress.report(0, "Reading " + std::filesystem::path(request.path).filename().string());
  const Checkpoint checkpoint =
      withoutWrapper(readCheckpoint(request.path, weightsChoice(request), progress));
  progress.report(0.7, "Building the network");
  RecognisedModel recognised = recogniseModel(checkpoint, request);
  requireComplete(recognised, checkpoint, request);
  requireAgreementOnHeads(recognised);
  if (!request.ignoresUnexpected) requireItsOwnParameters(recognised.model.summary);
  const std::shared_ptr<NetworkModule> network = recognised.model.network;
  withReadableErrors(request.path,
                     [&] { loadParameters(*network, checkpoint.state, torch::Device(device)); });
  network->eval();
  return std::make_shared<Model>(std::move(recognised.model.summary), network);
}

}  // namespace

ModelSummary identifyModel(const ModelRequest& request) {
  refuseLive(request.path);
  if (isRecording(request.path)) return openRecording(request)->summary();
  return identifyModel(readCheckpoint(request.path, weightsChoice(request)), request);
}

ModelSummary identifyModel(const Checkpoint& checkpoint, const ModelRequest& request) {
  return recogniseModel(withoutWrapper(checkpoint), request).model.summary;
}

std::shared_ptr<const Model> openModel(const ModelRequest& request, const Progress& progress) {
  refuseLive(request.path);
  if (isRecording(request.path)) return openRecording(request, progress);
  std::shared_ptr<const Model> model = openCheckpoint(request, progress);
  if (model->summary().layers.empty()) {
    throw ModelError(request.path + ": is " + model->summary().variant +
                     ", a network without attention, so there is nothing to look at; softscope "
                     "evaluate measures its accuracy");
  }
  return model;
}

std::shared_ptr<const Model> openClassifier(const ModelRequest& request, const Progress& progress) {
  if (isRecording(request.path)) {
    throw ModelError(request.path +
                     ": is a recording, which holds no weights to run on other pictures; give the "
                     "checkpoint that it was made of");
  }
  return openCheckpoint(request, progress);
}

}  // namespace softscope
