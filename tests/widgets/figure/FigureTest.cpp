#include "core/Error.h"
#include "core/attention/GradientProductMap.h"
#include "core/query/QueryToken.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/Theme.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/figure/PanelLayout.h"
#include "widgets/views/HeadPanelView.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QSet>
#include <QtCore/QTemporaryDir>
#include <QtCore/QThread>
#include <QtCore/QXmlStreamReader>
#include <QtGui/QFontDatabase>
#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

namespace softscope {
namespace {

/// A figure, and how it is printed.
struct HeadsTestFigure : HeadsSubject {
  FigureSettings settings;

  PanelFigure panels() const {
    PanelFigure figure = headsFigure(*this);
    figure.settings = settings;
    return figure;
  }
};

QSizeF sizeOf(const HeadsTestFigure& figure) {
  return panelFigureSize(figure.panels());
}

FigurePainter painterOf(const HeadsTestFigure& figure) {
  return [panels = figure.panels()](QPainter& painter, const QRectF& place) {
    paintPanelFigure(painter, place, panels);
  };
}

HeadsTestFigure headsTestFigure() {
  HeadsTestFigure figure;
  figure.picture = std::make_shared<const Picture>(readPicture(test::writeTestPicture(96, 64)));
  figure.region = {16, 0, 64, 64};
  figure.modelName = "soft_tiny";
  figure.layers = {test::syntheticInspection()->layers[1]};
  figure.queries = markedQueries({{0.4, 0.3}, {0.6, 0.8}});
  figure.shown.mean = true;
  return figure;
}

QByteArray headsSvg(const HeadsTestFigure& figure, int dpi = 100) {
  return figureSvg(sizeOf(figure), dpi, painterOf(figure));
}

QImage figureImageOf(const HeadsTestFigure& figure, int dpi = 100) {
  return figureImage(sizeOf(figure), dpi, painterOf(figure));
}

class FigureFiles : public testing::Test {
 protected:
  std::string save(const char* name, int dpi = 150) {
    const std::string path = folder_.filePath(QLatin1String(name)).toStdString();
    const HeadsTestFigure figure = headsTestFigure();
    saveFigure(path, sizeOf(figure), dpi, painterOf(figure));
    return path;
  }
  static QByteArray bytesOf(const std::string& path) {
    EXPECT_TRUE(QFile::exists(QString::fromStdString(path))) << path;
    return QByteArray::fromStdString(test::contentOf(path));
  }

  QTemporaryDir folder_;
};

TEST_F(FigureFiles, PngHasTheSizeAskedFor) {
  const QSizeF millimetres = sizeOf(headsTestFigure());
  const QImage image(QString::fromStdString(save("figure.png", 200)));
  EXPECT_EQ(image.width(), std::ceil(millimetres.width() * 200 / 25.4));
  EXPECT_EQ(image.height(), std::ceil(millimetres.height() * 200 / 25.4));
  EXPECT_NEAR(image.dotsPerMeterX(), 200 / 0.0254, 1);
}

TEST_F(FigureFiles, SvgKeepsLettersAndLines) {
  const QByteArray svg = bytesOf(save("figure.svg"));
  EXPECT_TRUE(svg.contains("<text"));
  EXPECT_TRUE(svg.contains("head 2"));
  EXPECT_TRUE(svg.contains("soft_tiny"));
  EXPECT_TRUE(svg.contains("<polyline") || svg.contains("<path"));
}

TEST_F(FigureFiles, PdfIsAPdfWithLetters) {
  const QByteArray pdf = bytesOf(save("figure.pdf"));
  EXPECT_TRUE(pdf.startsWith("%PDF"));
  EXPECT_TRUE(pdf.contains("/FontDescriptor"));
  EXPECT_FALSE(pdf.contains("DCTDecode")) << "heat maps are not stored as JPEG";
}

TEST_F(FigureFiles, PdfHasATitleAndNoMomentItWasMadeAt) {
  const std::string path = folder_.filePath(QStringLiteral("titled.pdf")).toStdString();
  const HeadsTestFigure figure = headsTestFigure();
  saveFigure(path, sizeOf(figure), 150, painterOf(figure), QStringLiteral("heads"));
  const QByteArray pdf = bytesOf(path);
  const QByteArray title("\0h\0e\0a\0d\0s", 10);
  EXPECT_TRUE(pdf.contains(QByteArray("/Title (\xfe\xff", 10) + title)) << "in UTF-16";
  EXPECT_FALSE(pdf.contains("/CreationDate"));
  EXPECT_FALSE(pdf.contains("/ModDate"));
  EXPECT_TRUE(pdf.contains("/Creator ("));
}

TEST_F(FigureFiles, TheSameFigureGivesTheSameBytes) {
  for (const char* ending : {"png", "svg", "pdf"}) {
    const QByteArray first = bytesOf(save((std::string("first.") + ending).c_str()));
    // A PDF's date has a resolution of one second.
    if (std::string(ending) == "pdf") QThread::msleep(1100);
    const QByteArray second = bytesOf(save((std::string("second.") + ending).c_str()));
    EXPECT_EQ(first, second) << ending;
  }
}

TEST_F(FigureFiles, SeveralFiguresAreThePagesOfOnePdf) {
  const HeadsTestFigure figure = headsTestFigure();
  const QSizeF size = sizeOf(figure);
  const std::string path = folder_.filePath(QStringLiteral("pages.pdf")).toStdString();
  saveFigures(path, {{size, painterOf(figure)}, {2 * size, painterOf(figure)}}, 150,
              QStringLiteral("heads"));
  const QByteArray pdf = bytesOf(path);
  EXPECT_TRUE(pdf.contains("/Count 2"));
  EXPECT_FALSE(pdf.contains("DCTDecode"));
  EXPECT_FALSE(pdf.contains("/CreationDate"));
  QSet<QByteArray> boxes;
  for (qsizetype at = pdf.indexOf("/MediaBox"); at >= 0; at = pdf.indexOf("/MediaBox", at + 1)) {
    boxes.insert(pdf.mid(at, pdf.indexOf(']', at) - at));
  }
  EXPECT_EQ(boxes.size(), 2) << "each page has the size of its figure";
  saveFigures(path, {{size, painterOf(figure)}}, 150, QStringLiteral("Softscope figure"));
  EXPECT_EQ(bytesOf(path), bytesOf(save("one.pdf")));
  EXPECT_THROW(saveFigures(path, {}, 150, {}), Error);
  EXPECT_THROW(saveFigures(folder_.filePath(QStringLiteral("a.png")).toStdString(),
                           {{size, painterOf(figure)}}, 150, {}),
               FileError);
}

TEST_F(FigureFiles, RefusesOtherEndingsAndMissingFolders) {
  EXPECT_THROW(save("figure.jpeg"), FileError);
  EXPECT_THROW(save("no/such/folder/figure.png"), FileError);
  EXPECT_THROW(save("figure.png", 1000000), Error);
  EXPECT_TRUE(QDir(folder_.path()).isEmpty());
}

TEST(HeadsFigure, NumbersAreTheMapsRows) {
  const HeadsTestFigure figure = headsTestFigure();
  const NamedArrays arrays = answerArrays(answersOf(figure));
  ASSERT_EQ(arrays.size(), 2u * 4u);
  const PictureExtent seen(*figure.picture, figure.region);
  const Patch patch = patchAt({4, 4}, seen, figure.queries[0].query);
  EXPECT_EQ(arrays[1].first, "block2_0_attn.row_" + std::to_string(patch.row) + "_" +
                                 std::to_string(patch.column) + ".head_1");
  EXPECT_EQ(arrays[1].second.shape, (std::vector<std::int64_t>{4, 4}));
  for (int key = 0; key < 16; ++key) {
    EXPECT_FLOAT_EQ(arrays[1].second.values[std::size_t(key)],
                    test::syntheticValue(1, patch.row * 4 + patch.column, key));
  }
  EXPECT_EQ(arrays[3].first.substr(arrays[3].first.size() - 5), ".mean");
}

TEST(HeadsFigure, TheLargestFollowsTheMean) {
  HeadsTestFigure figure = headsTestFigure();
  figure.queries = markedQueries({{0.4, 0.3}});
  figure.shown.largest = true;
  NamedArrays arrays = answerArrays(answersOf(figure));
  ASSERT_EQ(arrays.size(), 5u);
  EXPECT_TRUE(arrays[3].first.ends_with(".mean"));
  EXPECT_TRUE(arrays[4].first.ends_with(".max"));
  EXPECT_EQ(arrays[4].second.values, arrays[2].second.values) << "head 2 is largest throughout";
  figure.shown = {.single = false, .largest = true};
  ASSERT_EQ(answerArrays(answersOf(figure)).size(), 1u);
  EXPECT_TRUE(answerArrays(answersOf(figure))[0].first.ends_with(".max"));
  EXPECT_TRUE(headsSvg(figure).contains(">largest<"));
}

TEST(HeadsFigure, ColumnsAndChosenHeads) {
  HeadsTestFigure figure = headsTestFigure();
  figure.direction = Direction::Columns;
  figure.shown.heads = {2};
  figure.shown.mean = false;
  figure.queries = markedQueries({{0.4, 0.3}});
  const NamedArrays arrays = answerArrays(answersOf(figure));
  ASSERT_EQ(arrays.size(), 1u);
  const int key = queryToken(figure.layers[0].attention->description(),
                             PictureExtent(*figure.picture, figure.region), figure.queries[0].query,
                             Direction::Columns);
  for (int i = 0; i < 16; ++i) {
    EXPECT_FLOAT_EQ(arrays[0].second.values[std::size_t(i)], test::syntheticValue(2, i, key));
  }
  figure.shown.heads = {7};
  EXPECT_THROW(sizeOf(figure), InspectionError);
}

TEST(FigureSettings, WidthIsTheFiguresWidth) {
  HeadsTestFigure figure = headsTestFigure();
  for (const double width : {FigureSettings::oneColumn, 129.0, 60.5}) {
    figure.settings.width = width;
    EXPECT_DOUBLE_EQ(sizeOf(figure).width(), width);
  }
}

TEST(FigureSettings, FewerColumnsMakeLargerPanelsBelowEachOther) {
  HeadsTestFigure figure = headsTestFigure();
  figure.settings.columns = 5;
  const double one = sizeOf(figure).height();
  figure.settings.columns = 2;
  EXPECT_GT(sizeOf(figure).height(), 2 * one);
  figure.settings.columns = 60;
  figure.settings.width = 84;
  EXPECT_THROW(sizeOf(figure), Error);
}

/// Pictures that belong together by threes stay so where there is room for but a part of them.
TEST(FigureSettings, BlocksMayHaveColumnsOfTheirOwn) {
  PanelFigure figure;
  figure.blocks.resize(2);
  figure.blocks[0].cells.resize(4);
  figure.blocks[1].cells.resize(9);
  figure.blocks[1].columns = 6;
  const auto columnsOf = [&figure] {
    const PanelLayout layout = layoutPanelFigure(figure);
    std::set<double> first;
    std::set<double> second;
    for (std::size_t i = 0; i < layout.cells.size(); ++i) {
      (i < 4 ? first : second).insert(layout.cells[i].parts.image.left());
    }
    return std::pair(first.size(), second.size());
  };
  figure.settings.width = 174;
  EXPECT_EQ(columnsOf(), std::pair(std::size_t{4}, std::size_t{6}));
  figure.settings.width = 100;
  EXPECT_EQ(columnsOf().second, 3u);
  figure.settings.columns = 2;
  EXPECT_EQ(columnsOf(), std::pair(std::size_t{2}, std::size_t{2}));
}

TEST(FigureSettings, TitlesLettersAndBarsComeAndGo) {
  HeadsTestFigure figure = headsTestFigure();
  EXPECT_TRUE(headsSvg(figure).contains("head 1"));
  EXPECT_FALSE(headsSvg(figure).contains("(a)"));
  figure.settings.letters = true;
  EXPECT_TRUE(headsSvg(figure).contains("(b)"));
  EXPECT_FALSE(headsSvg(figure).contains("(c)")) << "a letter for each of two blocks";
  figure.queries.pop_back();
  EXPECT_TRUE(headsSvg(figure).contains("(e)")) << "a letter for each panel of one block";

  const double withBars = sizeOf(figure).height();
  figure.settings.colorBars = false;
  EXPECT_LT(sizeOf(figure).height(), withBars);
  figure.settings.letters = false;
  figure.settings.titles = false;
  figure.queries = markedQueries({{0.4, 0.3}});
  EXPECT_FALSE(headsSvg(figure).contains("<text"));
}

TEST(FigureSettings, GroundIsWhiteDarkOrNone) {
  HeadsTestFigure figure = headsTestFigure();
  EXPECT_EQ(figureImageOf(figure).pixelColor(0, 0), QColor(Qt::white));
  EXPECT_FALSE(figureImageOf(figure).hasAlphaChannel());
  figure.settings.background = FigureSettings::Background::Dark;
  EXPECT_LT(figureImageOf(figure).pixelColor(0, 0).lightness(), 50);
  figure.settings.background = FigureSettings::Background::Transparent;
  EXPECT_EQ(figureImageOf(figure).pixelColor(0, 0).alpha(), 0);
}

TEST(FigureSettings, FontIsTheOneAskedFor) {
  HeadsTestFigure figure = headsTestFigure();
  figure.settings.font = "DejaVu Sans Mono";
  if (!QFontDatabase::hasFamily(QStringLiteral("DejaVu Sans Mono"))) GTEST_SKIP() << "not here";
  EXPECT_TRUE(headsSvg(figure).contains("DejaVu Sans Mono"));
  figure.settings.font = "No Such Font";
  EXPECT_THROW(sizeOf(figure), Error);
}

TEST(FigureSettings, LongCaptionsBreakInsteadOfBeingCut) {
  HeadsTestFigure figure = headsTestFigure();
  figure.mechanismNote = "not what was trained";
  figure.settings.width = 40;
  const QByteArray svg = headsSvg(figure);
  EXPECT_TRUE(svg.contains("not what was trained"));
  EXPECT_TRUE(svg.contains("attends to"));
}

TEST(FigureFile, AnSvgIsXmlWhateverTheNamesAre) {
  HeadsTestFigure figure = headsTestFigure();
  figure.layers[0].name = std::string("a\x1b[31m\a\x01<&\0b\xef\xbf\xbe", 15) + "c\xed\xa0\x80";
  QXmlStreamReader xml(headsSvg(figure));
  QString texts;
  while (!xml.atEnd()) {
    if (xml.readNext() == QXmlStreamReader::Characters) texts += xml.text();
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  EXPECT_TRUE(texts.contains(QChar(QChar::ReplacementCharacter)));
  EXPECT_TRUE(texts.contains(QStringLiteral("[31m")));
}

TEST(QueryMarks, SeveralQueriesAreToldApart) {
  const auto one = markedQueries({{0.1, 0.2}});
  EXPECT_EQ(one[0].color, QColor(Qt::white));
  EXPECT_TRUE(one[0].letter.isEmpty());
  const auto several = markedQueries({{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.5}});
  EXPECT_EQ(several[2].letter, QStringLiteral("C"));
  EXPECT_NE(several[0].color, several[1].color);
  EXPECT_EQ(queryLetter(25), QStringLiteral("Z"));
  EXPECT_EQ(queryLetter(26), QStringLiteral("AA"));
  EXPECT_EQ(queryLetter(52), QStringLiteral("BA"));
}

TEST(HeadsFigure, ScreenAndFigureUseOnePainter) {
  const HeadsTestFigure figure = headsTestFigure();
  HeadPanel panel;
  panel.values = attentionValues(*figure.layers[0].attention, 1, 5, Direction::Rows);
  panel.range = valueRanges({panel.values}, figure.view).front();
  panel.heat = heatmapStyle(figure.view, panel.range);
  panel.title = QStringLiteral("head 2");
  const auto picture =
      std::make_shared<const CroppedPicture>(pictureImage(figure.picture), figure.region);

  HeadPanelView view;
  view.resize(160, 220);
  view.setPanel(panel, picture);
  const QImage shown = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QRect place = view.imageRect().toRect();

  QImage drawn(place.size(), QImage::Format_RGB32);
  QPainter painter(&drawn);
  HeadPanelLayout parts;
  parts.image = QRectF(QPointF(0, 0), QSizeF(place.size()));
  parts.title = QRectF(0, -50, 10, 10);
  panel.title.clear();
  panel.colorBar = false;
  paintHeadPanel(painter, parts, panel, *picture, printStyle(FigureSettings()));
  painter.end();
  EXPECT_EQ(shown.copy(place), drawn);
}

TEST(AddMap, TakesTheClassFromTheFirstLayerThatHasAGradient) {
  HeadsSubject heads;
  heads.layers = {test::syntheticInspection()->layers[0], test::syntheticInspection()->layers[1]};
  LayerInspection& last = heads.layers.back();
  const AttentionDescription& of = last.attention->description();
  const MatrixStack ones(
      std::vector<Matrix>(static_cast<std::size_t>(of.heads), Matrix::Ones(of.queries, 2)));
  last.gradientProduct = std::make_shared<GradientProductMap>(
      last.attention, ones, ones, GradientProductMap::Logit{{.classIndex = 3}, "car"});
  heads.map = ShownMap::GradientProduct;
  CompareSubject compared;
  for (const LayerInspection& layer : heads.layers) {
    compared.rows.emplace_back();
    compared.rows.back().layer = layer;
  }
  compared.map = heads.map;
  for (const AnalysisCommand& command : {headsCommand(heads), compareCommand(compared)}) {
    const auto option = std::ranges::find(command.options, "--class");
    ASSERT_NE(option, command.options.end()) << command.kind;
    EXPECT_EQ(*(option + 1), "3") << command.kind;
  }
}

}  // namespace
}  // namespace softscope
