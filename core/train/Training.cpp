#include "core/train/Training.h"

#include "core/Error.h"
#include "core/checkpoint/HalfPrecision.h"
#include "core/network/NetworkModule.h"
#include "core/text/Words.h"
#include "core/train/Evaluation.h"
#include "core/train/Loss.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <torch/nn/module.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// While an object of this class exists, a network's floating-point tensors have the values that a
/// 16-bit file would give back.
class RoundedToHalf {
 public:
  /// Throws ModelError if a value is too large for 16 bits.
  explicit RoundedToHalf(const torch::nn::Module& network);
  ~RoundedToHalf();
  RoundedToHalf(const RoundedToHalf&) = delete;
  RoundedToHalf& operator=(const RoundedToHalf&) = delete;

 private:
  /// Each tensor with its original values.
  std::vector<std::pair<torch::Tensor, torch::Tensor>> tensors_;
};

RoundedToHalf::RoundedToHalf(const torch::nn::Module& network) {
  const torch::NoGradGuard noGradient;
  std::vector<torch::Tensor> rounded;
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    if (!tensor.is_floating_point()) return;
    rounded.push_back(inHalfPrecision(name, tensor, withoutHalf));
    tensors_.emplace_back(tensor, tensor.clone());
  });
  for (std::size_t i = 0; i < rounded.size(); ++i) tensors_[i].first.copy_(rounded[i]);
}

RoundedToHalf::~RoundedToHalf() {
  const torch::NoGradGuard noGradient;
  for (const auto& [tensor, before] : tensors_) torch::Tensor(tensor).copy_(before);
}

/// While an object of this class exists, CUDA products of this thread are computed in bfloat16, and
/// everything that needs more precision in float32. Parameters and gradients stay float32.
class MixedPrecision {
 public:
  explicit MixedPrecision(bool on);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  bool on_;
};

void setAutocast(bool on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, on);
#else
  at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
  at::autocast::set_enabled(on);
#endif
}

MixedPrecision::MixedPrecision(bool on) : on_(on) {
  if (on_) setAutocast(true);
}

MixedPrecision::~MixedPrecision() {
  if (!on_) return;
  setAutocast(false);
  at::autocast::clear_cache();
}

/// Key of the random numbers that layers draw during a step; BatchSource has the other keys.
constexpr std::uint64_t layerPurpose = 100;

BatchOptions batchOptions(const TrainingRecipe& recipe, const InputTransform& transform) {
  BatchOptions options;
  options.size = recipe.batch;
  options.labelSmoothing = recipe.labelSmoothing;
  options.augmentation = {.height = recipe.size,
                          .width = recipe.size,
                          .smallestArea = recipe.smallestCrop,
                          .padding = recipe.padding,
                          .flip = recipe.flip,
                          .jitter = recipe.jitter,
                          .mean = transform.mean,
                          .deviation = transform.deviation};
  options.mixing = {recipe.mixup, recipe.cutmix, recipe.mixing};
  options.seed = recipe.seed;
  return options;
}

OptimizerOptions optimizerOptions(const TrainingRecipe& recipe) {
  OptimizerOptions options;
  options.method = recipe.optimizer == TrainingRecipe::Optimizer::AdamW
                       ? OptimizerOptions::Method::AdamW
                       : OptimizerOptions::Method::Sgd;
  options.weightDecay = recipe.weightDecay;
  return options;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Training::Training(const TrainingSetup& setup)
    : setup_(setup),
      source_(setup.training, batchOptions(setup.recipe, setup.transform)),
      optimizer_(setup.network, optimizerOptions(setup.recipe)),
      averaging_(setup.network, setup.average, setup.recipe.average,
                 setup.recipe.averageFromStart ? ExponentialMovingAverage::Start::Trained
                                               : ExponentialMovingAverage::Start::Random) {
  const auto batches = static_cast<double>(source_.batches());
  schedule_.peak = setup.recipe.learningRate;
  schedule_.floor = setup.recipe.lastLearningRate;
  schedule_.warmup = std::llround(setup.recipe.warmup * batches);
  schedule_.steps = setup.recipe.epochs * source_.batches();
  schedule_.fall = setup.recipe.schedule;
  for (const double share : setup.recipe.drops) {
    schedule_.drops.push_back(std::llround(share * static_cast<double>(schedule_.steps)));
  }
}

void Training::resume() {
  position_ = readTrainingState(setup_.statePath, {setup_.network, setup_.average, optimizer_},
                                description(), source_.batches());
}

void Training::keepState() {
  writeTrainingState(setup_.statePath, position_, {setup_.network, setup_.average, optimizer_},
                     description());
}

void Training::keepStateIfPossible() {
  try {
    keepState();
  } catch (const FileError&) {
    // The error that stopped the training is told, and not this one.
  }
}

std::map<std::string, std::string> Training::description() const {
  std::map<std::string, std::string> description = describe(setup_.recipe);
  std::string classes;
  for (const std::string& name : setup_.training.classes) {
    classes += (classes.empty() ? "" : "/") + name;
  }
  description["architecture"] = setup_.architecture;
  description["classes"] = classes;
  description["pictures"] = std::to_string(setup_.training.pictures.size());
  return description;
}

void Training::run(const Finished& finished, const Progress& progress) {
  setup_.average.eval();
  while (!isFinished()) {
    setup_.network.train();
    trainEpoch(progress);
    finishEpoch(finished, progress);
  }
}

void Training::trainEpoch(const Progress& progress) {
  const std::int64_t epoch = position_.epoch;
  const auto prepare = [this, epoch](std::int64_t index) {
    return std::async(std::launch::async, [=, this] { return source_.batch(epoch, index); });
  };
  if (position_.step >= source_.batches()) return;
  std::future<Batch> next = prepare(position_.step);
  while (position_.step < source_.batches()) {
    const auto begin = std::chrono::steady_clock::now();
    const Batch batch = next.get();
    // The next batch is prepared while the network learns from this one.
    if (position_.step + 1 < source_.batches()) next = prepare(position_.step + 1);
    position_.lossSum += step(batch);
    ++position_.step;
    const double seconds = secondsSince(begin);
    position_.seconds += seconds;
    secondsPerStep_ = secondsPerStep_ == 0 ? seconds : 0.95 * secondsPerStep_ + 0.05 * seconds;
    try {
      report(progress);
    } catch (const Cancelled&) {
      if (next.valid()) next.wait();
      keepState();
      throw;
    }
  }
}

void Training::report(const Progress& progress) const {
  const std::int64_t done = position_.epoch * source_.batches() + position_.step;
  const double left = secondsPerStep_ * static_cast<double>(schedule_.steps - done);
  progress.report(static_cast<double>(done) / static_cast<double>(schedule_.steps),
                  progressText(left));
}

double Training::step(const Batch& batch) {
  const std::int64_t index = position_.epoch * source_.batches() + position_.step;
  const torch::Device device = setup_.network.device();
  at::manual_seed(
      RandomStream(setup_.recipe.seed, {layerPurpose, static_cast<std::uint64_t>(index)}).next());
  optimizer_.clearGradients();
  torch::Tensor logits;
  {
    const MixedPrecision precision(setup_.recipe.bfloat16);
    logits = setup_.network.forward(batch.pictures.to(device), nullptr);
  }
  const torch::Tensor loss = crossEntropy(logits, batch.targets.to(device));
  const double value = loss.item<double>();
  requireFinite(value, "loss");
  loss.backward();
  requireFinite(optimizer_.clipGradients(setup_.recipe.clip), "gradient");
  optimizer_.step(schedule_.rate(index));
  averaging_.update(index);
  return value;
}

void Training::requireFinite(double value, const std::string& what) const {
  if (std::isfinite(value)) return;
  throw TrainingError("the " + what + " is no longer a number in epoch " +
                      std::to_string(position_.epoch + 1) +
                      "; train again with a lower --learning-rate or a longer --warmup");
}

EpochResult Training::measureEpoch(std::int64_t epoch) const {
  EvaluationOptions options;
  options.transform = setup_.transform;
  const EvaluationResult evaluation =
      evaluate(setup_.average, setup_.validation, options, setup_.recipe.batch);
  EpochResult result;
  result.epoch = epoch;
  result.learningRate = schedule_.rate(result.epoch * source_.batches() - 1);
  result.loss = position_.lossSum / static_cast<double>(source_.batches());
  result.validationLoss = evaluation.loss;
  result.accuracy = evaluation.accuracy();
  result.standardError = evaluation.standardError();
  result.seconds = position_.seconds;
  return result;
}

void Training::finishEpoch(const Finished& finished, const Progress& progress) {
  std::string history;
  try {
    // The weights that are measured are the ones that are written.
    std::optional<RoundedToHalf> rounded;
    if (setup_.half) rounded.emplace(setup_.average);
    const EpochResult result = measureEpoch(position_.epoch + 1);
    history = position_.history + historyRow(result);
    finished(result, history);
  } catch (const Error&) {
    // The epoch was trained, and going on measures and writes it again.
    keepStateIfPossible();
    throw;
  }
  position_ = {position_.epoch + 1, 0, 0, 0, history};
  keepState();
  if (progress.cancelled() && !isFinished()) throw Cancelled();
}

void Training::finishAgain(const Finished& finished) {
  setup_.average.eval();
  std::optional<RoundedToHalf> rounded;
  if (setup_.half) rounded.emplace(setup_.average);
  finished(measureEpoch(setup_.recipe.epochs), position_.history);
}

std::string Training::progressText(double secondsLeft) const {
  const double pictures =
      secondsPerStep_ > 0 ? static_cast<double>(source_.batchSize()) / secondsPerStep_ : 0;
  return "epoch " + std::to_string(position_.epoch + 1) + " of " +
         std::to_string(setup_.recipe.epochs) + ", loss " +
         fixedText(position_.lossSum / static_cast<double>(position_.step), 4) + ", " +
         fixedText(pictures, 0) + " pictures/s, " + durationText(secondsLeft) + " left";
}

}  // namespace softscope
