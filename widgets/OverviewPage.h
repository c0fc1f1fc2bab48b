#pragma once

#include "core/inspect/Inspection.h"
#include "widgets/Page.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;

namespace softscope {

class LayerHeadView;

/// The page that shows how far, or how widely, every head of every layer of the current model looks
/// on this picture. It is computed on the worker when the page is first looked at.
class OverviewPage : public Page {
  Q_OBJECT

 public:
  enum class Measure { Distance, Entropy };

  explicit OverviewPage(Workspace& workspace, QWidget* parent = nullptr);

  void showNow() override;
  LayerHeadView& view() { return *view_; }

 Q_SIGNALS:
  /// A layer was chosen here, to be looked at head by head.
  void layerChosen();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  using Values = std::vector<std::vector<std::optional<double>>>;

  void compute();
  void take(const std::shared_ptr<const Inspection>& inspection, Measure measure, Values values);
  void choose(int layer);
  void readValue(int layer, int head);

  QComboBox* measure_;
  QLabel* about_;
  LayerHeadView* view_;
  /// What the values shown are of.
  std::shared_ptr<const Inspection> inspection_;
  std::optional<Measure> shown_;
  /// What has been asked for and is not there yet.
  std::shared_ptr<const Inspection> computing_;
};

}  // namespace softscope
