#pragma once

#include "widgets/analysis/MatrixFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <optional>

class QPushButton;

namespace softscope {

class MatrixBoard;

/// The page of whole attention matrices, which can be enlarged down to single entries.
class MatrixPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit MatrixPage(Workspace& workspace, QWidget* parent = nullptr);

  MatrixBoard& matrices() { return *matrices_; }
  void showNow() override;
  void releaseResults() override;
  void showWhole() override;
  std::optional<FollowedView> followedView() const override {
    return FollowedView{.onPicture = false, .smooth = false};
  }
  bool asksOnClick() const override { return false; }
  bool hasFigure() const override { return showsContent() && detail_.latest(); }
  std::optional<PageFigure> figure() const override;

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  /// The matrices shown in full: at a resolution that is quick to compute, with their line scores.
  struct Overview {
    std::vector<AnalysedLayer> layers;
    int head = 0;
    bool allHeads = false;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Overview&) const = default;
  };
  /// The enlarged part of the matrices, at the finest resolution that the screen can show.
  struct Detail {
    Overview of;
    MatrixFraction part;
    int cells = 0;

    bool operator==(const Detail&) const = default;
  };
  using Matrices = std::vector<LayerMatrices>;

  void choose(MatrixSettings settings);
  void showControls(const std::vector<AnalysedLayer>& layers);
  /// Returns the workspace's settings, with the head replaced by one that some layer has.
  MatrixSettings settingsFor(const std::vector<AnalysedLayer>& layers) const;
  void showMatrices(const Matrices& overview, const MatrixSettings& settings);
  std::vector<MatrixPanel> panelsOf(const Matrices& overview, const MatrixSettings& settings) const;
  const std::vector<std::vector<ValueRange>>& rangesOf(const Matrices& shown);
  void tell(int index, int row, int column);
  void ask(int index, int row, int column);
  void zoom(int index, double factor, const QPointF& about);
  void pan(const QPointF& by);
  void leave();
  void retry() override;
  /// Returns the layer of a panel, and its head in `head`; null if there is none.
  const LayerMatrices* layerAt(int index, HeadMatrix& head) const;

  QComboBox* head_;
  QCheckBox* allHeads_;
  QPushButton* whole_;
  MatrixBoard* matrices_;
  LatestResult<Overview, Matrices> overview_;
  LatestResult<Detail, Matrices> detail_;
  /// The detail that was last available, shown while a newer one is computed.
  std::optional<Overview> shownOf_;
  std::shared_ptr<const Matrices> shown_;
  /// The ranges of the shown matrices, kept because they depend on all of their values.
  std::shared_ptr<const Matrices> rangedMatrices_;
  ViewSettings rangedView_;
  std::vector<std::vector<ValueRange>> ranges_;
};

}  // namespace softscope
