#pragma once

#include "widgets/pages/LibraryPage.h"
#include "widgets/pages/Page.h"
#include "widgets/pages/survey/SurveyPlace.h"

#include <QtCore/QHash>
#include <QtWidgets/QWidget>

#include <functional>
#include <optional>

class QActionGroup;
class QStackedWidget;
class QToolButton;

namespace softscope {

class EmptyState;
class ExplanationView;
class HeadsPage;
class ModelChips;
class PageTabs;
class Workspace;

/// Sources that pages need in addition to a workspace.
struct PageSources {
  /// Returns the trained models in the library; may be null.
  LibraryPage::Source library;
  /// Returns the paths of models that were opened lately; may be null.
  std::function<QStringList()> recentModels;
};

/// The window's pages behind their tabs. A page that has nothing to show is replaced by an
/// explanation.
class PageBook : public QWidget {
  Q_OBJECT

 public:
  /// `actions` has one action for each of windowPages(), with the page's name as its data.
  PageBook(Workspace& workspace, const PageSources& sources, QActionGroup& actions,
           QWidget* parent = nullptr);

  /// Returns the page in front; null while an explanation takes its place.
  Page* shownPage() const;
  /// Returns the content of the page in front for printing; empty if it cannot be printed.
  std::optional<PageFigure> figure() const;
  bool hasFigure() const;
  /// Returns the followedView() of the chosen page, also while an explanation takes its place.
  std::optional<FollowedView> followedView() const { return chosenPage().followedView(); }

  /// Turns to the page that the workspace names, or to an explanation if it has nothing to show.
  void showPage();
  /// Gives the keyboard to the page in front, or to the words in its place.
  void takeKeys();
  /// Shows or hides the explanation of the page above it.
  void setExplained(bool explained);
  bool isExplained() const;
  /// Call when the models have run on another picture, or the models have changed.
  void takePicture();
  /// Makes pages that are not in front release closed models and pictures.
  void releaseResults();

 Q_SIGNALS:
  void explainedChanged(bool explained);
  void readOut(const QString& text);
  void panelMenuWanted(const softscope::PanelUnderPointer& under);
  /// The context menu of the tab of the page in front was requested.
  void tabMenuWanted(const QPoint& globalPlace);
  /// The user asked to rename the model whose index is `model`.
  void renameWanted(int model);
  /// The user asked to name the classes of the model whose index is `model`.
  void classNamesWanted(int model);
  /// The followedView() of a page has changed, although nothing in the workspace has.
  void followedViewChanged();
  /// A page points at places of the picture.
  void pointedAt(const std::vector<softscope::PictureMark>& marks);
  /// The user asked to choose a file to open.
  void pictureWanted();
  void modelWanted();
  void besideWanted();
  void pairWanted();
  /// The user asked to open this model of the library.
  void libraryModelWanted(const QString& path);
  void libraryModelWantedBeside(const QString& path);
  /// The user asked to open a survey, to make a new one, or to look at a value of one.
  void surveyWanted();
  void newSurveyWanted();
  void surveyPlaceWanted(const softscope::SurveyPlace& place);

 private:
  void addTabs();
  void addPages(const PageSources& sources);
  void addPage(const QString& name, Page* page);
  void addComparePage();
  void addLibraryPage(const LibraryPage::Source& source);
  void addSurveyPage();
  void connectChoice();
  void connectChips();
  void bring(QWidget& front);
  /// Returns the page that was chosen.
  Page& chosenPage() const;

  Workspace& workspace_;
  QActionGroup& actions_;
  ModelChips* chips_;
  PageTabs* tabs_;
  QToolButton* help_;
  ExplanationView* explanation_;
  QStackedWidget* pages_;
  EmptyState* empty_;
  /// Name of the page that the explanation is about.
  QString explained_;
  HeadsPage* heads_;
  /// True if SOFT and SOFT++ can be opened from the box.
  bool hasPair_ = false;
  QHash<QString, Page*> pagesByName_;
};

}  // namespace softscope
