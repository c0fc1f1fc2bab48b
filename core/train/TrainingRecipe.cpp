#include "core/train/TrainingRecipe.h"

#include "core/text/Words.h"

namespace softscope {

std::map<std::string, std::string> describe(const TrainingRecipe& recipe) {
  return {
      {"epochs", std::to_string(recipe.epochs)},
      {"batch", std::to_string(recipe.batch)},
      {"optimizer", recipe.optimizer == TrainingRecipe::Optimizer::AdamW ? "adamw" : "sgd"},
      {"learning-rate", numberText(recipe.learningRate)},
      {"schedule", nameOf(recipe.schedule)},
      {"drops", listText(recipe.drops, ",", numberText<double>)},
      {"last-learning-rate", numberText(recipe.lastLearningRate)},
      {"warmup", numberText(recipe.warmup)},
      {"weight-decay", numberText(recipe.weightDecay)},
      {"clip", numberText(recipe.clip)},
      {"ema", numberText(recipe.average)},
      {"ema-from-start", recipe.averageFromStart ? "on" : "off"},
      {"label-smoothing", numberText(recipe.labelSmoothing)},
      {"drop-path", numberText(recipe.dropPath)},
      {"mixup", numberText(recipe.mixup)},
      {"cutmix", numberText(recipe.cutmix)},
      {"mixing", numberText(recipe.mixing)},
      {"smallest-crop", numberText(recipe.smallestCrop)},
      {"padding", std::to_string(recipe.padding)},
      {"flip", recipe.flip ? "on" : "off"},
      {"jitter", numberText(recipe.jitter)},
      {"size", std::to_string(recipe.size)},
      {"resize", std::to_string(recipe.resize)},
      {"seed", std::to_string(recipe.seed)},
      {"bfloat16", recipe.bfloat16 ? "on" : "off"},
  };
}

}  // namespace softscope
