#include "app/window/ModelInquiry.h"
#include "app/window/settings/WindowSettings.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

class ModelInquiryTest : public testing::Test {
 protected:
  void open() {
    request_.path = test::writeTestPicture(8, 8, "uncertain.pth.png");
    workspace_.queue().open(request_);
    settle();
  }
  void settle() { test::settle(workspace_); }
  bool asks() const { return !question_.isHidden(); }

  Workspace workspace_{test::syntheticEngine()};
  MechanismQuestion question_;
  ModelInquiry inquiry_{question_, workspace_};
  ModelRequest request_;
};

TEST_F(ModelInquiryTest, NothingIsAskedAboutNothing) {
  EXPECT_FALSE(asks());
}

TEST_F(ModelInquiryTest, AnAnswerOpensTheModelAgainAndIsRemembered) {
  open();
  ASSERT_TRUE(asks());
  Q_EMIT question_.answered(QStringLiteral("soft++"), 0);
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "soft++");
  EXPECT_FALSE(asks());
  EXPECT_EQ(withRemembered(request_).attention, "soft++");
}

TEST_F(ModelInquiryTest, WhatTheUserWouldRatherNotSayIsNotAskedAgain) {
  open();
  Q_EMIT question_.dismissed();
  inquiry_.ask();
  EXPECT_FALSE(asks());
  workspace_.queue().close(0);
  open();
  EXPECT_FALSE(asks());
  EXPECT_FALSE(withRemembered(request_).attention);
}

TEST_F(ModelInquiryTest, AnAnswerKeepsAChangeThatIsStillBeingMade) {
  open();
  ASSERT_TRUE(asks());
  workspace_.queue().setSetting("epsilon", "1e-3");
  Q_EMIT question_.answered(QStringLiteral("soft++"), 0);
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "soft++");
  EXPECT_EQ(workspace_.models().current()->request.epsilon, "1e-3");
}

}  // namespace
}  // namespace softscope
