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

/// The page that says how faithful maps are: what becomes of a class while patches are removed in
/// their order and while they are put in, and the picture on the way.
class DeletionPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit DeletionPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void letGo() override;
  bool hasFigure() const override { return showsContent() && shown_; }
  std::optional<PageFigure> figure() const override;
  PlotBoard& board() { return *board_; }
  HeadGrid& pictures() { return *pictures_; }
  QComboBox& orders() { return *orders_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// An inspection is of one model on one picture at one size.
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
  /// What the list of classes is of.
  std::weak_ptr<const Model> listed_;
  LatestResult<Subject, PictureDeletion> deletions_;
  std::shared_ptr<const PictureDeletion> shown_;
};

}  // namespace softscope
