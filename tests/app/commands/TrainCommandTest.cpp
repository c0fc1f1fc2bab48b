#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

/// Little-endian, as BMP has them.
void writeNumber(std::ofstream& file, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(number >> (8 * i)));
}

/// A plain picture of one colour, as 24-bit BMP.
void writePicture(const fs::path& path, std::uint32_t width, std::uint32_t height, int red) {
  constexpr std::uint32_t header = 54;
  const std::uint32_t row = (3 * width + 3) / 4 * 4;
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << "BM";
  for (const std::uint32_t number : {header + row * height, 0U, header, 40U, width, height}) {
    writeNumber(file, number, 4);
  }
  writeNumber(file, 1, 2);
  writeNumber(file, 24, 2);
  for (int i = 0; i < 6; ++i) writeNumber(file, 0, 4);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const int level : {255 - red, 60, red}) file.put(static_cast<char>(level));
    }
    for (std::uint32_t pad = 3 * width; pad < row; ++pad) file.put(0);
  }
}

class TrainCommand : public ::testing::Test {
 protected:
  TrainCommand() {
    for (const char* split : {"train", "val"}) {
      for (int i = 0; i < 4; ++i) {
        const std::string name = std::to_string(i) + ".bmp";
        const auto other = static_cast<std::uint32_t>(40 + 9 * i);
        writePicture(data_ / split / "blue" / name, other, 48, 20);
        writePicture(data_ / split / "red" / name, 48, other, 230);
      }
    }
  }

  Outcome train(const std::string& options = {}) const {
    return test::softscope("train soft_nano " + data_.string() + " -o " + model() +
                           " --size 32 --epochs 1 --batch 4 --threads 1 " + options);
  }
  std::string model() const { return folder_ / "model.safetensors"; }

  static void expectComplaint(const Outcome& outcome, const std::string& why) {
    test::expectOneLine(outcome, 1, why);
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
};

TEST_F(TrainCommand, WritesAModelWhoseLinesCanBeScoredOverItsPictures) {
  ASSERT_EQ(train().exitCode, 0);
  const std::string table = folder_ / "lines.csv";
  const std::string command = "linescores -m " + model() + " " + data_.string() + " --threads 1 ";
  const Outcome all = test::softscope(command + "--data " + table);
  ASSERT_EQ(all.exitCode, 0) << all.errors;
  EXPECT_THAT(all.output, HasSubstr("layer                  head  line score  deviation  centred"));
  EXPECT_THAT(contentOf(table),
              HasSubstr("model,layer,head,pictures,line_score,deviation,line_score_centred,"
                        "line_score_centred_deviation,key_norm_correlation,"
                        "key_norm_correlation_deviation,query_direction_correlation,"
                        "query_direction_correlation_deviation\n"
                        "model,block1.0.att.mha.attn,0,"));
  const Outcome some = test::softscope(command + "--layer 'block2.*'");
  EXPECT_THAT(some.output, HasSubstr("block2.1.att.mha.attn"));
  EXPECT_THAT(some.output, ::testing::Not(HasSubstr("block1.0")));
  expectComplaint(test::softscope(command + "--layer stage9"),
                  "there is no layer stage9; this model has block1.0.att.mha.attn");
  expectComplaint(test::softscope(command + "--data /no/such/folder/lines.csv"),
                  "the folder /no/such/folder does not exist");
}

TEST_F(TrainCommand, WritesAModelThatCanBeEvaluatedAndInspected) {
  const Outcome trained = train("--log " + (folder_ / "log.csv"));
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  EXPECT_THAT(trained.output, HasSubstr("epoch 1 of 1: loss "));
  EXPECT_THAT(contentOf(folder_ / "log.csv"),
              HasSubstr("epoch,learning_rate,loss,validation_loss,accuracy,seconds\n1,"));
  EXPECT_THAT(contentOf(model()),
              HasSubstr("softscope train soft_nano data --output model.safetensors --size 32 "
                        "--epochs 1 --batch 4 --threads 1\""));
  const Outcome evaluated = test::softscope("evaluate -m " + model() + " " + data_.string());
  ASSERT_EQ(evaluated.exitCode, 0) << evaluated.errors;
  EXPECT_THAT(evaluated.output, HasSubstr("of 8)"));
  EXPECT_THAT(evaluated.output, HasSubstr("blue"));
  EXPECT_THAT(test::softscope("inspect " + model()).output, HasSubstr("classes     2"));
}

TEST_F(TrainCommand, SaysWhereAStepHasFewerPicturesThanABatch) {
  const Outcome few = test::softscope("train soft_nano " + data_.string() + " -o " + model() +
                                      " --size 32 --epochs 1 --threads 1 --batch 2000");
  ASSERT_EQ(few.exitCode, 0) << few.errors;
  EXPECT_THAT(few.errors, HasSubstr("every step takes all 8 pictures of train/, which are fewer "
                                    "than 2000 (--batch)"));
  EXPECT_THAT(contentOf(model()), HasSubstr("\"batch\":\"8\""));
}

TEST_F(TrainCommand, WritesTheSizesAndTheScheduleItTrainedWith) {
  const Outcome trained =
      train("--width 8,16,24,48 --heads 1,4,2,3 --schedule step --drops 0.5,0.75");
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  EXPECT_THAT(contentOf(model()), HasSubstr("--output model.safetensors --width 8,16,24,48 "
                                            "--heads 1,4,2,3 --size 32 --epochs 1 "));
  EXPECT_THAT(contentOf(model()), HasSubstr(" --schedule step --drops 0.5,0.75 "));
  EXPECT_THAT(test::softscope("inspect " + model()).output,
              HasSubstr("heads       1, 4, 2, 3, from the file's metadata\n"));
}

TEST_F(TrainCommand, WritesNetworksWithoutAttentionThatCanBeEvaluated) {
  const Outcome trained = test::softscope("train preresnet20 " + data_.string() + " -o " + model() +
                                          " --width 8,8,16 --epochs 1 --batch 4 --threads 1");
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  const Outcome evaluated = test::softscope("evaluate -m " + model() + " " + data_.string());
  EXPECT_EQ(evaluated.exitCode, 0) << evaluated.errors;
  EXPECT_THAT(evaluated.output, HasSubstr("of 8)"));
  const std::string inspected = test::softscope("inspect " + model()).output;
  EXPECT_THAT(inspected, HasSubstr("mechanism   none\n"));
  EXPECT_THAT(inspected, HasSubstr("it has no attention"));
  const std::string picture = (data_ / "val" / "red" / "0.bmp").string();
  for (const std::string& command : std::vector<std::string>{
           "dump -m " + model() + " " + picture + " -o " + (folder_ / "d"),
           "figure heads -m " + model() + " " + picture + " -o " + (folder_ / "h.svg"),
           "linescores -m " + model() + " " + data_.string()}) {
    expectComplaint(test::softscope(command),
                    "a network without attention, so there is nothing "
                    "to look at; softscope evaluate");
  }
}

TEST_F(TrainCommand, PooledLandmarksAreNamedAsWhatWasTrained) {
  const Outcome trained = test::softscope("train soft_pooled_nano " + data_.string() + " -o " +
                                          model() + " --size 32 --epochs 1 --batch 4 --threads 1");
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  EXPECT_THAT(test::softscope("inspect " + model()).output,
              HasSubstr("mechanism   soft, pooled landmarks\n"));
  EXPECT_THAT(test::softscope("inspect --json " + model()).output,
              HasSubstr("\"landmarks\": {\n    \"source\": \"pooled\""));
  const std::string figure = folder_ / "heads.svg";
  const Outcome drawn = test::softscope("figure heads -m " + model() + " " +
                                        (data_ / "val" / "red" / "0.bmp").string() +
                                        " --layer block1.0.att.mha.attn --size 32 -o " + figure);
  ASSERT_EQ(drawn.exitCode, 0) << drawn.errors;
  EXPECT_THAT(contentOf(figure), HasSubstr("SOFT (pooled landmarks)"));
}

TEST_F(TrainCommand, KeepsASeriesFromBeforeTheTrainingToItsEnd) {
  const std::string command = "train soft_norm_pooled_nano " + data_.string() + " -o " + model() +
                              " --width 8,8,8,8 --heads 1,1,1,1 --size 32 --batch 4 --threads 1 "
                              "--epochs 10 --keep-every 4";
  const Outcome trained = test::softscope(command);
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  const fs::path series = folder_ / "model.epochs";
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(series)) {
    kept.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(kept,
              ::testing::UnorderedElementsAre("epoch_00.safetensors", "epoch_04.safetensors",
                                              "epoch_08.safetensors", "epoch_10.safetensors"));
  EXPECT_LT(fs::file_size(series / "epoch_10.safetensors"), fs::file_size(model()));
  const auto logits = [&](const std::string& path) {
    const std::string file = folder_ / "dump";
    const Outcome dumped =
        test::softscope("dump -m " + path + " " + (data_ / "val" / "red" / "0.bmp").string() +
                        " -o " + file + " --rows 0");
    EXPECT_EQ(dumped.exitCode, 0) << dumped.errors;
    std::string bytes = contentOf(file + "/logits.npy");
    fs::remove_all(file);
    return bytes;
  };
  EXPECT_NE(logits((series / "epoch_00.safetensors").string()),
            logits((series / "epoch_04.safetensors").string()));
  EXPECT_THAT(test::softscope("inspect " + (series / "epoch_00.safetensors").string()).output,
              HasSubstr("mechanism   soft++, pooled landmarks\n"));
  fs::remove(model() + ".state");
  expectComplaint(test::softscope(command), "model.epochs: has files already");
}

TEST_F(TrainCommand, RefusesSizesThatDoNotFit) {
  expectComplaint(train("--width 8,16,24"), "--width takes 4 numbers for this architecture");
  expectComplaint(train("--heads 1,2,3,5"),
                  "the 128 channels of stage 3 do not divide among 3 heads");
  EXPECT_EQ(train("--heads 1,two").exitCode, 2);
  EXPECT_EQ(train("--width 0,1,1,1").exitCode, 2);
}

TEST_F(TrainCommand, SaysWhatIsWrongWithADataSet) {
  expectComplaint(test::softscope("train soft_nano /nowhere -o " + model()), "does not exist");
  expectComplaint(
      test::softscope("train soft_nano " + data_.string() + " -o /nowhere/m.safetensors"),
      "/nowhere");
  fs::rename(data_ / "val" / "red", data_ / "val" / "crimson");
  expectComplaint(train(), "the class red in train/ and not in val/");
  fs::remove_all(data_ / "val" / "crimson");
  expectComplaint(train(), "only the class blue");
  fs::remove_all(data_ / "val");
  expectComplaint(train(), "has no folder val/");
  EXPECT_FALSE(fs::exists(model()));
  EXPECT_EQ(test::softscope("train soft_giant " + data_.string() + " -o " + model()).exitCode, 1);
}

TEST_F(TrainCommand, RefusesOptionsThatMeanNothingTogether) {
  const auto refusal = [this](const std::string& architecture, const std::string& options) {
    const Outcome outcome = test::softscope("train " + architecture + " " + data_.string() +
                                            " -o " + model() + " " + options);
    EXPECT_EQ(outcome.exitCode, 2) << options;
    return outcome.errors;
  };
  EXPECT_THAT(refusal("preresnet20_nl", "--mixing 0.3"),
              HasSubstr("--mixing needs a --mixup or --cutmix above 0"));
  EXPECT_THAT(refusal("preresnet20_nl", "--smallest-crop 0.3"), HasSubstr("give --padding 0, too"));
  EXPECT_THAT(refusal("soft_nano", "--epochs 3 --warmup 3"),
              HasSubstr("--warmup must be shorter than --epochs"));
  EXPECT_THAT(refusal("preresnet20_nl", "--drops 0.5"), HasSubstr("--drops is of --schedule step"));
  EXPECT_THAT(refusal("preresnet20_nl", "--schedule step --drops 0.75,0.5"),
              HasSubstr("in their order"));
  EXPECT_THAT(refusal("preresnet20_nl", "--schedule step --last-learning-rate 0.01"),
              HasSubstr("--last-learning-rate is the cosine's"));
  EXPECT_THAT(refusal("preresnet20_nl", "--schedule staircase"), HasSubstr("--schedule"));
  EXPECT_THAT(refusal("soft_nano", "--ema-from-start"),
              HasSubstr("--ema-from-start requires --init"));
  EXPECT_THAT(refusal("soft_nano", "--ema-from-start --ema 0 --init start.safetensors"),
              HasSubstr("--ema-from-start needs an --ema above 0"));
}

TEST_F(TrainCommand, EvaluatesByOrderWhereNamesDifferAndSaysSo) {
  ASSERT_EQ(train().exitCode, 0);
  const std::string command = "evaluate -m " + model() + " " + data_.string();
  EXPECT_EQ(test::softscope(command).errors, "");
  fs::rename(data_ / "val" / "blue", data_ / "val" / "azul");
  fs::rename(data_ / "val" / "red", data_ / "val" / "rojo");
  const Outcome outcome = test::softscope(command);
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("in alphabetical order: azul is its blue"));
}

TEST_F(TrainCommand, EvaluationRefusesWhatTheModelDoesNotTake) {
  ASSERT_EQ(train().exitCode, 0);
  const std::string command = "evaluate -m " + model() + " " + data_.string();
  expectComplaint(test::softscope(command + " --size 8"), "too small");
  std::ofstream(data_ / "val" / "red" / "notes.txt") << "no picture";
  const Outcome counted = test::softscope(command);
  EXPECT_EQ(counted.exitCode, 0);
  EXPECT_THAT(counted.output, HasSubstr("of 8)"));
  EXPECT_THAT(counted.errors, HasSubstr("passed over 1 file that"));
}

TEST_F(TrainCommand, CountsWhatItCannotReadAndGoesOn) {
  std::ofstream(data_ / "train" / "red" / "notes.txt") << "no picture";
  const Outcome trained = train();
  EXPECT_EQ(trained.exitCode, 0);
  EXPECT_THAT(trained.errors, HasSubstr("passed over 1 of 9 files in train/"));
  EXPECT_THAT(trained.errors, HasSubstr("notes.txt"));
  EXPECT_TRUE(fs::exists(model()));
}

TEST_F(TrainCommand, AFullDiskLosesNoEarlierCheckpoint) {
  ASSERT_EQ(train().exitCode, 0);
  const std::string before = contentOf(model());
  fs::remove(model() + ".state");
  // No file may grow beyond 64 KiB: the disk is full while the model is written.
  const Outcome full = test::softscope("train soft_nano " + data_.string() + " -o " + model() +
                                           " --size 32 --epochs 2 --batch 4 --threads 1",
                                       {}, "ulimit -f 128; trap '' XFSZ; ");
  EXPECT_EQ(full.exitCode, 1);
  EXPECT_THAT(full.errors, HasSubstr("model.safetensors: cannot be written"));
  EXPECT_TRUE(contentOf(model()) == before);
}

TEST_F(TrainCommand, LinesAreScoredOfALayerByItsShortName) {
  ASSERT_EQ(train().exitCode, 0);
  const Outcome scored = test::softscope("linescores -m " + model() + " " + data_.string() +
                                         " --threads 1 --layer block2.1");
  ASSERT_EQ(scored.exitCode, 0) << scored.errors;
  EXPECT_THAT(scored.output, HasSubstr("block2.1.att.mha.attn"));
  EXPECT_THAT(scored.output, ::testing::Not(HasSubstr("block2.0")));
}

TEST_F(TrainCommand, ALearningRateBelowTheRecipesLastDoesNotRise) {
  const std::string log = folder_ / "log.csv";
  const Outcome trained = train("--learning-rate 2e-6 --log " + log);
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  const std::string rows = contentOf(log);
  const std::string ofFirst = rows.substr(rows.find("\n1,") + 3);
  EXPECT_DOUBLE_EQ(std::stod(ofFirst.substr(0, ofFirst.find(','))), 2e-6) << rows;
}

TEST_F(TrainCommand, RefusesRatesThatRiseAndMixingThatNeverHappens) {
  const auto refusal = [this](const std::string& options) {
    const Outcome outcome =
        test::softscope("train soft_nano " + data_.string() + " -o " + model() + " " + options);
    EXPECT_EQ(outcome.exitCode, 2) << options;
    return outcome.errors;
  };
  EXPECT_THAT(refusal("--learning-rate 0.0005 --last-learning-rate 0.001"),
              HasSubstr("--last-learning-rate must be at most --learning-rate, 5e-04, "));
  const std::string unmixed = "need a --mixing above 0";
  EXPECT_THAT(refusal("--mixing 0 --mixup 0.4"), HasSubstr(unmixed));
  EXPECT_THAT(refusal("--mixing 0 --cutmix 1"), HasSubstr(unmixed));
}

TEST_F(TrainCommand, AFlagCanBeTurnedOff) {
  const Outcome trained = train("--half=false --bfloat16=false");
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  EXPECT_THAT(contentOf(model()), HasSubstr("--threads 1\""));
  // If it were on, it would be refused before the checkpoint, which is none, is opened.
  const Outcome tuned = train("--ema 0 --ema-from-start=false --init " + data_.string());
  EXPECT_EQ(tuned.exitCode, 1) << tuned.errors;
}

TEST_F(TrainCommand, ASeedIsAWholeNumberThatFits) {
  const Outcome trained = train("--seed 08");
  EXPECT_EQ(trained.exitCode, 0) << trained.errors;
  for (const std::string seed : {"-1", "18446744073709551616", "0x10", "1.5"}) {
    test::expectOneLine(
        train("--seed " + seed), 2,
        "--seed: takes a whole number from 0 to 18446744073709551615, not \"" + seed + "\"");
  }
}

TEST_F(TrainCommand, NamesAllThatItWrites) {
  const std::string log = folder_ / "log.csv";
  const Outcome trained = train("--keep-every 1 --log " + log);
  ASSERT_EQ(trained.exitCode, 0) << trained.errors;
  EXPECT_THAT(trained.output,
              HasSubstr(model() + ": trained\n" + log + "\n" + (folder_ / "model.epochs") + "\n"));
}

TEST_F(TrainCommand, RefusesNamesThatAFileCannotHoldBeforeItReadsPictures) {
  for (const char* split : {"train", "val"}) {
    fs::create_directories(data_ / split / "\xff");
    std::ofstream(data_ / split / "\xff" / "0.bmp") << "not read";
  }
  expectComplaint(train(), "not UTF-8");
  EXPECT_FALSE(fs::exists(model()));
}

TEST_F(TrainCommand, TheStoredCommandIsQuoted) {
  const std::string output = folder_ / "my model.safetensors";
  const Outcome outcome = test::softscope("train soft_nano " + data_.string() + " -o '" + output +
                                          "' --size 32 --epochs 1 --batch 4 --threads 1");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(contentOf(output), HasSubstr("--output 'my model.safetensors'"));
}

TEST_F(TrainCommand, SaysBeforeTheFirstEpochWhatItPassesOver) {
  std::ofstream(data_ / "train" / "red" / "notes.txt") << "no picture";
  const std::string log = test::logOf("train soft_nano " + data_.string() + " -o " + model() +
                                      " --size 32 --epochs 1 --batch 4 --threads 1");
  const std::size_t epoch = log.find("epoch 1 of 1");
  ASSERT_NE(epoch, std::string::npos) << log;
  EXPECT_LT(log.find("passed over 1 of 9 files in train/"), epoch) << log;
}

TEST_F(TrainCommand, NamesWhatIsNotUtf8) {
  const std::string odd = folder_ / "s\xfft";
  fs::rename(data_, odd);
  expectComplaint(test::softscope("train soft_nano '" + odd + "' -o " + model()),
                  "'s?t' is not UTF-8");
}

TEST_F(TrainCommand, RefusesWhatIsNotANumber) {
  for (const std::string option :
       {"--mixup", "--cutmix", "--mixing", "--ema", "--label-smoothing", "--drop-path", "--jitter",
        "--smallest-crop", "--drops", "--learning-rate"}) {
    const Outcome outcome = test::softscope("train soft_nano " + data_.string() + " -o " + model() +
                                            " " + option + " nan");
    EXPECT_EQ(outcome.exitCode, 2) << option;
    EXPECT_THAT(outcome.errors, HasSubstr(option));
  }
  const Outcome evaluated =
      test::softscope("evaluate -m " + model() + " " + data_.string() + " --crop nan");
  EXPECT_EQ(evaluated.exitCode, 2);
}

}  // namespace
}  // namespace softscope
