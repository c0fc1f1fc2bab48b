#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/train/Evaluation.h"
#include "core/train/Training.h"
#include "models/OpenModel.h"
#include "models/TrainModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/core/files/FileSizeLimit.h"
#include "tests/core/train/TinyDataSet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace softscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TrainingTest : public testing::Test {
 protected:
  void SetUp() override {
    writeSplit(data(), "train", {"cat", "dog"}, 7, 36);
    writeSplit(data(), "val", {"cat", "dog"}, 2, 36);
  }

  std::string data() const { return folder_.file("tiny"); }

  /// Three steps an epoch on pictures of 32 x 32.
  TrainingRequest request(const std::string& name, int epochs = 2) const {
    TrainingRequest request;
    request.architecture = "soft_norm_nano";
    request.dataSet = data();
    request.output = folder_.file(name + ".safetensors");
    request.history = folder_.file(name + ".csv");
    request.recipe = recommendedRecipe(request.architecture);
    request.recipe.size = 32;
    request.recipe.resize = 36;
    request.recipe.epochs = epochs;
    request.recipe.batch = 4;
    request.recipe.warmup = 0.5;
    request.recipe.dropPath = 0.2;
    request.recipe.mixing = 1;
    return request;
  }

  /// Trains, and asks to stop once so many steps were reported; -1: never.
  void train(const TrainingRequest& asked, int stopAfter = -1) {
    int steps = 0;
    Progress* running = nullptr;
    Progress progress([&](double, const std::string& what) {
      if (what.rfind("epoch", 0) == 0 && ++steps == stopAfter) running->cancel();
    });
    running = &progress;
    TrainingEvents events;
    events.noted = [&](const std::string& note) { notes_.push_back(note); };
    events.finishedEpoch = [&](const EpochResult& result) { results_.push_back(result); };
    trainModel(asked, events, progress);
  }

  std::string complaint(const TrainingRequest& asked) {
    return test::messageOf([&] { train(asked); });
  }

  TemporaryFolder folder_;
  std::vector<std::string> notes_;
  std::vector<EpochResult> results_;
};

void expectSameWeights(const std::string& first, const std::string& second) {
  const Checkpoint a = readCheckpoint(first);
  const Checkpoint b = readCheckpoint(second);
  ASSERT_EQ(a.state.size(), b.state.size());
  for (const StateDict::Entry& entry : a.state.entries()) {
    const torch::Tensor* other = b.state.find(entry.name);
    ASSERT_NE(other, nullptr) << entry.name;
    EXPECT_TRUE(at::equal(entry.tensor, *other)) << entry.name;
  }
}

/// The history without its last column, the seconds.
std::string withoutSeconds(const std::string& path) {
  std::istringstream lines(contentOf(path));
  std::string kept;
  for (std::string line; std::getline(lines, line);) kept += line.substr(0, line.rfind(',')) + '\n';
  return kept;
}

TEST_F(TrainingTest, GoesOnToTheSameLastBit) {
  train(request("whole"));
  // Stopped within the first epoch, and again after it.
  TrainingRequest parts = request("parts");
  EXPECT_THROW(train(parts, 1), Cancelled);
  parts.resume = true;
  EXPECT_THROW(train(parts, 3), Cancelled);
  train(parts);
  expectSameWeights(request("whole").output, parts.output);
  expectSameWeights(request("whole").output + ".state", parts.output + ".state");
  EXPECT_EQ(withoutSeconds(request("whole").history), withoutSeconds(parts.history));
}

TEST_F(TrainingTest, GoesOnToTheSameLastBitDownStepsAndWithOtherSizes) {
  const auto asked = [&](const std::string& name) {
    TrainingRequest stepped = request(name);
    stepped.architecture = "soft_pooled_nano";
    stepped.sizes = {{8, 16, 24, 48}, {1, 4, 2, 3}};
    stepped.recipe.schedule = LearningRateFall::Step;
    stepped.recipe.drops = {0.34, 0.7};
    return stepped;
  };
  train(asked("whole"));
  const ModelSummary summary = openModel({.path = asked("whole").output})->summary();
  EXPECT_THAT(summary.heads, ElementsAre(1, 4, 2, 3));
  EXPECT_EQ(summary.mechanismNote(), "pooled landmarks");
  ASSERT_EQ(results_.size(), 2u);
  EXPECT_DOUBLE_EQ(results_[0].learningRate, 1e-4);
  EXPECT_DOUBLE_EQ(results_[1].learningRate, 1e-5);
  TrainingRequest parts = asked("parts");
  EXPECT_THROW(train(parts, 1), Cancelled);
  parts.resume = true;
  EXPECT_THROW(train(parts, 3), Cancelled);
  train(parts);
  expectSameWeights(asked("whole").output, parts.output);
  expectSameWeights(asked("whole").output + ".state", parts.output + ".state");
  // The same shapes.
  parts.sizes.heads = {1, 4, 2, 6};
  EXPECT_THAT(complaint(parts),
              HasSubstr("architecture was soft_pooled_nano, width 8,16,24,48, heads 1,4,2,3, now "
                        "soft_pooled_nano, width 8,16,24,48, heads 1,4,2,6"));
  parts = asked("parts");
  parts.resume = true;
  parts.recipe.drops = {0.5};
  EXPECT_THAT(complaint(parts), HasSubstr("drops was 0.34,0.7, now 0.5"));
}

TEST_F(TrainingTest, TrainsANetworkWithoutAttentionToBeEvaluated) {
  TrainingRequest asked = request("plain", 1);
  asked.architecture = "preresnet20";
  asked.recipe = recommendedRecipe(asked.architecture);
  asked.recipe.epochs = 1;
  asked.recipe.warmup = 0;
  asked.recipe.batch = 4;
  asked.sizes.widths = {8, 8, 16};
  train(asked);
  const auto model = openClassifier({.path = asked.output});
  EXPECT_EQ(model->summary().mechanism, "none");
  EXPECT_THAT(model->summary().layers, testing::IsEmpty());
  EvaluationOptions options;
  options.transform = model->summary().transform;
  const DataSet validation = readDataSet(data(), "val", asEvaluated(options.transform));
  EXPECT_DOUBLE_EQ(evaluate(model->network(), validation, options).accuracy(),
                   results_.back().accuracy);
  try {
    openModel({.path = asked.output});
    FAIL() << "there is nothing to look at";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("plain.safetensors: is custom, a network without "
                                        "attention, so there is nothing to look at"));
  }
}

TEST_F(TrainingTest, AveragesFromTheWeightsItStartsWith) {
  train(request("start", 1));
  const auto distanceFromStart = [&](const std::string& name, bool averageFromStart) {
    TrainingRequest asked = request(name, 1);
    asked.initial = request("start").output;
    asked.recipe.average = 0.999;
    asked.recipe.averageFromStart = averageFromStart;
    train(asked);
    const std::string weight = "head.weight";
    const torch::Tensor before = *readCheckpoint(asked.initial).state.find(weight);
    return (*readCheckpoint(asked.output).state.find(weight) - before).norm().item<double>();
  };
  const double kept = distanceFromStart("kept", true);
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, distanceFromStart("forgotten", false) / 100);
}

TEST_F(TrainingTest, TellsOfABadStartBeforeItReadsPictures) {
  TrainingRequest asked = request("late", 1);
  asked.initial = folder_.file("missing.safetensors");
  asked.dataSet = folder_.file("no pictures");
  EXPECT_THAT(complaint(asked), HasSubstr("missing.safetensors: no such file"));
}

TEST_F(TrainingTest, LearnsToTellColoursApart) {
  TrainingRequest asked = request("colours", 12);
  asked.recipe.jitter = 0;
  asked.recipe.mixing = 0;
  asked.recipe.dropPath = 0;
  asked.recipe.average = 0;
  train(asked);
  ASSERT_EQ(results_.size(), 12u);
  EXPECT_LT(results_.back().loss, 0.6 * results_.front().loss);
  EXPECT_DOUBLE_EQ(results_.back().accuracy, 1);
}

TEST_F(TrainingTest, WritesAFileThatOpensWithoutAnyOption) {
  TrainingRequest asked = request("model", 1);
  asked.half = true;
  asked.commandLine = "softscope train";
  train(asked);
  const auto model = openModel({.path = asked.output});
  const ModelSummary& summary = model->summary();
  EXPECT_EQ(summary.family, "soft");
  EXPECT_EQ(summary.mechanism, "soft++");
  EXPECT_DOUBLE_EQ(summary.confidence(), 1);
  EXPECT_EQ(summary.weights, "ema");
  EXPECT_THAT(summary.classNames, ElementsAre("cat", "dog"));
  EXPECT_EQ(summary.transform.height, 32);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 32.0 / 36);
  EXPECT_EQ(summary.transform.mean, InputTransform().mean);
  EXPECT_EQ(summary.transform.deviation, InputTransform().deviation);
  EXPECT_EQ(summary.metadata.at("dataset"), "tiny");
  EXPECT_EQ(summary.metadata.at("epochs"), "1");
  EXPECT_EQ(summary.metadata.at("command"), "softscope train");
  EXPECT_EQ(readCheckpoint(asked.output).state.entries()[0].tensor.scalar_type(), torch::kFloat16);
}

TEST_F(TrainingTest, EvaluatesAsTheTrainingDid) {
  for (const bool half : {false, true}) {
    TrainingRequest asked = request(half ? "half" : "model", 3);
    asked.half = half;
    train(asked);
    const auto model = openModel({.path = asked.output});
    EvaluationOptions options;
    options.transform = model->summary().transform;
    const DataSet validation = readDataSet(data(), "val", asEvaluated(options.transform));
    const EvaluationResult result = evaluate(model->network(), validation, options);
    EXPECT_DOUBLE_EQ(result.accuracy(), results_.back().accuracy);
    EXPECT_NEAR(result.loss, results_.back().validationLoss, 1e-6) << half;
  }
  // Rounding changes what is written and measured, not what is learnt.
  expectSameWeights(request("model").output + ".state", request("half").output + ".state");
}

TEST_F(TrainingTest, AFullDiskLosesNoEarlierCheckpoint) {
  TrainingRequest asked = request("model", 1);
  train(asked);
  const std::string weights = contentOf(asked.output);
  std::filesystem::remove(asked.output + ".state");
  {
    const FileSizeLimit limit(100000);
    EXPECT_THAT(complaint(asked), HasSubstr("model.safetensors: cannot be written"));
  }
  EXPECT_EQ(contentOf(asked.output), weights);
}

TEST_F(TrainingTest, AFullDiskLosesNoEarlierState) {
  train(request("whole"));
  TrainingRequest parts = request("parts");
  EXPECT_THROW(train(parts, 4), Cancelled);
  parts.resume = true;
  const std::string state = contentOf(parts.output + ".state");
  {
    // Room for the model, not for the state, which is four times as large.
    const FileSizeLimit limit(static_cast<rlim_t>(state.size() / 2));
    EXPECT_THAT(complaint(parts), HasSubstr("parts.safetensors.state: cannot be written"));
  }
  EXPECT_EQ(contentOf(parts.output + ".state"), state);
  train(parts);
  expectSameWeights(request("whole").output, parts.output);
}

TEST_F(TrainingTest, RefusesToGoOnWithAnotherRecipeOrFromNothing) {
  TrainingRequest asked = request("model", 1);
  asked.resume = true;
  EXPECT_THAT(complaint(asked), HasSubstr("nothing to go on with"));
  asked.resume = false;
  train(asked);
  EXPECT_THAT(complaint(asked), HasSubstr("go on with --resume, or remove it"));
  asked.resume = true;
  asked.recipe.epochs = 2;
  asked.recipe.learningRate = 0.5;
  const std::string message = complaint(asked);
  EXPECT_THAT(message, HasSubstr("epochs was 1, now 2"));
  EXPECT_THAT(message, HasSubstr("learning-rate was 0.001, now 0.5"));
}

TEST_F(TrainingTest, RefusesToGoOnWithAnotherArchitectureOrData) {
  TrainingRequest asked = request("model", 1);
  train(asked);
  asked.resume = true;
  // The same names and shapes.
  asked.architecture = "soft_nano";
  EXPECT_THAT(complaint(asked), HasSubstr("architecture was soft_norm_nano, now soft_nano"));
  asked.architecture = "soft_norm_nano";
  writeSplit(data(), "train", {"cat"}, 8, 36);
  EXPECT_THAT(complaint(asked), HasSubstr("pictures was 14, now 15"));
  for (const std::string split : {"/train", "/val"}) {
    std::filesystem::rename(data() + split + "/dog", data() + split + "/fox");
  }
  EXPECT_THAT(complaint(asked), HasSubstr("classes was cat/dog, now cat/fox"));
}

TEST_F(TrainingTest, WithoutAnyStepThereIsNoState) {
  TrainingRequest asked = request("model", 1);
  Progress progress;
  progress.cancel();
  EXPECT_THROW(trainModel(asked, {}, progress), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(asked.output + ".state"));
}

TEST_F(TrainingTest, StopsBeforeAGradientThatIsNoNumberChangesAnything) {
  // The square root of 0 is a number, its slope is none.
  class Rootless : public NetworkModule {
   public:
    Rootless() { weight = register_parameter("weight", at::zeros({2})); }
    torch::Tensor forward(const torch::Tensor& input, Recorder*) override {
      return weight.sqrt().expand({input.size(0), 2});
    }
    void checkInputSize(int, int) const override {}
    torch::Tensor weight;
  };
  Rootless network;
  Rootless average;
  TrainingRecipe recipe = request("model", 1).recipe;
  InputTransform transform;
  transform.height = transform.width = 32;
  const DataSet training = readDataSet(data(), "train", withShorterSide(36));
  const DataSet validation = readDataSet(data(), "val", asEvaluated(transform));
  for (const double clip : {0.0, 1.0}) {
    recipe.clip = clip;
    Training run({network, average, training, validation, transform, recipe, "rootless",
                  folder_.file("rootless.state")});
    EXPECT_THROW(run.run({}, Progress()), TrainingError);
    EXPECT_TRUE(at::equal(network.weight, at::zeros({2})));
    EXPECT_FALSE(std::filesystem::exists(folder_.file("rootless.state")));
  }
}

TEST_F(TrainingTest, RefusesToDropBranchesWhereThereAreNone) {
  TrainingRequest asked = request("model", 1);
  asked.architecture = "preresnet20_nl";
  EXPECT_THAT(complaint(asked), HasSubstr("preresnet20_nl has no branches to drop"));
}

TEST_F(TrainingTest, StartsFromACheckpointOfOtherClasses) {
  TrainingRequest first = request("first", 1);
  train(first);
  writeSplit(data(), "train", {"emu"}, 7, 36);
  writeSplit(data(), "val", {"emu"}, 2, 36);
  TrainingRequest second = request("second", 1);
  second.initial = first.output;
  train(second);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr("tensors from " + first.output));
  writeBytes(folder_.file("text.safetensors"), "no checkpoint");
  TrainingRequest third = request("third", 1);
  third.initial = folder_.file("text.safetensors");
  EXPECT_NE(complaint(third), "");
}

TEST_F(TrainingTest, NotesHowManyFilesItPassedOver) {
  writeBytes(data() + "/train/cat/broken.png", "no picture");
  train(request("model", 1));
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr("passed over 1 of 15 files in train/"));
}

TEST_F(TrainingTest, SaysWhatIsWrongBeforeItStarts) {
  TrainingRequest asked = request("model", 1);
  asked.output = folder_.file("model.pth");
  EXPECT_THAT(complaint(asked), HasSubstr("train writes .safetensors"));
  asked.output = folder_.file("nowhere/model.safetensors");
  EXPECT_THAT(complaint(asked), HasSubstr("does not exist"));
  asked = request("model", 1);
  asked.history = folder_.file("nowhere/log.csv");
  EXPECT_THAT(complaint(asked), HasSubstr("nowhere does not exist"));
  EXPECT_FALSE(std::filesystem::exists(asked.output));
  asked = request("model", 1);
  asked.architecture = "alexnet";
  EXPECT_THAT(complaint(asked), HasSubstr("no architecture alexnet"));
  asked = request("model", 1);
  std::filesystem::remove_all(data() + "/val");
  EXPECT_THAT(complaint(asked), HasSubstr("has no folder val/"));
}

TEST_F(TrainingTest, GoingOnLeavesTheWeightsBeforeTheTrainingAsTheyAre) {
  TrainingRequest asked = request("kept");
  asked.keepEvery = 1;
  EXPECT_THROW(train(asked, 1), Cancelled);
  const std::string first = folder_.file("kept.epochs/epoch_0.safetensors");
  const std::string before = contentOf(first);
  EXPECT_NE(before, "");
  asked.resume = true;
  train(asked);
  EXPECT_EQ(contentOf(first), before);
  EXPECT_TRUE(std::filesystem::exists(folder_.file("kept.epochs/epoch_2.safetensors")));

  TrainingRequest later = request("later");
  EXPECT_THROW(train(later, 1), Cancelled);
  later.resume = true;
  later.keepEvery = 1;
  train(later);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("later.epochs/epoch_0.safetensors")));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("later.epochs/epoch_1.safetensors")));
}

TEST_F(TrainingTest, CanBeRepeatedAsItsErrorAdvises) {
  TrainingRequest asked = request("again", 1);
  asked.keepEvery = 1;
  const double learningRate = asked.recipe.learningRate;
  asked.recipe.learningRate = 1e30;
  EXPECT_THAT(complaint(asked), HasSubstr("train again with a lower --learning-rate"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("again.epochs/epoch_0.safetensors")));
  asked.recipe.learningRate = learningRate;
  EXPECT_EQ(complaint(asked), "");
}

TEST_F(TrainingTest, TellsOfAFolderInUseBeforeItReadsPictures) {
  TrainingRequest asked = request("used", 1);
  asked.keepEvery = 1;
  asked.dataSet = folder_.file("no pictures");
  std::filesystem::create_directories(folder_.file("used.epochs"));
  writeBytes(folder_.file("used.epochs/epoch_3.safetensors"), "of another training");
  EXPECT_THAT(complaint(asked), HasSubstr("used.epochs: has files already"));
  std::filesystem::remove_all(folder_.file("used.epochs"));
  writeBytes(folder_.file("used.epochs"), "a file");
  EXPECT_THAT(complaint(asked), HasSubstr("used.epochs: is no folder"));
}

TEST_F(TrainingTest, WeightsTooLargeFor16BitsAreRefusedAndNothingIsLost) {
  train(request("start", 1));
  Checkpoint large = readCheckpoint(request("start").output);
  large.state.insert("head.bias", at::full({2}, 1e5));
  writeSafetensors(folder_.file("large.safetensors"), large.state, large.metadata);
  const auto from = [&](const std::string& name) {
    TrainingRequest asked = request(name, 1);
    asked.initial = folder_.file("large.safetensors");
    return asked;
  };
  TrainingRequest series = from("series");
  series.keepEvery = 1;
  EXPECT_THAT(complaint(series), HasSubstr("too large for 16 bits; leave out --keep-every"));

  train(from("whole"));
  TrainingRequest half = from("half");
  half.half = true;
  EXPECT_THAT(complaint(half), HasSubstr("head.bias holds values too large for 16 bits; go on with "
                                         "--resume and without --half"));
  EXPECT_FALSE(std::filesystem::exists(half.output));
  half.half = false;
  half.resume = true;
  int steps = 0;
  TrainingEvents events;
  events.noted = [](const std::string&) {};
  events.finishedEpoch = [](const EpochResult&) {};
  trainModel(half, events, Progress([&](double, const std::string& what) {
               steps += what.starts_with("epoch") ? 1 : 0;
             }));
  EXPECT_EQ(steps, 0) << "the epoch was trained already";
  expectSameWeights(from("whole").output, half.output);
}

TEST_F(TrainingTest, KeptEpochsTellOnlyAnAccuracyOfTheirOwnWeights) {
  for (const bool half : {false, true}) {
    TrainingRequest asked = request(half ? "half" : "whole", 1);
    asked.half = half;
    asked.keepEvery = 1;
    train(asked);
    const std::string kept = keptEpochs(asked.output) + "/epoch_1.safetensors";
    EXPECT_EQ(readCheckpoint(kept).metadata.count("accuracy"), half ? 1u : 0u);
    EXPECT_EQ(readCheckpoint(kept).metadata.at("epochs"), "1");
    EXPECT_EQ(readCheckpoint(asked.output).metadata.count("accuracy"), 1u);
  }
}

TEST_F(TrainingTest, GoingOnSaysThatItPassesOverItsStart) {
  TrainingRequest asked = request("parts");
  EXPECT_THROW(train(asked, 1), Cancelled);
  asked.resume = true;
  asked.initial = folder_.file("another.safetensors");
  train(asked);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_[0], HasSubstr("--init is passed over: the training goes on from "));
}

TEST_F(TrainingTest, AnEpochWhoseLogCannotBeWrittenIsNotLost) {
  train(request("whole", 1));
  TrainingRequest asked = request("logged", 1);
  std::filesystem::create_directories(folder_.file("logs"));
  asked.history = folder_.file("logs/log.csv");
  int steps = 0;
  const Progress removesFolder([&](double, const std::string& what) {
    if (what.starts_with("epoch") && ++steps == 1) std::filesystem::remove(folder_.file("logs"));
  });
  TrainingEvents events;
  events.noted = [](const std::string&) {};
  events.finishedEpoch = [](const EpochResult&) {};
  EXPECT_THROW(trainModel(asked, events, removesFolder), FileError);
  EXPECT_GT(steps, 0);
  std::filesystem::create_directories(folder_.file("logs"));
  asked.resume = true;
  steps = 0;
  trainModel(asked, events, Progress([&](double, const std::string& what) {
               steps += what.starts_with("epoch") ? 1 : 0;
             }));
  EXPECT_EQ(steps, 0) << "the epoch was trained already";
  expectSameWeights(request("whole").output, asked.output);
  EXPECT_TRUE(std::filesystem::exists(asked.history));
}

TEST_F(TrainingTest, GoingOnAfterTheLastEpochWritesItsFilesAgain) {
  for (const bool half : {false, true}) {
    TrainingRequest asked = request(half ? "half" : "whole", 1);
    asked.half = half;
    asked.keepEvery = 1;
    train(asked);
    const std::string kept = keptEpochs(asked.output) + "/epoch_1.safetensors";
    const std::vector<std::string> files{asked.output, asked.history, kept};
    std::vector<std::string> before;
    for (const std::string& file : files) {
      before.push_back(contentOf(file));
      std::filesystem::remove(file);
    }
    asked.resume = true;
    notes_.clear();
    train(asked);
    for (std::size_t i = 0; i < files.size(); ++i) EXPECT_TRUE(contentOf(files[i]) == before[i]);
    EXPECT_THAT(notes_, ElementsAre(HasSubstr("had ended already")));
  }
  EXPECT_EQ(results_.size(), 2u) << "no epoch is told twice";
}

TEST_F(TrainingTest, SaysThatPicturesAreNotFedAsTheyAreStored) {
  const std::string deep = std::string(SOFTSCOPE_TEST_DATA) + "/image/rgb16.png";
  std::filesystem::copy_file(deep, data() + "/train/cat/deep.png");
  std::filesystem::copy_file(deep, data() + "/val/dog/deep.png");
  train(request("noted", 1));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a picture is not fed as it is stored: " + data() +
                                            "/train/cat/deep.png: "),
                                  HasSubstr("/val/dog/deep.png: ")));
}

}  // namespace
}  // namespace softscope::test
