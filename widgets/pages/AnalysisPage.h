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

/// Base class of the pages of analyses: a bar of controls, a line that says what is shown, and
/// below it the page's content, or a text if there is nothing to show.
class AnalysisPage : public Page {
  Q_OBJECT

 public:
  /// Requests again what a run of the model has cancelled.
  void takePicture() override { retry(); }

 protected:
  AnalysisPage(Workspace& workspace, const QString& name, QWidget* parent);

  /// Sets the widget with the page's content; call it once.
  void setContent(QWidget* content);
  /// Puts a control on the bar.
  void addControl(QWidget* control);
  QComboBox* addChoice(const QString& name, const QStringList& choices, const QString& tip = {});
  QCheckBox* addSwitch(const QString& name, const QString& tip = {});
  /// Puts a control on the bar for each described setting of one analysis, which the user can
  /// change there.
  template <typename Settings, typename Owner>
  void addSettings(const Settings& settings, SettingControls<Owner>& controls) {
    forEachSetting(settings, [&](const auto& setting) {
      addControl(controls.add(setting, this, [this, &controls] {
        change([&](AnalysisSettings& changed) { controls.take(changed.of<Owner>()); });
      }));
    });
  }
  void change(const std::function<void(AnalysisSettings&)>& change);
  /// Adds the choice of the map that multiplies V; it is the workspace's, shared by all pages.
  MapChoice* addMapChoice();
  /// Adds the choices of layers and models that analyses shown as curves share.
  void addScope();

  void showContent(const QString& about);
  /// Shows a text in place of the content: why there is none, or that it is being computed.
  void showWords(const QString& title, const QString& text);
  /// Shows that the worker computes or was stopped; `about` is the line above, as far as known.
  void showWaiting(const QString& about = {});
  bool showsContent() const;

  /// The layers that the scope selects, the command line options that select them, and the indices
  /// of their models.
  std::vector<AnalysedLayer> scopeLayers() const;
  std::vector<std::string> scopeOptions() const;
  std::vector<std::size_t> scopeModels() const;

  void showEvent(QShowEvent* event) override;
  /// Requests again what was cancelled.
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

/// Returns a figure caption's text apart from the name: the detail beside it, such as a layer, and
/// the line below.
QString aboutOf(const PanelFigure& figure);
QString aboutOf(const FigureCaption& caption);

/// Returns an analysis' title without the mnemonic's ampersand: `Spectrum` for `Spectr&um`.
QString titleWithoutMnemonic(const AnalysisDescription& about);

/// Adds the command line options for the settings that are not at their defaults.
template <typename Settings, typename Owner>
void addOptions(AnalysisCommand& command, const Settings& settings, const Owner& owner) {
  const std::vector<std::string> words = settingOptions(settings, owner);
  command.options.insert(command.options.end(), words.begin(), words.end());
}

/// Adds `--rcond`, unless it is at its default.
void addRcond(std::vector<std::string>& options, double rcond);

/// Returns the obstacles of the layers, each only once, to be shown if the analysis is defined for
/// none of them.
QString obstacleText(const std::vector<std::string>& obstacles);

}  // namespace softscope
