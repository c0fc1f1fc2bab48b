#include "core/network/RecorderGroup.h"
#include "tests/core/files/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;

/// Notes the name of everything that it receives.
class NotingRecorder final : public Recorder, public TermObserver {
 public:
  explicit NotingRecorder(int head = 0) : head_(head) {}

  void record(AttentionRecord) override { received.emplace_back("record"); }
  void throwIfCancelled() const override { received.emplace_back("throwIfCancelled"); }
  bool wantsPrecision() const override { return head_ == 1; }
  void recordTokens(const TokenRecord&) override { received.emplace_back("recordTokens"); }
  void recordFeatures(const torch::Tensor&) override { received.emplace_back("recordFeatures"); }
  void recordSeen(const PictureRegion& part) override {
    received.push_back("recordSeen " + std::to_string(static_cast<int>(part.width)));
  }
  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {head_}; }
  torch::Tensor passOn(const std::string&, const torch::Tensor& attended) override {
    return attended + 1;
  }
  void recordTerms(TermRecord) override { received.emplace_back("recordTerms"); }
  void recordAddition(AdditionRecord) override { received.emplace_back("recordAddition"); }

  mutable std::vector<std::string> received;

 private:
  int head_;
};

TEST(RecorderGroup, GivesEachRecorderWhatItWouldReceiveAlone) {
  NotingRecorder first(0);
  NotingRecorder second(1);
  RecorderGroup group({&first, &second});
  group.recordSeen({-4, -4, 64, 64});
  group.throwIfCancelled();
  group.record({});
  group.recordTerms({});
  group.recordAddition({});
  group.recordTokens({});
  group.recordFeatures({});
  for (const NotingRecorder* of : {&first, &second}) {
    EXPECT_THAT(of->received,
                ElementsAre("recordSeen 64", "throwIfCancelled", "record", "recordTerms",
                            "recordAddition", "recordTokens", "recordFeatures"));
  }
  EXPECT_TRUE(group.wantsPrecision());
  EXPECT_NE(group.terms(), nullptr);
  EXPECT_THAT(group.silencedHeads("layer"), ElementsAre(0, 1));
  EXPECT_EQ(group.passOn("layer", torch::zeros({1})).item<float>(), 2);
}

std::string sourceOf(const std::string& path) {
  return test::contentOf(std::string(SOFTSCOPE_SOURCE) + "/" + path);
}

// A function that a group does not override is lost for every recorder in it, and nothing says so.
TEST(RecorderGroup, OverridesEveryFunctionOfRecordersAndObservers) {
  if (!std::filesystem::exists(SOFTSCOPE_SOURCE)) GTEST_SKIP() << "the sources are not here";
  const std::string interfaces = sourceOf("core/network/Recorder.h");
  const std::string group = sourceOf("core/network/RecorderGroup.h");
  const std::regex function(R"(virtual [\w:<>*&]+ (\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(interfaces.begin(), interfaces.end(), function), end; at != end;
       ++at) {
    names.insert((*at)[1]);
  }
  EXPECT_GE(names.size(), 11u);
  for (const std::string& name : names) {
    EXPECT_TRUE(std::regex_search(group, std::regex("\\b" + name + R"(\([^;]*override)"))) << name;
  }
}

}  // namespace
}  // namespace softscope
