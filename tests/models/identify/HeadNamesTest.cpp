#include "core/Error.h"
#include "core/array/Npy.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/identify/ParameterNames.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Naming = std::function<std::string(const std::string&)>;

/// The golden case's weights under other names, and more tensors.
StateDict renamed(const Golden& golden, const Naming& nameOf,
                  const std::vector<std::pair<std::string, torch::Tensor>>& more = {}) {
  StateDict state;
  const Checkpoint checkpoint = readCheckpoint(golden.path("checkpoint.pth"));
  for (const auto& entry : checkpoint.state.entries()) {
    state.insert(nameOf(entry.name), entry.tensor);
  }
  for (const auto& [name, tensor] : more) state.insert(name, tensor);
  return state;
}

Naming withHead(const std::string& head) {
  return [head](const std::string& name) {
    return name.starts_with("head.") ? head + name.substr(4) : name;
  };
}

class HeadNamesTest : public ::testing::TestWithParam<const char*> {
 protected:
  ModelRequest written(const StateDict& state) {
    const std::string path = folder_.file("model.safetensors");
    writeSafetensors(path, state, {});
    ModelRequest request;
    request.path = path;
    return request;
  }

  TemporaryFolder folder_;
};

TEST_P(HeadNamesTest, ALinearBehindADropoutIsTheClassifier) {
  const Golden golden(GetParam());
  for (const char* head : {"head.1", "head.0", "head.12"}) {
    SCOPED_TRACE(head);
    const auto model = openModel(written(renamed(golden, withHead(head))));
    EXPECT_THAT(model->summary().unexpected, IsEmpty());
    EXPECT_EQ(model->summary().classes, golden.model->summary().classes);
    const auto inspection = inspect(*model, golden.input());
    EXPECT_LT(difference(inspection->logits, readNpy(golden.path("logits.npy"))), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, HeadNamesTest,
                         ::testing::Values("deit", "soft", "xcit", "sima", "t2t_transformer"));

using OtherHeads = HeadNamesTest;

TEST_F(OtherHeads, AClassifierOfSeveralPartsIsNotDroppedAsHarmless) {
  for (const char* folder : {"deit", "xcit", "sima"}) {
    SCOPED_TRACE(folder);
    const Golden golden(folder);
    const int channels = golden.model->summary().channels;
    // A batch norm with a weight in front of the head; one without it is MAE's linear probe, which
    // opens.
    const ModelRequest probe = written(renamed(golden, withHead("head.1"),
                                               {{"head.0.weight", torch::ones({channels})},
                                                {"head.0.running_mean", torch::zeros({channels})},
                                                {"head.0.running_var", torch::ones({channels})}}));
    EXPECT_THAT(identifyModel(probe).foreign, Contains("head.1.weight"));
    EXPECT_THROW(openModel(probe), ModelError);
    const ModelRequest mlp = written(
        renamed(golden, withHead("head.3"), {{"head.0.weight", torch::zeros({8, channels})}}));
    EXPECT_THAT(identifyModel(mlp).foreign, Contains("head.3.weight"));
  }
}

TEST_F(OtherHeads, AProjectionOfSelfSupervisedTrainingIsHarmless) {
  const Golden golden("deit");
  const int channels = golden.model->summary().channels;
  const auto withoutHead = [](const std::string& name) {
    return name.starts_with("head.") ? "head.0" + name.substr(4) : name;
  };
  const ModelSummary moco =
      identifyModel(written(renamed(golden, withoutHead,
                                    {{"head.1.running_mean", torch::zeros({8})},
                                     {"head.3.weight", torch::zeros({8, channels})},
                                     {"head.4.running_mean", torch::zeros({8})}})));
  EXPECT_THAT(moco.foreign, IsEmpty());
  EXPECT_THAT(moco.unexpected, Contains("head.3.weight"));
}

TEST_F(OtherHeads, WhatStandsBesideTheNetworkIsNamed) {
  const Golden golden("deit");
  for (const char* wrapper : {"backbone.", "encoder.", "trunk.visual."}) {
    for (const char* head : {"fc", "classifier", "linear_head"}) {
      const std::string classifier = head;
      SCOPED_TRACE(wrapper + classifier);
      const auto nameOf = [&](const std::string& name) {
        return name.starts_with("head.") ? classifier + name.substr(4) : wrapper + name;
      };
      const ModelRequest request = written(renamed(golden, nameOf));
      const ModelSummary summary = identifyModel(request);
      EXPECT_EQ(summary.family, "deit");
      EXPECT_EQ(summary.classes, 0);
      EXPECT_THAT(summary.beside,
                  ::testing::UnorderedElementsAre(classifier + ".weight", classifier + ".bias"));
      EXPECT_THAT(summary.reason,
                  AllOf(HasSubstr("2 parameters"), HasSubstr(classifier + ".weight")));
    }
  }
}

TEST_F(OtherHeads, ACounterOfTrainingIsNothingToName) {
  const Golden golden("deit");
  const auto nameOf = [](const std::string& name) { return "module." + name; };
  const ModelRequest request =
      written(renamed(golden, nameOf, {{"n_averaged", torch::zeros({1})}}));
  EXPECT_THAT(identifyModel(request).beside, IsEmpty());
  EXPECT_THAT(identifyModel(request).unexpected, IsEmpty());
}

}  // namespace
}  // namespace softscope
