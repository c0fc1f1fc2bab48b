#pragma once

#include "core/analysis/classmap/ClassAnalysis.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/pages/AnalysisPage.h"
#include "widgets/workspace/LatestResult.h"

#include <memory>
#include <optional>

namespace softscope {

class CroppedPicture;
class HeadGrid;

/// The page of which patches speak for a class, or for which of two.
class ClassPage : public AnalysisPage {
  Q_OBJECT

 public:
  explicit ClassPage(Workspace& workspace, QWidget* parent = nullptr);

  std::optional<FollowedView> followedView() const override { return FollowedView{}; }
  bool asksOnClick() const override { return false; }
  void takePicture() override;
  void showNow() override;
  void releaseResults() override;
  bool hasFigure() const override { return showsContent() && shown_; }
  std::optional<PageFigure> figure() const override;
  HeadGrid& maps() { return *maps_; }
  ClassList& classes() { return classes_; }
  ClassList& others() { return others_; }

 private:
  /// Identifies a computation. An inspection belongs to one model, picture and size.
  struct Subject {
    AnalysedLayer layer;
    ClassMapSettings settings;

    bool operator==(const Subject&) const = default;
  };
  /// The maps, or the reason why there are none.
  struct Answer {
    std::optional<ModelClassMaps> maps;
    std::string obstacle;
  };

  const Answer* computed(const AnalysedLayer& layer, const ClassMapSettings& settings);
  void readValue(int panel, int row, int column);
  void retry() override { answers_.retry(); }

  SettingControls<ClassMapSettings> controls_;
  QCheckBox* atLayer_;
  ClassList classes_;
  ClassList others_;
  HeadGrid* maps_;
  std::shared_ptr<const CroppedPicture> seenPicture_;
  LatestResult<Subject, Answer> answers_;
  std::shared_ptr<const Answer> shown_;
};

}  // namespace softscope
