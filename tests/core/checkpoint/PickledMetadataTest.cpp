#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/PickleValue.h"
#include "core/checkpoint/PickledMetadata.h"
#include "core/files/WorkBudget.h"
#include "tests/core/checkpoint/PickledValues.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace softscope {
namespace {

using Kind = PickleValue::Kind;

using Values = test::PickledValues;

std::map<std::string, std::string> metadataOf(const PickleValue& root) {
  WorkBudget work(0);
  return collectMetadata(root, "", work);
}

TEST(PickledMetadata, CollectsPlainValuesBesideTheWeights) {
  const Checkpoint checkpoint = readCheckpoint(fixture("wrapped.pth"));
  const std::map<std::string, std::string> expected = {
      {"args.amp", "true"}, {"args.epochs", "300"},      {"args.layers", "1,2"},
      {"args.lr", "0.001"}, {"args.model", "soft_tiny"}, {"best", "79.25"},
      {"epoch", "299"}};
  EXPECT_EQ(checkpoint.metadata, expected);
  EXPECT_EQ(readCheckpoint(fixture("wrapped_legacy.pth")).metadata, expected);
}

TEST(PickledMetadata, KeepsListsOfNumbers) {
  Values values;
  PickleValue* list = values.make(Kind::List);
  for (const double number : {0.5, 0.25}) {
    PickleValue* item = values.make(Kind::Float);
    item->number = number;
    list->items.push_back(item);
  }
  list->items.push_back(values.number(1));
  PickleValue& root = *values.make(Kind::Dict);
  values.add(root, "mean", list);
  EXPECT_EQ(metadataOf(root).at("mean"), "0.5,0.25,1");
}

/// yacs's CfgNode is a dictionary that also has a state, and holds further ones.
TEST(PickledMetadata, CollectsValuesOfDictionariesWithinAConfiguration) {
  Values values;
  PickleValue& state = *values.make(Kind::Dict);
  values.add(state, "__immutable__", values.number(0));
  const auto node = [&] {
    PickleValue* made = values.make(Kind::Object);
    made->state = &state;
    return made;
  };
  PickleValue* options = node();
  values.add(*options, "ALPHA", values.number(3));
  PickleValue* model = node();
  values.add(*model, "TYPE", values.text("pola_pvt"));
  values.add(*model, "LA", options);
  PickleValue* config = node();
  values.add(*config, "TAG", values.text("default"));
  values.add(*config, "MODEL", model);
  PickleValue& root = *values.make(Kind::Dict);
  values.add(root, "config", config);
  values.add(root, "optimizer", model);
  const std::map<std::string, std::string> expected = {
      {"config.TAG", "default"}, {"config.MODEL.TYPE", "pola_pvt"}, {"config.MODEL.LA.ALPHA", "3"}};
  EXPECT_EQ(metadataOf(root), expected);
}

TEST(PickledMetadata, DictionariesThatHoldEachOtherEndSomewhere) {
  Values values;
  PickleValue& loop = *values.make(Kind::Dict);
  for (int i = 0; i < 300; ++i) {
    values.add(loop, "number" + std::to_string(i), values.number(i));
    values.add(loop, "again" + std::to_string(i), &loop);
  }
  PickleValue& root = *values.make(Kind::Dict);
  values.add(root, "args", &loop);
  values.add(root, "epoch", values.number(7));
  const auto metadata = metadataOf(root);
  EXPECT_LE(metadata.size(), 1000);
  EXPECT_EQ(metadata.at("epoch"), "7");
  EXPECT_EQ(metadata.at("args.number299"), "299");
}

TEST(PickledMetadata, KeepsNoLongKeysOrDeepDictionaries) {
  Values values;
  PickleValue* inner = values.make(Kind::Dict);
  values.add(*inner, "value", values.number(1));
  for (int depth = 0; depth < 20; ++depth) {
    PickleValue* outer = values.make(Kind::Dict);
    values.add(*outer, "deeper", inner);
    values.add(*outer, std::string(200, 'x'), inner);
    inner = outer;
  }
  PickleValue& root = *values.make(Kind::Dict);
  values.add(root, "args", inner);
  for (const auto& [key, value] : metadataOf(root)) EXPECT_LE(key.size(), 256) << key;
  EXPECT_FALSE(metadataOf(root).contains("args.deeper.deeper.deeper.deeper.deeper.value"));
}

}  // namespace
}  // namespace softscope
