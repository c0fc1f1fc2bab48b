#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "app/window/SurveyFiles.h"
#include "core/survey/SurveyPlan.h"
#include "core/survey/TransformJson.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/core/survey/reading/WrittenSurvey.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/controls/FoldedText.h"
#include "widgets/pages/survey/SurveyGallery.h"
#include "widgets/pages/survey/SurveyPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtGui/QImage>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListView>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

namespace softscope {
namespace {

using test::SmallSurvey;

/// A small survey whose pictures and first model are there, with one picture far off the others.
class SurveyPageTest : public test::WindowFixture {
 protected:
  void SetUp() override {
    for (int i = 0; i < SmallSurvey::pictures; ++i) {
      const QString path = folder_.filePath(QString::fromStdString(SmallSurvey::picturePath(i)));
      QDir().mkpath(QFileInfo(path).path());
      QImage image(64, 64, QImage::Format_RGB888);
      image.fill(QColor::fromHsv(40 * i, 200, 200));
      image.save(path);
    }
    std::ofstream(modelPath()) << "a model";
    SmallSurvey::write(surveyPath(), folder_.path().toStdString(), modelPath());
    change("UPDATE model SET fingerprint = '" + modelFingerprint(modelPath()) +
           "' WHERE name = 'soft';"
           "UPDATE layer SET name = 'block1.0.attn' WHERE name = 'first';"
           "UPDATE layer SET name = 'block2.0.attn' WHERE name = 'second';"
           "UPDATE head_value SET distance = 500 WHERE picture = 3 AND head = 1;"
           "UPDATE head_value SET distance = 480 WHERE picture = 2 AND head = 4");
  }

  std::string surveyPath() const { return folder_.filePath("small.survey").toStdString(); }
  std::string modelPath() const { return folder_.filePath("soft.pth").toStdString(); }
  /// Returns the place of a picture in the survey whose pictures were prepared like this.
  SurveyPlace placeMeasuredAs(const InputTransform& measured) const {
    return {.picture = folder_.filePath("dog/3.png").toStdString(),
            .modelPath = modelPath(),
            .request = "{}",
            .transform = transformJson(measured)};
  }
  void change(const std::string& sql) {
    Database database(surveyPath(), Database::Mode::ReadWrite);
    database.execute(sql);
  }
  void openWindow(const std::string& file) {
    WindowOptions options;
    options.picturePath = file;
    window_ = std::make_unique<MainWindow>(test::syntheticEngine(), options);
    window_->resize(1200, 800);
    window_->show();
    page_ = window_->findChild<SurveyPage*>();
    QObject::connect(page_, &Page::readOut, page_, [this](const QString& text) { told_ = text; });
    settle();
  }
  void openSurvey() { openWindow(surveyPath()); }
  Workspace& workspace() { return window_->workspace(); }
  const SurveySettings& settings() {
    return workspace().analysis().settings().of<SurveySettings>();
  }

  template <typename Widget>
  Widget* named(const char* name) {
    for (Widget* widget : page_->findChildren<Widget*>()) {
      if (widget->accessibleName() == QLatin1String(name)) return widget;
    }
    return nullptr;
  }
  void choose(const char* control, const QString& entry) {
    auto* box = named<QComboBox>(control);
    ASSERT_NE(box, nullptr) << control;
    const int index = box->findText(entry);
    ASSERT_GE(index, 0) << entry.toStdString();
    // As a user does, by keys.
    box->setFocus();
    while (box->currentIndex() != index) {
      QTest::keyClick(box, box->currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
    }
    settle();
  }
  static QWidget* canvas(PlotView& view) {
    for (QWidget* widget : view.findChildren<QWidget*>()) {
      if (widget->inherits("QCustomPlot")) return widget;
    }
    return nullptr;
  }
  /// Moves over a plot until what is told of it begins like that, and clicks there.
  bool clickWhereToldOf(PlotView& view, const QString& beginning) {
    QWidget* const on = canvas(view);
    for (int y = 4; y < on->height(); y += 8) {
      for (int x = 4; x < on->width(); x += 8) {
        told_.clear();
        QTest::mouseMove(on, QPoint(x, y));
        if (!told_.startsWith(beginning)) continue;
        QTest::mouseClick(on, Qt::LeftButton, Qt::NoModifier, QPoint(x, y));
        settle();
        return true;
      }
    }
    return false;
  }
  QString words() {
    const auto* label = page_->findChild<QLabel*>(QStringLiteral("words"));
    return label->isVisible() ? label->accessibleName() : QString();
  }
  QString banner() { return window_->findChild<ErrorBanner*>()->message(); }

  QTemporaryDir folder_;
  QString told_;
  SurveyPage* page_ = nullptr;
};

TEST_F(SurveyPageTest, SaysWhatASurveyIsWhileNoneIsOpen) {
  openWindow({});
  workspace().setPage(QStringLiteral("survey"));
  settle();
  EXPECT_TRUE(words().contains(QStringLiteral("softscope survey -m MODEL FOLDER")));
  EXPECT_FALSE(named<QComboBox>("Measure")->isVisible());
  EXPECT_TRUE(named<QPushButton>("Open a survey")->isVisible());
  EXPECT_FALSE(page_->figure());
}

TEST_F(SurveyPageTest, OpensFromTheCommandLineOnTheFirstMeasureOfHeads) {
  openSurvey();
  EXPECT_EQ(workspace().page(), QStringLiteral("survey"));
  EXPECT_EQ(named<QComboBox>("Measure")->currentText(), QStringLiteral("Line score"));
  EXPECT_EQ(page_->board().plotCount(), 2);
  EXPECT_TRUE(named<QComboBox>("Layers of the survey")->isVisible());
  choose("Measure", QStringLiteral("Accuracy"));
  EXPECT_EQ(settings().measure, "accuracy");
  EXPECT_EQ(page_->board().plotCount(), 1);
  EXPECT_FALSE(named<QComboBox>("Layers of the survey")->isVisible()) << "it is of whole models";
}

TEST_F(SurveyPageTest, OpensWhatIsDropped) {
  openWindow({});
  QMimeData dropped;
  dropped.setUrls({QUrl::fromLocalFile(QString::fromStdString(surveyPath()))});
  EXPECT_TRUE(FileExchange::canOpen(dropped));
  window_->files().open(dropped);
  settle();
  EXPECT_EQ(workspace().page(), QStringLiteral("survey"));
  EXPECT_EQ(page_->board().plotCount(), 2);
}

TEST_F(SurveyPageTest, SaysInOneLineWhatIsNoSurvey) {
  std::ofstream(surveyPath()) << "nothing of the kind";
  openSurvey();
  EXPECT_TRUE(words().contains(QStringLiteral("is not a survey"))) << words().toStdString();
  SmallSurvey::write(surveyPath());
  window_->surveys().open(QString::fromStdString(surveyPath()));
  settle();
  EXPECT_EQ(words(), QString()) << "opened again, it is read anew";
  window_->surveys().open(QStringLiteral("/nowhere/at.survey"));
  settle();
  EXPECT_TRUE(words().contains(QStringLiteral("no such file")));
}

TEST_F(SurveyPageTest, AnOutliersClickLooksAtItsPictureAtItsHead) {
  openSurvey();
  workspace().queue().openBeside({.path = modelPath()});
  settle();
  choose("Measure", QStringLiteral("Attention distance"));
  const QString outlier = QStringLiteral("dog/3.png · soft · block1.0.attn · head 1: 500");
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(0), outlier));
  EXPECT_EQ(workspace().page(), QStringLiteral("heads"));
  ASSERT_NE(workspace().picture().get(), nullptr);
  EXPECT_EQ(workspace().picture().get()->path, folder_.filePath("dog/3.png").toStdString());
  ASSERT_NE(workspace().models().current(), nullptr);
  EXPECT_EQ(workspace().models().current()->request.path, modelPath());
  EXPECT_EQ(workspace().models().current()->layer, "block1.0.attn");
  EXPECT_EQ(workspace().view().onlyHead(), 1);
  EXPECT_EQ(banner(), QString());
}

TEST_F(SurveyPageTest, OffersAModelThatIsNotOpen) {
  openSurvey();
  choose("Measure", QStringLiteral("Attention distance"));
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(0), QStringLiteral("dog/3.png")));
  EXPECT_TRUE(banner().contains(QStringLiteral("soft is not open"))) << banner().toStdString();
  EXPECT_EQ(workspace().page(), QStringLiteral("survey"));
  QAbstractButton* open = nullptr;
  for (auto* button : window_->findChild<ErrorBanner*>()->findChildren<QAbstractButton*>()) {
    if (button->isVisible() && button->text() == QStringLiteral("Open soft")) open = button;
  }
  ASSERT_NE(open, nullptr);
  QTest::mouseClick(open, Qt::LeftButton);
  settle();
  ASSERT_NE(workspace().models().current(), nullptr);
  EXPECT_EQ(workspace().models().current()->request.path, modelPath());
  EXPECT_EQ(workspace().models().current()->layer, "block1.0.attn");
  EXPECT_EQ(workspace().picture().get()->path, folder_.filePath("dog/3.png").toStdString());
  EXPECT_EQ(workspace().view().onlyHead(), 1);
  EXPECT_EQ(workspace().page(), QStringLiteral("heads"));
}

TEST_F(SurveyPageTest, SaysWhatIsNoLongerThere) {
  openSurvey();
  choose("Measure", QStringLiteral("Attention distance"));
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(1), QStringLiteral("cat/2.png · sima")));
  EXPECT_TRUE(banner().contains(QStringLiteral("/nowhere/sima.pth is no longer there")));
  QFile::remove(folder_.filePath("dog/3.png"));
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(0), QStringLiteral("dog/3.png")));
  EXPECT_TRUE(banner().contains(QStringLiteral("dog/3.png is no longer there")));
  EXPECT_EQ(workspace().picture().get(), nullptr);
}

TEST_F(SurveyPageTest, ABarOfAHistogramIsAGallery) {
  openSurvey();
  choose("Measure", QStringLiteral("Attention distance"));
  choose("View", QStringLiteral("Histogram"));
  EXPECT_FALSE(page_->gallery().isVisible());
  QWidget* const on = canvas(page_->board().plot(0));
  // The rightmost bar has the outlier alone.
  for (int x = on->width() - 4; x > 0 && !page_->gallery().isVisible(); x -= 6) {
    QTest::mouseMove(on, QPoint(x, on->height() / 2));
    QTest::mouseClick(on, Qt::LeftButton, Qt::NoModifier, QPoint(x, on->height() / 2));
  }
  ASSERT_TRUE(page_->gallery().isVisible());
  EXPECT_TRUE(page_->gallery().title().startsWith(QStringLiteral("soft from ")));
  QListView& list = page_->gallery().list();
  ASSERT_EQ(list.model()->rowCount(), 1);
  const QModelIndex item = list.model()->index(0, 0);
  EXPECT_EQ(item.data(Qt::DisplayRole).toString(), QStringLiteral("500.0"));
  const auto decoded = [&] {
    const QPixmap small = item.data(Qt::DecorationRole).value<QPixmap>();
    return small.toImage().pixelColor(48, 48).hsvHue() == 120;
  };
  EXPECT_TRUE(QTest::qWaitFor(decoded, test::patience)) << "picture 3 is green";
  QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                    list.visualRect(item).center());
  EXPECT_TRUE(banner().contains(QStringLiteral("soft is not open")));
}

TEST_F(SurveyPageTest, SortsAndSelectsInATable) {
  openSurvey();
  choose("Measure", QStringLiteral("Attention distance"));
  choose("View", QStringLiteral("Table"));
  QTableView& table = page_->table();
  ASSERT_TRUE(table.isVisible());
  ASSERT_EQ(table.model()->rowCount(), 30);
  EXPECT_EQ(table.model()->index(0, 0).data().toString(), QStringLiteral("cat/0.png"));
  const QModelIndex layer = table.model()->index(0, SurveyRows::LayerColumn);
  EXPECT_EQ(layer.data().toString(), QStringLiteral("block1.0"));
  EXPECT_EQ(layer.data(Qt::ToolTipRole).toString(), QStringLiteral("block1.0.attn"));
  const auto clickHeader = [&](int column) {
    QHeaderView& header = *table.horizontalHeader();
    QTest::mouseClick(header.viewport(), Qt::LeftButton, Qt::NoModifier,
                      QPoint(header.sectionViewportPosition(column) + 12, header.height() / 2));
    settle();
  };
  const auto first = [&](int column) { return table.model()->index(0, column).data().toString(); };
  clickHeader(SurveyRows::ValueColumn);
  const QString once = first(SurveyRows::ValueColumn);
  clickHeader(SurveyRows::ValueColumn);
  const QString twice = first(SurveyRows::ValueColumn);
  EXPECT_EQ((QSet<QString>{once, twice}),
            (QSet<QString>{QStringLiteral("10.000"), QStringLiteral("500.00")}));
  EXPECT_EQ(table.model()->index(29, SurveyRows::ValueColumn).data().toString(), QString())
      << "what is not defined comes last, whichever way";
  if (twice != QStringLiteral("500.00")) clickHeader(SurveyRows::ValueColumn);
  EXPECT_EQ(first(SurveyRows::PictureColumn), QStringLiteral("dog/3.png"));
  EXPECT_EQ(first(SurveyRows::HeadColumn), QStringLiteral("1"));
  const QPoint row = table.visualRect(table.model()->index(0, 0)).center();
  QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier, row);
  ASSERT_TRUE(page_->gallery().isVisible());
  EXPECT_EQ(page_->gallery().list().model()->rowCount(), 1);
  EXPECT_FALSE(page_->figure());
  clickHeader(SurveyRows::ValueColumn);
  const QModelIndexList selected = table.selectionModel()->selectedRows(SurveyRows::ValueColumn);
  ASSERT_EQ(selected.size(), 1);
  EXPECT_EQ(selected.front().data().toString(), QStringLiteral("500.00"))
      << "what was selected, wherever it stands now";
}

TEST_F(SurveyPageTest, ShowsItsTableWhereTheViewBeforeCouldNotBeDrawn) {
  openSurvey();
  choose("View", QStringLiteral("Steps of a training"));
  ASSERT_FALSE(words().isEmpty());
  choose("View", QStringLiteral("Table"));
  EXPECT_TRUE(page_->table().isVisible()) << words().toStdString();
}

TEST_F(SurveyPageTest, CopiesTheCommandOfWhatItShows) {
  openSurvey();
  choose("Measure", QStringLiteral("Line score"));
  choose("View", QStringLiteral("Two measures"));
  choose("Against", QStringLiteral("Against Attention distance"));
  choose("Models of the survey", QStringLiteral("soft"));
  choose("Layers of the survey", QStringLiteral("block1.0.attn"));
  choose("Heads of the survey", QStringLiteral("Head 1"));
  QTest::mouseClick(named<QCheckBox>("Classes apart"), Qt::LeftButton, Qt::NoModifier,
                    QPoint(8, named<QCheckBox>("Classes apart")->height() / 2));
  settle();
  const auto figure = page_->figure();
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->command({}, {}, "out.png"),
            "softscope figure survey " + surveyPath() +
                " --measure line_score --against distance --by class -m soft --layer "
                "block1.0.attn --head 1 --view scatter -o out.png");
  EXPECT_EQ(figure->table().rows.size(), 5u);
}

TEST_F(SurveyPageTest, ItsCommandNamesNoUnitsNarrowerThanTheMeasure) {
  openSurvey();
  choose("Measure", QStringLiteral("Line score"));
  choose("Models of the survey", QStringLiteral("soft"));
  choose("Layers of the survey", QStringLiteral("block1.0.attn"));
  choose("Heads of the survey", QStringLiteral("Head 1"));
  const auto commandOf = [this](const char* measure) {
    choose("Measure", QString::fromLatin1(measure));
    const auto figure = page_->figure();
    return figure ? figure->command({}, {}, "out.png") : std::string();
  };
  const std::string ofModel = commandOf("Accuracy");
  EXPECT_NE(ofModel.find(" -m soft"), std::string::npos) << ofModel;
  EXPECT_EQ(ofModel.find("--layer"), std::string::npos) << ofModel;
  EXPECT_EQ(ofModel.find("--head"), std::string::npos) << ofModel;
  const std::string ofLayer = commandOf("Spread");
  EXPECT_NE(ofLayer.find("--layer block1.0.attn"), std::string::npos) << ofLayer;
  EXPECT_EQ(ofLayer.find("--head"), std::string::npos) << ofLayer;
  const std::string ofHead = commandOf("Line score");
  EXPECT_NE(ofHead.find("--head 1"), std::string::npos) << ofHead;
}

TEST_F(SurveyPageTest, IsKeptInWorkspaces) {
  openSurvey();
  choose("Measure", QStringLiteral("Attention distance"));
  const AnalysisSettings read = readAnalysis(analysisJson(workspace().analysis().settings()));
  EXPECT_EQ(read.of<SurveySettings>().file, surveyPath());
  EXPECT_EQ(read.of<SurveySettings>().measure, "distance");
}

TEST(SurveyedRequest, IsWhatTheSurveySays) {
  const ModelRequest request = surveyedRequest(
      {.modelPath = "a.pth",
       .request = R"({"attention":"soft++","arch":"soft","heads":3,"landmarks":"random",
                      "landmark-count":16,"landmark-seed":5,"activation":"relu","weights":"ema",
                      "device":"cuda","ignore-unexpected":true})"});
  EXPECT_EQ(request.path, "a.pth");
  EXPECT_EQ(request.attention, "soft++");
  EXPECT_EQ(request.architecture, "soft");
  EXPECT_EQ(request.heads, 3);
  EXPECT_EQ(request.landmarks.source, LandmarkSource::Random);
  EXPECT_EQ(request.landmarks.count, 16);
  EXPECT_EQ(request.landmarks.seed, 5);
  EXPECT_EQ(request.activation, "relu");
  EXPECT_EQ(request.weights, "ema");
  EXPECT_EQ(request.device, "cpu") << "where it is opened is the window's";
  EXPECT_TRUE(request.ignoresUnexpected);
  EXPECT_EQ(surveyedRequest({.modelPath = "b.pth", .request = "[}"}).path, "b.pth");
}

TEST_F(SurveyPageTest, APointIsShownAsItWasMeasured) {
  const PictureReading reading{ExifOrientation::Ignore, {SampleRange::Kind::Auto}, 1};
  const InputSize size{InputSize::Kind::Whole, 96, 128};
  InputTransform measured;
  measured.extent = InputTransform::Extent::Whole;
  measured.height = size.height;
  measured.width = size.width;
  {
    Database database(surveyPath(), Database::Mode::ReadWrite);
    Statement(database, "UPDATE model SET transform = ? WHERE id = 0")
        .bind(0, transformJson(measured, reading))
        .run();
  }
  openSurvey();
  // The picture is open already, but read in the usual way.
  workspace().picture().open(folder_.filePath("dog/3.png"));
  settle();
  choose("Measure", QStringLiteral("Attention distance"));
  const QString point = QStringLiteral("dog/3.png · soft · block1.0.attn · head 1: 500");
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(0), point));
  window_->surveys().openOffered();
  settle();
  OpenModels& models = workspace().models();
  ASSERT_EQ(models.all().size(), 1u);
  EXPECT_EQ(models.current()->inputSize, size);
  EXPECT_EQ(models.current()->layer, "block1.0.attn");
  EXPECT_EQ(workspace().picture().get()->source.reading, reading);

  workspace().queue().setInputSize({});
  workspace().picture().setReading({});
  settle();
  ASSERT_EQ(models.current()->inputSize, InputSize());
  workspace().setPage(QStringLiteral("survey"));
  settle();
  ASSERT_TRUE(clickWhereToldOf(page_->board().plot(0), point));
  ASSERT_EQ(models.all().size(), 1u) << "it is open, although at another size";
  EXPECT_EQ(models.current()->inputSize, size);
  EXPECT_TRUE(models.current()->inspection);
  EXPECT_EQ(workspace().picture().get()->source.reading, reading);
}

TEST_F(SurveyPageTest, TheModelsOwnSizeStaysIfItIsTheMeasuredOne) {
  InputTransform measured = test::syntheticModel({})->summary().transform;
  openWindow({});
  workspace().queue().openBeside({.path = modelPath()});
  settle();
  SurveyPlace place = placeMeasuredAs(measured);
  window_->surveys().show(place);
  settle();
  EXPECT_EQ(workspace().models().current()->inputSize, InputSize());
  measured.height = measured.width = 32;
  place.transform = transformJson(measured);
  window_->surveys().show(place);
  settle();
  EXPECT_EQ(workspace().models().current()->inputSize, (InputSize{InputSize::Kind::Whole, 32, 32}));
  place.transform = "{}";
  window_->surveys().show(place);
  settle();
  EXPECT_EQ(workspace().models().current()->inputSize, (InputSize{InputSize::Kind::Whole, 32, 32}))
      << "a file that does not say leaves it";
}

TEST_F(SurveyPageTest, AModelMeasuredAtItsOwnSizeIsOpenedAtThat) {
  InputTransform measured = test::syntheticModel({})->summary().transform;
  openWindow({});
  SurveyPlace place = placeMeasuredAs(measured);
  window_->surveys().show(place);
  window_->surveys().openOffered();
  settle();
  ASSERT_EQ(workspace().models().all().size(), 1u);
  EXPECT_EQ(workspace().models().current()->inputSize, InputSize());
  workspace().queue().close(0);
  measured.height = measured.width = 32;
  place.transform = transformJson(measured);
  window_->surveys().show(place);
  window_->surveys().openOffered();
  settle();
  ASSERT_EQ(workspace().models().all().size(), 1u);
  EXPECT_EQ(workspace().models().current()->inputSize, (InputSize{InputSize::Kind::Whole, 32, 32}));
}

TEST_F(SurveyPageTest, AModelWhoseClassNamesAreGoneIsOpenedOnce) {
  openWindow({});
  const SurveyPlace place{.picture = folder_.filePath("dog/3.png").toStdString(),
                          .modelPath = modelPath(),
                          .request = R"({"class-names":"/gone/names.txt"})",
                          .transform = "{}"};
  for (int i = 0; i < 2; ++i) {
    window_->surveys().show(place);
    window_->surveys().openOffered();
    settle();
  }
  EXPECT_EQ(workspace().models().all().size(), 1u);
}

TEST_F(SurveyPageTest, SaysThatAModelsFileIsNotTheMeasuredOne) {
  openWindow({});
  const SurveyPlace place{.picture = folder_.filePath("dog/3.png").toStdString(),
                          .modelPath = modelPath(),
                          .fingerprint = modelFingerprint(modelPath()),
                          .request = "{}",
                          .transform = "{}"};
  const auto open = [&] {
    window_->surveys().show(place);
    window_->surveys().openOffered();
    settle();
    EXPECT_EQ(workspace().models().all().size(), 1u);
  };
  const QString told = QStringLiteral("soft.pth is not the file that the survey measured");
  open();
  EXPECT_FALSE(banner().contains(told)) << banner().toStdString();
  workspace().queue().close(0);
  std::ofstream(modelPath()) << "b model";
  open();
  EXPECT_TRUE(banner().contains(told)) << banner().toStdString();
  window_->findChild<ErrorBanner*>()->dismiss();
  window_->surveys().show(place);
  settle();
  EXPECT_TRUE(banner().contains(told)) << "it is open by now";
}

TEST_F(SurveyPageTest, SaysThatTheMeasuredCropIsNotShown) {
  InputTransform measured = test::syntheticModel({})->summary().transform;
  measured.extent = InputTransform::Extent::CentreCrop;
  measured.height = measured.width = 32;
  openWindow({});
  workspace().queue().openBeside({.path = modelPath()});
  settle();
  SurveyPlace place = placeMeasuredAs(measured);
  window_->surveys().show(place);
  settle();
  EXPECT_EQ(banner(), QString());
  measured.cropFraction = 1;
  place.transform = transformJson(measured);
  window_->surveys().show(place);
  settle();
  EXPECT_TRUE(banner().contains(QStringLiteral("measured with a crop of 1, and ")))
      << banner().toStdString();
}

TEST_F(SurveyPageTest, SaysWhichPictureWasPassedOver) {
  openSurvey();
  bool isSaid = false;
  for (const FoldedText* text : page_->findChildren<FoldedText*>()) {
    isSaid =
        isSaid || text->text().contains(QStringLiteral(
                      "1 picture was passed over, as it cannot be read: dog/5.png: is cut short"));
  }
  EXPECT_TRUE(isSaid);
}

TEST_F(SurveyPageTest, TellsOfTheSurveyThatIsBeingMeasured) {
  openWindow({});
  workspace().setPage(QStringLiteral("survey"));
  Jobs& jobs = workspace().jobs();
  bool isStopped = false;
  const int id = jobs.addProcess(
      {QStringLiteral("survey"), QStringLiteral("Survey"), QStringLiteral("new.survey")},
      [&isStopped] { isStopped = true; });
  jobs.noteProcess(id, QStringLiteral("3 of 7 pictures"), 3.0 / 7);
  const auto says = [this](const QString& text) {
    for (const auto* label : page_->findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(text)) return true;
    }
    for (const auto* folded : page_->findChildren<FoldedText*>()) {
      if (folded->isVisible() && folded->text().contains(text)) return true;
    }
    return false;
  };
  EXPECT_TRUE(says(QStringLiteral("new.survey is being measured")));
  EXPECT_TRUE(says(QStringLiteral("3 of 7 pictures")));
  auto* stop = named<QPushButton>("Stop measuring");
  ASSERT_TRUE(stop && stop->isVisible());
  stop->click();
  EXPECT_TRUE(isStopped);
  window_->surveys().open(QString::fromStdString(surveyPath()));
  // The survey is not waited for.
  test::settle(workspace().worker());
  EXPECT_TRUE(says(QStringLiteral("new.survey is being measured: 3 of 7 pictures")))
      << "beside the one that is open";
  jobs.endProcess(id, Jobs::State::Done);
  settle();
  EXPECT_FALSE(says(QStringLiteral("is being measured")));
  EXPECT_FALSE(stop->isVisible());
}

}  // namespace
}  // namespace softscope
