#pragma once

#include "core/machine/ComputeDevice.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "core/model/ModelSummary.h"

#include <QtWidgets/QWidget>

class QComboBox;
class QFormLayout;
class QLabel;

namespace softscope {

class ElidedLabel;
class LandmarkNumbers;
class SettingRows;

/// Describes the open model and offers what can be changed about it: its mechanism and heads, the
/// size of its input, the device it runs on, and landmarks if its mechanism has any. Also shows
/// what was assumed because the file does not tell.
class ModelPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ModelPanel(QWidget* parent = nullptr);

  void setModel(const QString& name, const ModelSummary& summary, const InputSize& size,
                const std::string& device);
  void clearModel();
  void setDevices(const std::vector<ComputeDevice>& devices);
  /// Shows the model's last run, e.g. `160 × 160, 1.2 s on cpu`; empty before a run.
  void setRun(const QString& text);

 Q_SIGNALS:
  void mechanismChosen(const std::string& mechanism);
  void landmarksChosen(const softscope::LandmarkChoice& landmarks);
  void headsChosen(const softscope::HeadCounts& heads);
  /// The user chose another value of one of settingOptions().
  void settingChosen(const std::string& option, const std::string& value);
  void inputSizeChosen(const softscope::InputSize& size);
  /// The text that the user typed is not a size.
  void inputSizeRefused(const QString& text);
  void deviceChosen(const std::string& device);

 private:
  /// Gives the labels their looks and the words that do not depend on the model.
  void describe();
  void fillForm();
  void connectControls();
  void fillLandmarks(const ModelSummary& summary);
  void fillHeads(const ModelSummary& summary);
  void fillSettings(const ModelSummary& summary, const InputSize& size);
  void fillSizes(const ModelSummary& summary, const InputSize& size);
  void chooseTypedSize();

  ElidedLabel* name_;
  ElidedLabel* about_;
  /// The numbers of parameters and classes.
  ElidedLabel* counts_;
  QLabel* counterfactual_;
  QComboBox* mechanism_;
  QComboBox* landmarks_;
  LandmarkNumbers* landmarkNumbers_;
  QComboBox* headCount_;
  QLabel* assumed_;
  QLabel* granted_;
  SettingRows* settings_;
  QComboBox* size_;
  QComboBox* device_;
  ElidedLabel* run_;
  QFormLayout* form_;
  LandmarkChoice shownLandmarks_;
  InputSize shownSize_;
};

}  // namespace softscope
