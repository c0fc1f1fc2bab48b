#include "tests/core/SyntheticAttention.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(LayerText, NamesLandmarksOnlyWhereALayerHasThem) {
  AttentionDescription attention = test::gridAttention(5, 4, 4);
  attention.mechanism = "soft";
  attention.landmarks = 9;
  const QString note = QStringLiteral("16 random landmarks, seed 3, not what was trained");
  EXPECT_TRUE(layerText(attention, note).startsWith(QStringLiteral("SOFT (") + note));
  attention.mechanism = "softmax";
  attention.landmarks.reset();
  EXPECT_TRUE(layerText(attention, note)
                  .startsWith(QStringLiteral("softmax (not what was trained) · 5 heads")));
  EXPECT_TRUE(layerText(attention, QStringLiteral("pooled landmarks"))
                  .startsWith(QStringLiteral("softmax · 5 heads")));
  attention.mechanism = "nystromformer";
  EXPECT_TRUE(layerText(attention, note).contains(note)) << "recordings may lack the count";
}

TEST(AsSentence, BeginsWithACapitalUnlessThatIsAName) {
  EXPECT_EQ(asSentence(QStringLiteral("attention matrix of head 0")),
            QStringLiteral("Attention matrix of head 0"));
  for (const char* text : {"block4.1 · 3 heads", "soft · 3 heads", "soft_2 is open", "SOFT is open",
                           "photos.survey · 6 pictures", "attn", "", "3 heads"}) {
    EXPECT_EQ(asSentence(QString::fromUtf8(text)), QString::fromUtf8(text));
  }
}

}  // namespace
}  // namespace softscope
