#include "core/Error.h"
#include "core/attention/Mechanism.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace softscope {
namespace {

bool isMeasured(std::string_view name) {
  return std::any_of(mechanisms().begin(), mechanisms().end(), [&](const Mechanism& mechanism) {
    return std::any_of(mechanism.operators.begin(), mechanism.operators.end(),
                       [&](const MeasuredOperator& measured) { return measured.name == name; });
  });
}

TEST(Mechanism, NamesTitlesAndOperatorsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> titles;
  std::set<std::string_view> operators;
  for (const Mechanism& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism.name);
    EXPECT_TRUE(names.insert(mechanism.name).second);
    EXPECT_TRUE(titles.insert(mechanism.title).second);
    if (!mechanism.alias.empty()) {
      EXPECT_TRUE(names.insert(mechanism.alias).second);
    }
    for (const MeasuredOperator& measured : mechanism.operators) {
      EXPECT_TRUE(operators.insert(measured.name).second) << measured.name;
    }
  }
}

TEST(Mechanism, WhatAMechanismRefersToIsThere) {
  for (const Mechanism& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism.name);
    if (!mechanism.variantOf.empty()) {
      EXPECT_EQ(mechanismNamed(mechanism.variantOf).name, mechanism.variantOf);
    }
    if (mechanism.bottleneck) {
      EXPECT_TRUE(mechanism.hasLandmarks);
    }
    if (mechanism.twins) {
      EXPECT_FALSE(mechanism.operators.empty());
      EXPECT_TRUE(isMeasured(mechanism.twins->quadratic));
      EXPECT_TRUE(isMeasured(mechanism.twins->softmax));
    }
  }
}

TEST(Mechanism, IsFoundByItsNameOrItsAlias) {
  EXPECT_EQ(mechanismNamed("soft++").title, "SOFT++");
  EXPECT_EQ(mechanismNamed("soft_norm").name, "soft++");
  EXPECT_EQ(findMechanism("magic"), nullptr);
  EXPECT_EQ(findMechanism(""), nullptr) << "most have no alias";
  EXPECT_THROW(mechanismNamed("magic"), InspectionError);
  EXPECT_TRUE(traitsOf("soft").bottleneck);
  EXPECT_FALSE(traitsOf("magic").bottleneck) << "a recording may call its attention so";
}

TEST(Mechanism, ThreeHaveABottleneckMatrix) {
  EXPECT_EQ(mechanismsWithBottleneck(), "SOFT, SOFT++ or Nyströmformer");
  EXPECT_TRUE(mechanismNamed("nystromformer").approximatesSoftmax());
  EXPECT_FALSE(mechanismNamed("soft").approximatesSoftmax());
  EXPECT_FALSE(mechanismNamed("softmax").approximatesSoftmax());
}

}  // namespace
}  // namespace softscope
