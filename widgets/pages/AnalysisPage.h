#pragma once

#include "core/SettingOptions.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/pages/Page.h"

#include <functional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace softscope {

class MapChoice;

/// What pages of analyses have in common: a bar of controls, a line that says what is seen, and
/// below it what the page is about, or words where there is nothing to show.
class AnalysisPage : public Page {
  Q_OBJECT

 public:
  /// What was cancelled by a run of the model is asked for again.
  void takePicture() override { retry(); }

 protected:
  AnalysisPage(Workspace& workspace, const QString& name, QWidget* parent);

  /// What the page is about; once.
  void setContent(QWidget* content);
  /// Puts a control on the bar.
  void addControl(QWidget* control);
  QComboBox* addChoice(const QString& name, const QStringList& choices, const QString& tip = {});
  QCheckBox* addSwitch(const QString& name, const QString& tip = {});
  /// Puts a control on the bar for each described setting of one analysis, which the user changes
  /// with it.
  template <typename Settings, typename Owner>
  void addSettings(const Settings& settings, SettingControls<Owner>& controls) {
    forEachSetting(settings, [&](const auto& setting) {
      addControl(controls.add(setting, this, [this, &controls] {
        change([&](AnalysisSettings& changed) { controls.take(changed.of<Owner>()); });
      }));
    });
  }
  void change(const std::function<void(AnalysisSettings&)>& change);
  /// The workspace's choice of what multiplies V.
  MapChoice* addMapChoice();
  /// Adds the choices of layers and models that analyses of curves share.
  void addScope();

  void showContent(const QString& about);
  /// Instead of it: why there is nothing, or that it is being made.
  void showWords(const QString& title, const QString& text);
  /// While the worker computes, or after it was stopped; `about` is what can be said already.
  void showWaiting(const QString& about = {});
  bool showsContent() const;

  /// What is looked at by the scope; the same as options of the command line, and its models.
  std::vector<AnalysedLayer> scopeLayers() const;
  std::vector<std::string> scopeOptions() const;
  std::vector<std::size_t> scopeModels() const;

  void showEvent(QShowEvent* event) override;
  /// Asks again for what was cancelled.
  virtual void retry() {}

 private:
  void makeWords();
  void chooseScope();
  void showScope();

  QWidget* bar_;
  QComboBox* layers_ = nullptr;
  QComboBox* models_ = nullptr;
  QLabel* about_;
  QStackedWidget* stack_;
  QWidget* content_ = nullptr;
  QWidget* wordsPage_;
  QLabel* wordsTitle_;
  QLabel* words_;
  QPushButton* again_;
};

/// What stands beside the name in a figure's caption, as a layer, and the line below.
QString aboutOf(const PanelFigure& figure);
QString aboutOf(const FigureCaption& caption);

/// `Spectrum` of `Spectr&um`.
QString titleWithoutMnemonic(const AnalysisDescription& about);

/// Adds the command line's words for what is not as it is by default.
template <typename Settings, typename Owner>
void addOptions(AnalysisCommand& command, const Settings& settings, const Owner& owner) {
  const std::vector<std::string> words = settingOptions(settings, owner);
  command.options.insert(command.options.end(), words.begin(), words.end());
}

/// Adds `--rcond`, unless it is as by default.
void addRcond(std::vector<std::string>& options, double rcond);

/// The obstacles of layers that an analysis is not defined for, if none is left; each only once.
QString obstacleText(const std::vector<std::string>& obstacles);

}  // namespace softscope
