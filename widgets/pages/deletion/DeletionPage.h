#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <cstddef>
#include <memory>
#include <optional>

class QComboBox;

namespace softscope {

class HeadGrid;
class PlotBoard;

/// The page that shows how faithful maps are: how the probability of a class changes while patches
/// are removed, or inserted, in the order of a map, with pictures of intermediate steps.
class DeletionPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit DeletionPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return showsContent() && shown_; }
  std::optional<PageFigure> figure() const override;
  PlotBoard& board() { return *board_; }
  HeadGrid& pictures() { return *pictures_; }
  QComboBox& orders() { return *orders_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Identifies a measurement. An inspection belongs to one model, picture and size.
  struct Subject {
    AnalysedLayer layer;
    DeletionSettings settings;

    bool operator==(const Subject&) const = default;
  };

  QWidget* makeContent();
  QWidget* makePictures();
  void makeClasses();
  void showClasses(const DeletionSettings& settings);
  const PictureDeletion* measured(const AnalysedLayer& layer, const DeletionSettings& settings);
  void showCurves();
  void showPictures();
  void chooseCurve(int curve);
  void readPicture(int panel);
  void retry() override { deletions_.retry(); }

  SettingControls<DeletionSettings> controls_;
  QComboBox* classes_ = nullptr;
  PlotBoard* board_ = nullptr;
  QComboBox* orders_ = nullptr;
  HeadGrid* pictures_ = nullptr;
  /// The model whose classes the list contains.
  std::weak_ptr<const Model> listed_;
  LatestResult<Subject, PictureDeletion> deletions_;
  std::shared_ptr<const PictureDeletion> shown_;
};

}  // namespace softscope
