#pragma once

#include "core/train/Schedule.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Everything that determines how a network is trained: the same recipe on the same data gives the
/// same weights.
struct TrainingRecipe {
  enum class Optimizer { AdamW, Sgd };

  std::int64_t epochs = 40;
  std::int64_t batch = 64;

  Optimizer optimizer = Optimizer::AdamW;
  double learningRate = 1e-3;  ///< peak learning rate
  LearningRateFall schedule = LearningRateFall::Cosine;
  double lastLearningRate = 1e-5;  ///< learning rate of the cosine's last step
  /// For LearningRateFall::Step: the shares of the training run after which the rate is divided by
  /// ten, ascending in (0, 1). By default after 81 and 122 of 164 epochs, as Cho et al. train on
  /// CIFAR ("Rethinking Efficacy of Softmax for Lightweight Non-local Neural Networks", 2022, arXiv
  /// 2207.13423).
  std::vector<double> drops = {81.0 / 164, 122.0 / 164};
  double warmup = 3;              ///< length in epochs
  double weightDecay = 0.05;      ///< applies to matrices and filters
  double clip = 1;                ///< largest joint l2 norm of all gradients; 0: no limit
  double average = 0.998;         ///< decay of the running average of the weights; 0: none
  bool averageFromStart = false;  ///< weigh the start (--init) in the average like any other step

  double labelSmoothing = 0.1;
  double dropPath = 0;        ///< rate of the last block; it rises from 0 in the first block
  double mixup = 0.2;         ///< alpha; 0: none
  double cutmix = 1;          ///< alpha; 0: none
  double mixing = 0.5;        ///< share of the batches that either is applied to
  double smallestCrop = 0.5;  ///< share of the picture's area
  int padding = 0;  ///< if above 0, take crops of a padded picture instead of resized crops
  bool flip = true;
  double jitter = 0.3;  ///< largest change of brightness, contrast and saturation

  int size = 128;    ///< side of the network's input
  int resize = 144;  ///< shorter side of the pictures that crops are taken from
  std::uint64_t seed = 0;
  bool bfloat16 = false;  ///< on CUDA, compute products in bfloat16

  bool operator==(const TrainingRecipe&) const = default;
};

/// Returns every entry of a recipe as text, under the names of the command line's options.
std::map<std::string, std::string> describe(const TrainingRecipe& recipe);

}  // namespace softscope
