#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using ::testing::ElementsAre;

/// Which files a dump writes into its folder, and which of an earlier dump it removes.
class DumpFilesTest : public testing::Test {
 protected:
  /// Records layers of one head and four tokens: every entry of the k-th layer's matrix is k.
  std::string recording(const std::vector<std::string>& layers, const std::string& name) const {
    NamedArrays arrays;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      arrays.emplace_back(layers[k] + "/attn", FloatArray{{1, 4, 4}, std::vector(16, float(k))});
    }
    writeNpz(folder_ / name, arrays);
    return folder_ / name;
  }
  /// Records such layers under names that a .npz cannot hold.
  std::string namedRecording(const std::vector<std::string>& layers) const {
    nlohmann::json header = nlohmann::json::object();
    std::string bytes;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      const std::vector<float> values(16, float(k));
      const std::size_t begin = bytes.size();
      bytes.append(reinterpret_cast<const char*>(values.data()), 64);
      header[layers[k] + "/attn"] = {
          {"dtype", "F32"}, {"shape", {1, 4, 4}}, {"data_offsets", {begin, bytes.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    std::ofstream(folder_ / "named.safetensors", std::ios::binary)
        << std::string(reinterpret_cast<const char*>(&size), 8) << text << bytes;
    return folder_ / "named.safetensors";
  }
  Outcome dump(const std::string& model, const std::string& more = {}) const {
    return test::softscope("dump -m " + model + " -o " + dumped_ + " " + more);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dumped_)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  void write(const std::string& name) const { std::ofstream(dumped_ + "/" + name) << name; }

  test::TemporaryFolder folder_;
  const std::string dumped_ = folder_ / "dump";
};

TEST_F(DumpFilesTest, EveryLayerHasAFileOfItsOwn) {
  const std::vector<std::string> names{"a.b", "a_b", "logits", "features"};
  const Outcome outcome = dump(recording(names, "rec.npz"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto layers = nlohmann::json::parse(contentOf(dumped_ + "/layers.json"));
  ASSERT_EQ(layers.size(), names.size());
  for (const auto& layer : layers) {
    const auto name = layer.at("name").get<std::string>();
    const auto k = std::ranges::find(names, name) - names.begin();
    const FloatArray array = readNpy(dumped_ + "/" + layer.at("file").get<std::string>());
    EXPECT_EQ(array.values, std::vector(16, float(k))) << name;
  }
  EXPECT_THAT(files(),
              ElementsAre("a_b.npy", "a_b_2.npy", "features_2.npy", "layers.json", "logits_2.npy"));
  // It opens as the recording does.
  const auto maps = test::writtenArrays("figure heads -m " + dumped_ + " --layer a_b");
  ASSERT_FALSE(maps.empty());
}

TEST_F(DumpFilesTest, NoFileIsNamedByWhatALayersNameMayHold) {
  const std::vector<std::string> names{std::string("x\0a", 3), std::string("x\0b", 3),
                                       "\x1b[31mred\n", std::string(300, 'y') + "1",
                                       std::string(300, 'y') + "2"};
  const Outcome outcome = dump(namedRecording(names));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(files(),
              ElementsAre("_[31mred_.npy", "layers.json", "x_a.npy", "x_b.npy",
                          std::string(200, 'y') + ".npy", std::string(200, 'y') + "_2.npy"));
  const auto layers = nlohmann::json::parse(contentOf(dumped_ + "/layers.json"));
  ASSERT_EQ(layers.size(), names.size());
  for (const auto& layer : layers) {
    const auto k = std::ranges::find(names, layer.at("name").get<std::string>()) - names.begin();
    const FloatArray array = readNpy(dumped_ + "/" + layer.at("file").get<std::string>());
    EXPECT_EQ(array.values, std::vector(16, float(k)));
  }
  // It opens as the recording does, and so does what a figure shows of it.
  EXPECT_EQ(test::softscope("inspect " + dumped_).exitCode, 0);
  EXPECT_FALSE(test::writtenArrays("figure heads --layer all -m " + dumped_).empty());
}

TEST_F(DumpFilesTest, WhatIsNoListOfLayersIsNotReadAsOne) {
  const std::string list = dumped_ + "/layers.json";
  fs::create_directories(dumped_);
  const std::string model = recording({"a"}, "rec.npz");
  ASSERT_EQ(mkfifo(list.c_str(), 0600), 0);
  // The pipe is no file to replace.
  EXPECT_NE(test::softscope("dump -m " + model + " -o " + dumped_, {}, "timeout 20 ").exitCode,
            124);
  fs::remove(list);
  fs::create_symlink("/dev/zero", list);
  EXPECT_NE(test::softscope("dump -m " + model + " -o " + dumped_, {}, "timeout 20 ").exitCode,
            124);
  for (const std::string& name : files()) EXPECT_FALSE(name.starts_with('.')) << name;
}

TEST_F(DumpFilesTest, AnEarlierDumpLeavesNothingThatWouldBeReadAsThisOnes) {
  ASSERT_EQ(dump(recording({"a", "b"}, "first.npz")).exitCode, 0);
  for (const char* name : {"logits.npy", "features.npy", "a.A.npy", "b.q_l1.npy", "b.rows.npy",
                           "a.effective.npy", "a.channels.npy"}) {
    write(name);
  }
  // These are none of a dump's.
  for (const char* name : {"a.notes.npy", "c.npy", "c.A.npy", "a.txt"}) write(name);
  const Outcome outcome = dump(recording({"a"}, "second.npz"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(files(),
              ElementsAre("a.notes.npy", "a.npy", "a.txt", "c.A.npy", "c.npy", "layers.json"));
}

TEST_F(DumpFilesTest, OutputsThatAreNotFiniteAreNoted) {
  FloatArray input = readNpy(test::data("golden/deit/input.npy"));
  const std::string model = test::data("golden/deit/checkpoint.pth");
  writeNpy(folder_ / "input.npy", input);
  EXPECT_EQ(dump(model, folder_ / "input.npy").errors.find("not finite"), std::string::npos);
  std::ranges::fill(input.values, std::numeric_limits<float>::quiet_NaN());
  writeNpy(folder_ / "input.npy", input);
  const Outcome outcome = dump(model, folder_ / "input.npy");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("not finite"), std::string::npos) << outcome.errors;
}

TEST_F(DumpFilesTest, AFolderThatHoldsNoDumpKeepsItsFiles) {
  fs::create_directories(dumped_);
  for (const char* name : {"logits.npy", "a.A.npy"}) write(name);
  ASSERT_EQ(dump(recording({"a"}, "rec.npz")).exitCode, 0);
  EXPECT_THAT(files(), ElementsAre("a.A.npy", "a.npy", "layers.json", "logits.npy"));
}

TEST_F(DumpFilesTest, AnInputIsNotRemoved) {
  ASSERT_EQ(dump(recording({"a", "b"}, "first.npz")).exitCode, 0);
  const std::string model = test::data("golden/soft/checkpoint.pth");
  fs::copy_file(test::data("golden/soft/input.npy"), dumped_ + "/b.npy",
                fs::copy_options::overwrite_existing);
  expectOneLine(test::softscope("dump -m " + model + " " + dumped_ + "/b.npy -o " + dumped_ +
                                " --layers block4.0.attn --rows 0"),
                1, "is read here");
  EXPECT_TRUE(fs::exists(dumped_ + "/b.npy"));
  EXPECT_TRUE(fs::exists(dumped_ + "/a.npy"));
}

TEST_F(DumpFilesTest, AnEarlierDumpStaysWholeWhereTheNewOneIsNotMovedIntoPlace) {
  ASSERT_EQ(dump(recording({"a", "b"}, "first.npz")).exitCode, 0);
  const std::string layers = contentOf(dumped_ + "/layers.json");
  fs::create_directories(dumped_ + "/c.npy");
  expectOneLine(dump(recording({"c"}, "second.npz")), 1, "c.npy");
  EXPECT_EQ(contentOf(dumped_ + "/layers.json"), layers);
  EXPECT_THAT(files(), ElementsAre("a.npy", "b.npy", "c.npy", "layers.json"));
}

}  // namespace
}  // namespace softscope
