#include "models/Trainable.h"
#include "models/attention/MechanismImplementation.h"
#include "models/attention/NonLocalAttention.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace softscope {
namespace {

TEST(MechanismImplementation, HasTheOperatorsOfItsMechanism) {
  std::set<const Mechanism*> implemented;
  for (const MechanismImplementation& implementation : mechanismImplementations()) {
    SCOPED_TRACE(implementation.mechanism->name);
    EXPECT_TRUE(implemented.insert(implementation.mechanism).second);
    std::set<std::string_view> expected;
    for (const MeasuredOperator& measured : implementation.mechanism->operators) {
      expected.insert(measured.name);
    }
    std::set<std::string_view> names;
    for (const OperatorImplementation& measured : implementation.operators) {
      EXPECT_TRUE(names.insert(measured.name).second) << measured.name;
    }
    EXPECT_EQ(names, expected);
  }
}

TEST(MechanismImplementation, EveryMechanismOfModelsIsInTheTable) {
  for (const TrainableArchitecture& architecture : trainableArchitectures()) {
    if (architecture.mechanism == "none") continue;
    EXPECT_NE(findMechanism(architecture.mechanism), nullptr) << architecture.mechanism;
  }
  for (const std::string& name : nonLocalMechanisms()) {
    EXPECT_NE(findMechanism(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace softscope
