#include "tests/core/SyntheticAttention.h"
#include "widgets/paint/PanelText.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(LayerText, NamesLandmarksOnlyWhereALayerHasThem) {
  AttentionDescription attention = test::gridAttention(5, 4, 4);
  attention.mechanism = "soft";
  attention.landmarks = 9;
  const QString note = QStringLiteral("16 random landmarks, seed 3, not what was trained");
  EXPECT_TRUE(layerText(attention, note).startsWith(QStringLiteral("soft (") + note));
  attention.mechanism = "softmax";
  attention.landmarks.reset();
  EXPECT_TRUE(layerText(attention, note)
                  .startsWith(QStringLiteral("softmax (not what was trained) · 5 heads")));
  EXPECT_TRUE(layerText(attention, QStringLiteral("pooled landmarks"))
                  .startsWith(QStringLiteral("softmax · 5 heads")));
  attention.mechanism = "nystromformer";
  EXPECT_TRUE(layerText(attention, note).contains(note)) << "recordings may lack the count";
}

}  // namespace
}  // namespace softscope
