#pragma once

#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QSpinBox;

namespace softscope {

class CroppedPicture;
class HeadGrid;
class PlotBoard;
class ScrolledContent;

/// The page of one head's landmarks in the current model's chosen layer. It shows where they are,
/// who attends to them, their kernel and its eigenvalues; or the exact kernel next to its
/// approximations from the landmarks.
class BottleneckPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit BottleneckPage(Workspace& workspace, QWidget* parent = nullptr);

  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  std::optional<FollowedView> followedView() const override;
  bool asksOnClick() const override { return false; }
  bool hasFigure() const override;
  std::optional<PageFigure> figure() const override;

 private:
  /// The head of a layer to be computed; other settings take no time.
  struct Subject {
    AnalysedLayer layer;
    int head = 0;
    /// The landmarks of the approximation; used only for approximations.
    LandmarkSource landmarks = LandmarkSource::Trained;

    bool operator==(const Subject&) const = default;
  };

  void connectPanels();
  void change(const std::function<void(BottleneckSettings&)>& change);
  void chooseLandmarkAt(const QPointF& place);
  void stepLandmark(int rows, int columns);
  void readOutValue(int panel, int row, int column);

  void showChoices(const AnalysedLayer& layer);
  void showLandmarkChoice(const AnalysedLayer& layer);
  void showLandmarks(const Subject& subject);
  void showApproximation(const Subject& subject);
  void showPanels(std::vector<HeadPanel> panels, const QString& about);
  /// Gives the panels the height that they need at this width, and the plot the rest.
  void shareHeight(int width);
  int chosenHead(const AnalysedLayer& layer) const;
  /// True if the current model runs with the landmarks that it was trained with.
  bool runsAsTrained() const;
  Subject approximated(const AnalysedLayer& layer) const;
  /// Returns the chosen landmark; empty if the layer has no landmark of that number, since it was
  /// chosen in another layer.
  std::optional<int> chosenLandmarkIn(const HeadBottleneck& bottleneck) const;
  std::optional<PageFigure> landmarksFigure(const Subject& subject) const;
  std::optional<PageFigure> approximationsFigure(const Subject& subject) const;
  MarkedQuery markedQuery() const;
  AnalysisCommand command(const Subject& subject) const;
  void retry() override;

  QComboBox* view_;
  QComboBox* head_;
  QComboBox* landmarks_;
  QSpinBox* landmark_;
  QWidget* body_;
  HeadGrid* panels_;
  PlotBoard* board_;
  ScrolledContent* scroll_;
  LatestResult<Subject, HeadBottleneck> bottleneck_;
  LatestResult<Subject, HeadApproximation> approximation_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
};

}  // namespace softscope
