#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/ModelRun.h"

#include <memory>
#include <optional>

class QComboBox;

namespace softscope {

class HeadGrid;
class PlotBoard;
class ScrolledContent;

/// The page that shows how faithful maps are: how the probability of a class changes while patches
/// are removed, or inserted, in the order of a map, with pictures of intermediate steps.
class DeletionPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit DeletionPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return showsContent() && shown_ && isWhole_; }
  std::optional<PageFigure> figure() const override;
  PlotBoard& board() { return *board_; }
  HeadGrid& pictures() { return *pictures_; }
  QComboBox& orders() { return *orders_; }

 private:
  /// Identifies a measurement.
  struct Subject {
    ModelRun run;
    std::string layer;
    DeletionSettings settings;

    bool operator==(const Subject&) const = default;
  };

  QWidget* makeContent();
  QWidget* makePictures();
  void makeClasses();
  /// Starts the measurement of the shown layer, unless it is running.
  void measure();
  std::optional<Subject> subject() const;
  /// Shows what is measured, whole or in part; `state` is the line for a part, empty for the whole.
  void showCurves(std::shared_ptr<const PictureDeletion> deletion, const QString& state);
  void showPictures();
  void chooseCurve(int curve);
  void readPicture(int panel);
  void computeAgain() override { measure(); }

  SettingControls<DeletionSettings> controls_;
  std::optional<ClassList> classes_;
  PlotBoard* board_ = nullptr;
  ScrolledContent* scroll_ = nullptr;
  QComboBox* orders_ = nullptr;
  HeadGrid* pictures_ = nullptr;
  /// The result that is drawn, under the model's present name.
  std::shared_ptr<const PictureDeletion> shown_;
  /// The kept result that is drawn, to draw each only once.
  std::weak_ptr<const PictureDeletion> drawn_;
  bool isWhole_ = false;
};

}  // namespace softscope
