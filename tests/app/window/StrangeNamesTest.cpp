#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "app/window/SurveyFiles.h"
#include "app/window/WorkspaceFiles.h"
#include "app/window/contents/WindowPages.h"
#include "core/array/NpyFormat.h"
#include "core/array/Npz.h"
#include "core/survey/SurveyWriter.h"
#include "models/NetworkEngine.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/core/survey/SmallSurvey.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QImage>
#include <QtGui/QTextDocument>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolTip>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sys/inotify.h>
#include <unistd.h>

namespace softscope {
namespace {

/// A picture that nobody has a reason to open, and whether somebody did.
class TrapPicture {
 public:
  TrapPicture() : watch_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    QImage(8, 8, QImage::Format_RGB32).save(path());
    inotify_add_watch(watch_, QFile::encodeName(path()).constData(), IN_OPEN);
  }
  ~TrapPicture() { close(watch_); }
  TrapPicture(const TrapPicture&) = delete;
  TrapPicture& operator=(const TrapPicture&) = delete;

  QString path() const { return folder_.filePath(QStringLiteral("trap.png")); }
  /// Since it was asked last.
  bool wasOpened() const {
    std::array<char, 4096> events{};
    return read(watch_, events.data(), events.size()) > 0;
  }
  /// HTML that shows it, with all else that names stumble over.
  QString name() const {
    return QStringLiteral("<img src=\"file://%1\">&<b>[*]%2$").arg(path(), QStringLiteral("%1"));
  }
  /// The same as a file's name, which may hold no slash.
  QString fileName() const {
    return name()
        .replace(QStringLiteral("file://"), QString())
        .replace(u'/', QStringLiteral("%2F"));
  }

 private:
  QTemporaryDir folder_;
  int watch_;
};

/// A model all of whose words are one name, but for its mechanism, which is one of ours.
std::shared_ptr<const Model> openNamed(const ModelRequest& request, const std::string& name) {
  ModelSummary summary = test::syntheticModel(request)->summary();
  summary.family = summary.variant = summary.reason = summary.recordedNote = name;
  summary.weights = summary.weightsKey = name;
  summary.settings = {
      {.option = name, .value = name, .source = name, .choices = {name, name}, .why = name}};
  summary.classNames = std::vector<std::string>(6, name);
  for (LayerSummary& layer : summary.layers) {
    layer.name += name;
    layer.mechanism = name;
  }
  summary.missing = summary.unexpected = summary.foreign = summary.wrongShape = {name};
  summary.metadata = {{name, name}};
  return std::make_shared<Model>(summary, nullptr);
}

std::shared_ptr<const Inspection> inspectNamed(const std::string& name) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  for (LayerInspection& layer : inspection->layers) layer.name += name;
  inspection->device = name;
  return inspection;
}

void addTip(std::set<QString>& tips, const QVariant& tip) {
  if (!tip.toString().isEmpty()) tips.insert(tip.toString());
}

void addTips(std::set<QString>& tips, const QAbstractItemModel& model,
             const QModelIndex& parent = {}) {
  for (int column = 0; column < model.columnCount(parent); ++column) {
    addTip(tips, model.headerData(column, Qt::Horizontal, Qt::ToolTipRole));
    for (int row = 0; row < std::min(50, model.rowCount(parent)); ++row) {
      const QModelIndex index = model.index(row, column, parent);
      addTip(tips, index.data(Qt::ToolTipRole));
      if (model.hasChildren(index)) addTips(tips, model, index);
    }
  }
}

/// Every tooltip that is there to be shown.
std::set<QString> allTips() {
  std::set<QString> tips;
  for (const QWidget* widget : QApplication::allWidgets()) {
    addTip(tips, widget->toolTip());
    for (const QAction* action : widget->actions()) addTip(tips, action->toolTip());
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
      for (int i = 0; i < tabs->count(); ++i) addTip(tips, tabs->tabToolTip(i));
    }
    const auto* view = qobject_cast<const QAbstractItemView*>(widget);
    if (view && view->model()) addTips(tips, *view->model());
  }
  return tips;
}

/// Where Qt would show HTML that has the name in it, or might.
void expectPlainLabels() {
  for (QWidget* widget : QApplication::allWidgets()) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    if (!label) continue;
    widget->ensurePolished();
    EXPECT_NE(label->textFormat(), Qt::AutoText) << label->text().toStdString();
    if (label->textFormat() == Qt::PlainText) continue;
    EXPECT_FALSE(label->text().contains(QStringLiteral("<img"))) << label->text().toStdString();
  }
}

void expectPlainTips(QWidget& window) {
  for (const QString& tip : allTips()) {
    QToolTip::showText(window.mapToGlobal(QPoint(5, 5)), tip, &window);
    QCoreApplication::processEvents();
    int shown = 0;
    for (const QWidget* widget : QApplication::topLevelWidgets()) {
      const auto* label = qobject_cast<const QLabel*>(widget);
      if (!label || !label->inherits("QTipLabel")) continue;
      ++shown;
      EXPECT_EQ(label->textFormat(), Qt::PlainText) << tip.toStdString();
    }
    EXPECT_GE(shown, 1) << tip.toStdString();
  }
  QToolTip::hideText();
}

class StrangeNamesTest : public test::WindowFixture {
 protected:
  void open(const Engine& engine, const QString& picture, const QString& model) {
    WindowOptions options;
    options.picturePath = picture.toStdString();
    if (!model.isEmpty()) {
      ModelRequest request;
      request.path = model.toStdString();
      options.models = {request, request};
    }
    start(engine, options, {1000, 700});
  }
  void openReal(const QString& picture, const QString& model) {
    open(networkEngine(), picture, model);
  }
  QAction& action(const char* name) { return *window_->findChild<QAction*>(QLatin1String(name)); }
  QString pathOf(const QString& name) const { return folder_.filePath(name); }
  QString strangePath(const char* ending) const {
    return pathOf(trap_.fileName() + QLatin1String(ending));
  }
  /// What stands in a modal dialog while it is open.
  void triggerModal(const char* name) {
    ASSERT_TRUE(action(name).isEnabled()) << name;
    bool opened = false;
    QTimer::singleShot(50, window_.get(), [&] {
      auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr) << name;
      opened = true;
      expectPlainLabels();
      dialog->reject();
    });
    action(name).trigger();
    EXPECT_TRUE(opened) << name;
  }
  /// All that the window has to show of what is open.
  void lookAtEverything() {
    for (QMenu* menu : window_->findChildren<QMenu*>()) Q_EMIT menu->aboutToShow();
    for (const WindowPage& page : windowPages()) {
      window_->workspace().setPage(page.name);
      settle();
      expectPlainLabels();
      expectPlainTips(*window_);
    }
    for (const char* name : {"newSurvey", "palette", "shortcuts", "about", "preferences"}) {
      action(name).trigger();
      QCoreApplication::processEvents();
    }
    expectPlainLabels();
    expectPlainTips(*window_);
    EXPECT_FALSE(trap_.wasOpened());
  }

  QTemporaryDir folder_;
  TrapPicture trap_;
};

TEST_F(StrangeNamesTest, TheTrapCloses) {
  EXPECT_FALSE(trap_.wasOpened());
  for (const QString& name : {trap_.name(), trap_.fileName()}) {
    ASSERT_TRUE(Qt::mightBeRichText(name));
    QTextDocument document;
    document.setHtml(name);
    static_cast<void>(document.size());
    EXPECT_TRUE(trap_.wasOpened()) << name.toStdString();
  }
}

TEST_F(StrangeNamesTest, QtsOwnMessagesShowThemLetterForLetter) {
  QMessageBox message(QMessageBox::Warning, QStringLiteral("Open"),
                      trap_.fileName() + QStringLiteral("\nFile not found."));
  message.setInformativeText(trap_.name());
  message.show();
  QCoreApplication::processEvents();
  expectPlainLabels();
  EXPECT_FALSE(trap_.wasOpened());
}

TEST_F(StrangeNamesTest, OfAModelAreShownLetterForLetter) {
  const std::string name = trap_.name().toStdString();
  const QString picture = strangePath(".png");
  ASSERT_TRUE(QFile::copy(QString::fromStdString(test::writeTestPicture(128, 64)), picture));
  open(test::syntheticEngine([name](const ModelRequest& request,
                                    const Progress&) { return openNamed(request, name); },
                             [name](const Model&, const InputTensor&, const Progress&,
                                    const InspectionOptions&) { return inspectNamed(name); }),
       picture, strangePath(".pth"));
  ASSERT_EQ(window_->workspace().models().all().size(), 2u)
      << window_->findChild<ErrorBanner*>()->message().toStdString();
  window_->workspace().models().rename(0, trap_.name());
  lookAtEverything();
  window_->workspace().setPage(QStringLiteral("heads"));
  settle();
  triggerModal("exportFigure");
  triggerModal("renameModel");
  EXPECT_FALSE(trap_.wasOpened());
}

TEST_F(StrangeNamesTest, OfAModelThatCannotBeOpenedAreShownLetterForLetter) {
  const std::string name = trap_.name().toStdString();
  open(test::syntheticEngine(
           [name](const ModelRequest& request, const Progress&) -> std::shared_ptr<const Model> {
             throw CheckpointError(request.path, name + " is not a checkpoint\n" + name);
           }),
       strangePath(".png"), strangePath(".pth"));
  EXPECT_TRUE(window_->findChild<ErrorBanner*>()->isVisible());
  lookAtEverything();
}

TEST_F(StrangeNamesTest, OfARecordingAreShownLetterForLetter) {
  const std::string name = trap_.name().toStdString();
  FloatArray attention{{1, 2, 17, 17}, std::vector<float>(2 * 17 * 17)};
  for (std::size_t i = 0; i < attention.values.size(); ++i) attention.values[i] = float(i % 13);
  const QString path = strangePath(".npz");
  writeNpzMembers(path.toStdString(), {{name + "/attn", encodeNpy(attention)},
                                       {name + "/mechanism", encodeNpyTexts({name}, false)},
                                       {"mechanism", encodeNpyTexts({name}, false)},
                                       {"variant", encodeNpyTexts({name}, false)},
                                       {"note", encodeNpyTexts({name}, false)},
                                       {"logits", encodeNpy({{2}, {1, 2}})},
                                       {"classes", encodeNpyTexts({name, name + "2"})}});
  openReal({}, path);
  ASSERT_NE(window_->workspace().models().shownLayer(), nullptr);
  lookAtEverything();
}

TEST_F(StrangeNamesTest, OfASurveyAreShownLetterForLetter) {
  const std::string name = trap_.name().toStdString();
  SurveyPlan plan = test::smallPlan();
  plan.folder = plan.command = plan.program = name;
  SurveyPlan::Model& model = plan.models.front();
  model.name = model.path = model.family = model.variant = model.mechanism = name;
  for (SurveyPlan::Layer& layer : model.layers) {
    layer.name += name;
    layer.mechanism = name;
  }
  plan.classes = {name, name + "2"};
  for (SurveyPlan::Measure& measure : plan.measures) {
    measure.title = measure.unit = measure.source = name;
  }
  const QString path = strangePath(".survey");
  {
    SurveyWriter writer(path.toStdString(), plan);
    for (int i = 1; i <= 3; ++i) writer.add(i, test::smallEntry(i), test::smallValues(i));
    writer.addUnreadable(4, test::smallEntry(4), name);
  }
  openReal(path, {});
  EXPECT_EQ(window_->workspace().page(), QStringLiteral("survey"));
  lookAtEverything();
}

TEST_F(StrangeNamesTest, LongOnesMakeNothingWider) {
  const auto widthsWith = [this](const std::string& name) {
    open(test::syntheticEngine([name](const ModelRequest& request,
                                      const Progress&) { return openNamed(request, name); },
                               [name](const Model&, const InputTensor&, const Progress&,
                                      const InspectionOptions&) { return inspectNamed(name); }),
         QString::fromStdString(test::writeTestPicture(128, 64)),
         pathOf(QString::fromStdString(name) + QStringLiteral(".pth")));
    std::map<QString, int> widths;
    for (const WindowPage& page : windowPages()) {
      window_->workspace().setPage(page.name);
      settle();
      widths[page.name] = window_->minimumSizeHint().width();
    }
    return widths;
  };
  const std::map<QString, int> usual = widthsWith("a_name_of_thirty_letters_twice");
  for (const auto& [page, width] : widthsWith(std::string(200, 'n'))) {
    EXPECT_LE(width, usual.at(page) + 100) << page.toStdString();
  }
}

TEST_F(StrangeNamesTest, OfWorkspacesAndFoldersAreShownLetterForLetter) {
  const QString folder = pathOf(trap_.fileName());
  ASSERT_TRUE(QDir().mkpath(folder));
  const QString picture = folder + QStringLiteral("/picture.png");
  ASSERT_TRUE(QFile::copy(QString::fromStdString(test::writeTestPicture(128, 64)), picture));
  open(test::syntheticEngine(), picture, folder + QStringLiteral("/soft.pth"));
  window_->workspaceFiles().saveAs(folder + u'/' + trap_.fileName() + ".softscope");
  // What is told of files that are gone.
  ASSERT_TRUE(QFile::remove(picture));
  window_->workspaceFiles().open(folder + u'/' + trap_.fileName() + ".softscope");
  settle();
  EXPECT_TRUE(window_->findChild<ErrorBanner*>()->isVisible());
  lookAtEverything();
}

TEST_F(StrangeNamesTest, StandWholeInTitlesMenusAndButtons) {
  const QString picture = pathOf(QStringLiteral("a&b [*].png"));
  ASSERT_TRUE(QFile::copy(QString::fromStdString(test::writeTestPicture(128, 64)), picture));
  open(test::syntheticEngine(), picture, {});
  EXPECT_TRUE(window_->windowTitle().contains(QStringLiteral("a&b [*][*].png")))
      << "one of the two stands for unsaved changes";
  bool offered = false;
  for (const QMenu* menu : window_->findChildren<QMenu*>()) {
    for (const QAction* entry : menu->actions()) {
      offered = offered || entry->text() == QStringLiteral("a&&b [*].png");
    }
  }
  EXPECT_TRUE(offered);
  auto* banner = window_->findChild<ErrorBanner*>();
  banner->showOffer(QStringLiteral("a&b"), {}, QStringLiteral("Open a&b"));
  const auto buttons = banner->findChildren<QPushButton*>();
  EXPECT_TRUE(std::any_of(buttons.begin(), buttons.end(), [](const QPushButton* button) {
    return button->text() == QStringLiteral("Open a&&b");
  }));
}

}  // namespace
}  // namespace softscope
