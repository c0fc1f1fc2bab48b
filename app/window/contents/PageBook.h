#pragma once

#include "core/analysis/CostRunner.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/pages/PageFigure.h"
#include "widgets/pages/survey/SurveyPlace.h"

#include <QtCore/QHash>
#include <QtWidgets/QWidget>

#include <optional>

class QActionGroup;
class QStackedWidget;
class QToolButton;

namespace softscope {

class EmptyState;
class ExplanationView;
class HeadsPage;
class PageTabs;
class Workspace;

/// What pages ask for beside a workspace.
struct PageSources {
  /// The trained models in the box; may be null.
  LibraryPage::Source library;
  /// Measures a point of the cost page; without it there is nothing to see there.
  CostRunner costRunner;
};

/// The window's pages behind their tabs, and words in place of one that has nothing to show.
class PageBook : public QWidget {
  Q_OBJECT

 public:
  /// `actions` has one for each of windowPages(), with the page's name as its data.
  PageBook(Workspace& workspace, const PageSources& sources, QActionGroup& actions,
           QWidget* parent = nullptr);

  /// The page in front; null while words stand in its place.
  Page* shownPage() const;
  /// What it shows, to be printed; nothing where that cannot be.
  std::optional<PageFigure> figure() const;
  bool hasFigure() const;

  /// Turns to the page that the workspace names, as far as it has something to show.
  void showPage();
  /// Says above the page what it shows, or no longer.
  void setExplained(bool explained);
  bool isExplained() const;
  /// The models have seen another picture, or are others.
  void takePicture();
  /// Pages that are not in front let go of what has been closed.
  void letGo();

 Q_SIGNALS:
  void explainedChanged(bool explained);
  void readOut(const QString& text);
  void panelMenuWanted(const softscope::PanelUnderPointer& under);
  /// Of the page whose tab that is, which is in front then.
  void tabMenuWanted(const QPoint& globalPlace);
  /// The model with that index is to get another name.
  void renameWanted(int model);
  /// A page points at places of the picture.
  void pointedAt(const std::vector<softscope::PictureMark>& marks);
  /// A file is to be asked for.
  void pictureWanted();
  void modelWanted();
  void besideWanted();
  /// This model of the library.
  void libraryModelWanted(const QString& path);
  void libraryModelWantedBeside(const QString& path);
  /// A survey is to be asked for; and a value of one is to be looked at.
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
  /// The page that was chosen.
  Page& chosenPage() const;

  Workspace& workspace_;
  QActionGroup& actions_;
  PageTabs* tabs_;
  QToolButton* help_;
  ExplanationView* explanation_;
  QStackedWidget* pages_;
  EmptyState* empty_;
  /// The page that the explanation is of.
  QString explained_;
  HeadsPage* heads_;
  QHash<QString, Page*> pagesByName_;
};

}  // namespace softscope
