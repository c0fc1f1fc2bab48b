#include "app/window/MainWindow.h"
#include "app/window/contents/CommandPalette.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/OpenModels.h"

#include <QtCore/QPointer>
#include <QtTest/QTest>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenuBar>

#include <gtest/gtest.h>

namespace softscope {
namespace {

std::vector<PaletteEntry> entriesOf(const QStringList& texts) {
  std::vector<PaletteEntry> entries;
  for (const QString& text : texts) entries.push_back({text, {}, [] {}});
  return entries;
}

QStringList textsOf(const std::vector<PaletteEntry>& entries) {
  QStringList texts;
  for (const PaletteEntry& entry : entries) texts += entry.text;
  return texts;
}

TEST(CommandPalette, FindsEntriesByTheirWordsTheNearestFirst) {
  const auto entries = entriesOf(
      {"Reopen", "Export figure", "Copy figure as command", "Figure again", "Layer block3.0"});
  EXPECT_EQ(textsOf(matchingEntries(entries, {})).size(), 5);
  EXPECT_EQ(textsOf(matchingEntries(entries, "fig")),
            QStringList({"Figure again", "Export figure", "Copy figure as command"}));
  EXPECT_EQ(textsOf(matchingEntries(entries, "command copy")),
            QStringList({"Copy figure as command"}));
  EXPECT_EQ(textsOf(matchingEntries(entries, "open")), QStringList({"Reopen"}));
  EXPECT_TRUE(matchingEntries(entries, "nothing").empty());
}

TEST(CommandPalette, AnEntrysWholeNameStandsBeforeThoseThatBeginWithIt) {
  const auto entries = entriesOf({"Class names…", "Class", "Layer block3.0", "Layer block3"});
  EXPECT_EQ(textsOf(matchingEntries(entries, "class")), QStringList({"Class", "Class names…"}));
  EXPECT_EQ(textsOf(matchingEntries(entries, "layer  BLOCK3")),
            QStringList({"Layer block3", "Layer block3.0"}));
}

TEST(CommandPalette, FindsEntriesByOtherWordsAndInSpiteOfTypingErrors) {
  auto entries = entriesOf({"Spectrum", "Export figure", "Layer block3.0"});
  entries[0].otherWords = QStringLiteral("spectral eigenvalues singular");
  for (const char* typed : {"spectral", "eigen", "spectrm", "specturm", "eigenvaleus"}) {
    EXPECT_EQ(textsOf(matchingEntries(entries, QLatin1String(typed))), QStringList({"Spectrum"}))
        << typed;
  }
  EXPECT_EQ(textsOf(matchingEntries(entries, "exprt figur")), QStringList({"Export figure"}));
  EXPECT_TRUE(matchingEntries(entries, "lay blok9").empty());
  EXPECT_TRUE(matchingEntries(entries, "xyz").empty()) << "short words are no typing errors";
}

class PaletteTest : public test::WindowFixture {
 protected:
  PaletteTest() { start(test::syntheticEngine(), test::syntheticContent({"soft.pth"})); }
};

TEST_F(PaletteTest, KnowsTheWordsOfTheField) {
  const auto entries = paletteEntries(*window_->menuBar(), window_->workspace());
  const std::pair<const char*, const char*> asked[] = {{"spectral", "Spectrum"},
                                                       {"eigen", "Spectrum"},
                                                       {"columns", "Who attends to the patch"},
                                                       {"pdf", "Export figure"},
                                                       {"heat map", "Heads"},
                                                       {"spectrm", "Spectrum"},
                                                       {"csv", "Save the numbers"},
                                                       {"html", "Export interactive page"},
                                                       {"supplement", "Export pages"},
                                                       {"dataset", "New survey"},
                                                       {"session", "Save workspace"},
                                                       {"checkpoint", "Open model"}};
  for (const auto& [typed, wanted] : asked) {
    const QStringList found = textsOf(matchingEntries(entries, QLatin1String(typed)));
    EXPECT_TRUE(found.join(u'\n').contains(QLatin1String(wanted)))
        << typed << " finds " << found.join(u'\n').toStdString();
  }
}

TEST_F(PaletteTest, HasActionsLayersAndModelsAndDoesWhatIsChosen) {
  const auto entries = paletteEntries(*window_->menuBar(), window_->workspace());
  const QStringList texts = textsOf(entries);
  for (const char* text : {"Open picture", "Export figure", "Spectrum", "Full screen",
                           "Layer block2.0.attn", "Model soft"}) {
    EXPECT_TRUE(texts.contains(QLatin1String(text))) << text;
  }
  for (const PaletteEntry& entry : entries) {
    EXPECT_FALSE(entry.detail.contains(u'_')) << entry.detail.toStdString();
  }
  QPointer<CommandPalette> palette = new CommandPalette(entries, window_.get());
  palette->show();
  auto* words = palette->findChild<QLineEdit*>();
  QTest::keyClicks(words, QStringLiteral("layer block2.0"));
  QTest::keyClick(words, Qt::Key_Return);
  EXPECT_EQ(window_->workspace().models().current()->layer, "block2.0.attn");
  EXPECT_TRUE(QTest::qWaitFor([&] { return palette.isNull(); }, test::patience)) << "and is gone";
}

}  // namespace
}  // namespace softscope
