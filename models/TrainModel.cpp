#include "models/TrainModel.h"

#include "core/Error.h"
#include "core/checkpoint/HalfPrecision.h"
#include "core/checkpoint/Safetensors.h"
#include "core/files/AtomicFile.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Overwriting.h"
#include "core/network/Device.h"
#include "core/network/NetworkModule.h"
#include "core/tensor/TorchErrors.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "core/train/ClassFolders.h"
#include "core/train/Training.h"
#include "models/Trainable.h"
#include "models/layers/Layers.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace softscope {

namespace {

namespace fs = std::filesystem;

using Metadata = std::map<std::string, std::string>;

InputTransform evaluationTransform(const TrainableArchitecture& architecture,
                                   const TrainingRecipe& recipe) {
  InputTransform transform = architecture.transform;
  transform.height = recipe.size;
  transform.width = recipe.size;
  transform.cropFraction = static_cast<double>(recipe.size) / recipe.resize;
  return transform;
}

std::string listOf(const std::array<float, 3>& numbers) {
  std::string text;
  for (const float number : numbers) {
    // Six digits recover a published mean or deviation from its rounding to float.
    const double rounded = std::round(static_cast<double>(number) * 1e6) / 1e6;
    if (!text.empty()) text += ',';
    text += numberText(rounded);
  }
  return text;
}

/// Returns the metadata with which the file opens as this network, and which say where it comes
/// from.
Metadata describeModel(const TrainableArchitecture& architecture, const TrainingRequest& request,
                       const std::vector<std::string>& classes, const InputTransform& transform) {
  Metadata metadata = architecture.metadata;
  metadata["architecture"] = architecture.name;
  metadata["mechanism"] = architecture.mechanism;
  metadata["classes"] = nlohmann::json(classes).dump();
  metadata["input_size"] = std::to_string(transform.height);
  metadata["crop"] = numberText(transform.cropFraction);
  metadata["filter"] =
      transform.filter == InputTransform::Filter::Bilinear ? "bilinear" : "bicubic";
  metadata["mean"] = listOf(transform.mean);
  metadata["std"] = listOf(transform.deviation);
  metadata["dataset"] = lastPart(request.dataSet);
  metadata["weights"] = request.recipe.average > 0 ? "ema" : "raw";
  metadata["command"] = request.commandLine;
  return metadata;
}

StateDict weightsOf(const NetworkModule& network) {
  StateDict state;
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    state.insert(name, tensor.detach());
  });
  return state;
}

/// Returns the weights with floating-point values in 16 bits. Throws what inHalfPrecision() throws.
StateDict halvedWeights(const NetworkModule& network, const std::string& advice) {
  StateDict state;
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    state.insert(name, inHalfPrecision(name, tensor.detach(), advice));
  });
  return state;
}

/// Copies every tensor of the file that has the same name and shape; returns how many of the
/// network's tensors were found.
std::size_t copyWeights(const StateDict& state, NetworkModule& network) {
  const torch::NoGradGuard noGradient;
  std::size_t found = 0;
  forEachTensor(network, [&](const std::string& name, torch::Tensor tensor) {
    const torch::Tensor* source = state.find(name);
    if (source == nullptr || source->sizes() != tensor.sizes()) return;
    tensor.copy_(*source);
    ++found;
  });
  return found;
}

void startFrom(const Checkpoint& checkpoint, NetworkModule& network, const TrainingEvents& events) {
  const std::string& path = checkpoint.path;
  const std::size_t found = copyWeights(checkpoint.state, network);
  const std::size_t all = network.named_parameters().size() + network.named_buffers().size();
  if (found == 0) {
    throw ModelError(path + ": none of its tensors fits the architecture to train");
  }
  events.noted("takes " + std::to_string(found) + " of " + std::to_string(all) + " tensors from " +
               path);
}

void noteUnreadable(const std::string& split, const DataSet& data, const TrainingEvents& events) {
  if (data.unreadable.empty()) return;
  events.noted("passed over " + std::to_string(data.unreadable.size()) + " of " +
               std::to_string(data.unreadable.size() + data.pictures.size()) + " files in " +
               split + "/, the first: " + data.unreadable.front());
}

/// Reports the pictures that are not fed as they are stored.
void noteSources(const DataSet& data, const TrainingEvents& events) {
  const std::string text = data.noted.text();
  if (!text.empty()) events.noted(text);
}

/// Reports how many pictures a step takes if they are fewer than --batch.
void noteBatches(const TrainingRequest& request, const DataSet& data,
                 const TrainingEvents& events) {
  const std::int64_t pictures = std::ssize(data.pictures);
  const std::int64_t asked = request.recipe.batch;
  if (asked > pictures) {
    events.noted("every step takes all " + std::to_string(pictures) +
                 " pictures of train/, which are fewer than " + std::to_string(asked) +
                 " (--batch)");
  }
}

/// Returns the file of the training's series that keeps an epoch. Names sort by their epochs.
std::string keptEpochFile(const TrainingRequest& request, std::int64_t epoch) {
  const std::string last = std::to_string(request.recipe.epochs);
  std::string number = std::to_string(epoch);
  number.insert(0, last.size() - number.size(), '0');
  return (fs::path(keptEpochs(request.output)) / ("epoch_" + number + ".safetensors")).string();
}

/// Throws FileError if the checkpoints that the training run keeps would be mixed with others.
void checkKeptEpochs(const TrainingRequest& request) {
  if (request.keepEvery == 0) return;
  const std::string folder = keptEpochs(request.output);
  std::error_code failure;
  if (fs::exists(folder, failure) && !fs::is_directory(folder, failure)) {
    throw FileError(folder,
                    "is no folder, and checkpoints are to be kept there; name another "
                    "--output");
  }
  if (request.resume) return;
  // A training that failed in its first epoch, and is to be repeated, has left the weights that it
  // began with, and possibly a hidden file whose writing was cut off.
  const std::string first = fs::path(keptEpochFile(request, 0)).filename().string();
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name == first || name.starts_with(".")) continue;
    throw FileError(folder, "has files already; move them away, or name another --output");
  }
}

void checkRequest(const TrainingRequest& request) {
  const std::string extension = fs::path(request.output).extension().string();
  if (extension != ".safetensors") {
    throw FileError(request.output, "train writes .safetensors; give the file that extension");
  }
  std::vector<std::string> outputs{request.output, request.output + ".state", request.history};
  if (request.keepEvery > 0 && !request.resume) outputs.push_back(keptEpochFile(request, 0));
  checkOutputs(outputs, request.initial.empty() ? std::vector<std::string>{}
                                                : filesOfModel(request.initial));
  checkWritable(request.output);
  if (!request.history.empty()) checkWritable(request.history);
  std::error_code ignored;
  const bool hasState = fs::exists(request.output + ".state", ignored);
  if (request.resume && !hasState) {
    throw FileError(request.output + ".state",
                    "does not exist, so there is nothing to go on with; leave out --resume");
  }
  if (!request.resume && hasState) {
    throw FileError(request.output + ".state",
                    "is the state of a training; go on with --resume, or remove it to start again");
  }
  checkKeptEpochs(request);
  // The command and the data set's name become JSON in the file's header.
  for (const std::string& text : {lastPart(request.dataSet), lastPart(request.output),
                                  lastPart(request.initial), request.commandLine}) {
    if (isUtf8(text)) continue;
    throw TrainingError(quotedText(text) +
                        " is not UTF-8; the names of the data set, of --output and of --init are "
                        "written into the file, so rename it");
  }
  if (request.recipe.bfloat16 && request.device == "cpu") {
    throw DeviceError("--bfloat16 is for --device cuda; leave it out on the CPU");
  }
}

/// Creates the folder for the checkpoints that the training run keeps. Throws FileError.
void prepareKeptEpochs(const TrainingRequest& request) {
  if (request.keepEvery == 0) return;
  const std::string folder = keptEpochs(request.output);
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw FileError(folder, "cannot be created: " + failure.message());
}

/// Writes the output after an epoch. With --half, its weights are rounded already.
void writeOutput(const TrainingRequest& request, const NetworkModule& network,
                 const Metadata& metadata) {
  writeSafetensors(request.output,
                   request.half ? halvedWeights(network, withoutHalf) : weightsOf(network),
                   metadata);
}

/// Writes a checkpoint of the training's series.
void keepEpoch(const TrainingRequest& request, std::int64_t epoch, const NetworkModule& network,
               Metadata metadata) {
  metadata["epochs"] = std::to_string(epoch);
  // Without --half, the accuracy is that of weights which are not rounded to 16 bits.
  if (!request.half) metadata.erase("accuracy");
  writeSafetensors(keptEpochFile(request, epoch),
                   halvedWeights(network, epoch == 0 ? "leave out --keep-every"
                                                     : "go on with --resume and without "
                                                       "--keep-every"),
                   metadata);
}

/// Throws FileError if an output would overwrite a picture of the data set.
void keepPictures(const TrainingRequest& request) {
  for (const char* split : {"train", "val"}) {
    std::vector<std::string> pictures;
    for (const ClassFolders::File& file : listClassFolders(request.dataSet, split).files) {
      pictures.push_back(file.path);
    }
    checkOutputs({request.output, request.history}, pictures);
  }
}

}  // namespace

std::string keptEpochs(const std::string& output) {
  return fs::path(output).replace_extension(".epochs").string();
}

std::vector<std::string> trainableNames() {
  std::vector<std::string> names;
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    names.push_back(architecture.name);
  }
  return names;
}

TrainingRecipe recommendedRecipe(const std::string& architecture) {
  return findTrainable(architecture).recipe;
}

void trainModel(const TrainingRequest& request, const TrainingEvents& events,
                const Progress& progress) {
  const TrainableArchitecture architecture =
      findTrainable(request.architecture).resized(request.sizes);
  const TrainingRecipe& recipe = request.recipe;
  const std::string device = resolveDevice(request.device);
  checkRequest(request);
  const InputTransform transform = evaluationTransform(architecture, recipe);
  // An unreadable file is reported before minutes are spent on reading pictures.
  std::optional<Checkpoint> initial;
  if (!request.initial.empty() && !request.resume) initial = readCheckpoint(request.initial);

  requireSameClasses(request.dataSet);
  keepPictures(request);
  const DataSet training =
      readDataSet(request.dataSet, "train", withShorterSide(recipe.resize), progress);
  const DataSet validation = readDataSet(request.dataSet, "val", asEvaluated(transform), progress);

  const int classes = static_cast<int>(training.classes.size());
  const auto network = freshNetwork(architecture, classes, recipe.seed);
  const auto average = freshNetwork(architecture, classes, recipe.seed);
  network->checkInputSize(recipe.size, recipe.size);
  if (!setDropPathRates(*network, recipe.dropPath) && recipe.dropPath > 0) {
    throw ModelError(architecture.name + " has no branches to drop; leave out --drop-path");
  }
  if (initial) startFrom(*initial, *network, events);
  network->to(torch::Device(device));
  average->to(torch::Device(device));

  Training run({*network, *average, training, validation, transform, recipe,
                architecture.name + request.sizes.text(), request.output + ".state", request.half});
  if (request.resume) run.resume();
  // A training that is refused only says why.
  if (!request.initial.empty() && request.resume) {
    events.noted("--init is passed over: the training goes on from " + request.output + ".state");
  }
  noteUnreadable("train", training, events);
  noteUnreadable("val", validation, events);
  noteSources(training, events);
  noteSources(validation, events);
  noteBatches(request, training, events);
  Metadata metadata = describeModel(architecture, request, training.classes, transform);
  // The command may ask for more than there are.
  metadata["batch"] = std::to_string(std::min(recipe.batch, std::ssize(training.pictures)));
  prepareKeptEpochs(request);
  // A resumed training has taken steps, also within its first epoch.
  if (request.keepEvery > 0 && !request.resume) keepEpoch(request, 0, *average, metadata);
  const auto write = [&](const EpochResult& result, const std::string& history) {
    metadata["epochs"] = std::to_string(result.epoch);
    metadata["accuracy"] = numberText(std::round(result.accuracy * 1e6) / 1e6);
    writeOutput(request, *average, metadata);
    if (request.keepEvery > 0 &&
        (result.epoch % request.keepEvery == 0 || result.epoch == recipe.epochs)) {
      keepEpoch(request, result.epoch, *average, metadata);
    }
    if (!request.history.empty()) writeHistory(request.history, history);
  };
  const auto finished = [&](const EpochResult& result, const std::string& history) {
    write(result, history);
    events.finishedEpoch(result);
  };
  const auto goOn = [&] {
    if (!run.isFinished()) return run.run(finished, progress);
    events.noted("the training had ended already; its files are written again");
    run.finishAgain(write);
  };
  withReadableErrors("the training", goOn, "batch or input size");
}

}  // namespace softscope
