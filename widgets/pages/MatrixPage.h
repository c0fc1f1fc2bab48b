#pragma once

#include "widgets/analysis/MatrixFigure.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <optional>

class QPushButton;

namespace softscope {

class MapChoice;
class MatrixBoard;

/// The page of whole attention matrices, as close as single entries.
class MatrixPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit MatrixPage(Workspace& workspace, QWidget* parent = nullptr);

  MatrixBoard& matrices() { return *matrices_; }
  void showNow() override;
  void letGo() override;
  void showWhole() override;
  bool hasFigure() const override { return showsContent() && detail_.latest(); }
  std::optional<PageFigure> figure() const override;

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  /// Whose matrices, as coarse as is quick, with their line scores.
  struct Overview {
    std::vector<AnalysedLayer> layers;
    int head = 0;
    bool allHeads = false;
    ShownMap map = ShownMap::Attention;

    bool operator==(const Overview&) const = default;
  };
  /// Which part of them, as fine as can be seen.
  struct Closer {
    Overview of;
    MatrixFraction part;
    int cells = 0;

    bool operator==(const Closer&) const = default;
  };
  using Matrices = std::vector<LayerMatrices>;

  void choose(MatrixSettings settings);
  void showControls(const std::vector<AnalysedLayer>& layers);
  /// The workspace's, its head one that some layer has.
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
  /// The layer that a panel is of.
  const LayerMatrices* layerAt(int index, HeadMatrix& head) const;

  QComboBox* head_;
  QCheckBox* allHeads_;
  MapChoice* map_;
  QPushButton* whole_;
  MatrixBoard* matrices_;
  LatestResult<Overview, Matrices> overview_;
  LatestResult<Closer, Matrices> detail_;
  /// The detail that was there last, while a newer one is on its way.
  std::optional<Overview> shownOf_;
  std::shared_ptr<const Matrices> shown_;
  /// Ranges of what is shown, which take a look at all of it.
  std::shared_ptr<const Matrices> rangedMatrices_;
  ViewSettings rangedView_;
  std::vector<std::vector<ValueRange>> ranges_;
};

}  // namespace softscope
