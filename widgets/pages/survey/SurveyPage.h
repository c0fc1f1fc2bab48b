#pragma once

#include "widgets/pages/AnalysisPage.h"
#include "widgets/pages/survey/SurveyPlace.h"
#include "widgets/pages/survey/SurveyRows.h"
#include "widgets/pages/survey/SurveyView.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>

class QPushButton;
class QSplitter;
class QTableView;

namespace softscope {

class PlotBoard;
class SurveyControls;
class SurveyGallery;

/// The page of measures over many pictures. It shows a `.survey` file and needs no model and no
/// picture; every point, row and thumbnail leads to its picture, model, layer and head.
class SurveyPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit SurveyPage(Workspace& workspace, QWidget* parent = nullptr);

  bool isReady() const override { return true; }
  void showNow() override;
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

  PlotBoard& board() { return *board_; }
  QTableView& table() { return *table_; }
  SurveyGallery& gallery() { return *gallery_; }

 Q_SIGNALS:
  /// The user wants to choose a file.
  void openWanted();
  /// The user wants to measure pictures.
  void newWanted();
  void placeWanted(const softscope::SurveyPlace& place);

 private:
  struct Sorting {
    std::shared_ptr<const SurveyView> view;
    int column = 0;
    Qt::SortOrder order = Qt::AscendingOrder;

    bool operator==(const Sorting&) const = default;
  };

  void addBar();
  void makeContent();
  void choose();
  void showControls(const SurveyView* view);
  /// Says how far a survey is that is being measured, and offers to stop it.
  void showRunning();
  void retry() override;
  SurveyRequest request() const;
  void showView(const std::shared_ptr<const SurveyView>& view);
  void sortRows();
  void tellPoint(int plot, int curve, int index);
  void choosePoint(int plot, int curve, int index);
  /// Returns the picture's point, or null if the plotted point stands for no picture.
  const SurveyPoint* pointAt(int plot, int curve, int index) const;
  void tell(const SurveyPoint& point);
  void follow(const SurveyPoint& point);
  void showBar(int plot, int bin);
  void showSelection();

  std::shared_ptr<SurveySource> source_;
  SurveyControls* controls_;
  QPushButton* open_;
  QSplitter* content_;
  PlotBoard* board_;
  QTableView* table_;
  SurveyRows* rows_;
  SurveyGallery* gallery_;
  LatestResult<SurveyRequest, SurveyView> looks_;
  LatestResult<Sorting, SurveyRows::Order> orders_;
  std::shared_ptr<const SurveyView> shown_;
  /// The survey that is being measured, if one is.
  std::optional<Jobs::Job> running_;
  int sortColumn_ = -1;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace softscope
