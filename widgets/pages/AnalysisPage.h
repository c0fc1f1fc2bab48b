#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "core/text/SettingOptions.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/pages/Page.h"
#include "widgets/workspace/Jobs.h"

#include <QtCore/QStringList>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace softscope {

class ClassChoice;
class FoldedText;
class MapChoice;
struct MapOptions;

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
  QComboBox* addChoice(const SettingText& text, const QStringList& choices);
  QCheckBox* addSwitch(const SettingText& text);
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
  /// Adds the choice of the map that is shown; it is the workspace's, shared by all pages.
  void addMapChoice();
  /// Shows the chosen map, and what else may be chosen.
  void showMap(const MapOptions& map);
  /// Adds the choices of the layers and models that the analysis of that name shows.
  void addScope(const std::string& analysis);

  /// Shows the content below a line about it. The name of what it is about, if one is given, begins
  /// the line and stays as it is written.
  void showContent(const QString& about, const QString& name = {});
  /// Shows a text in place of the content: why there is none, or that it is being computed.
  void showWords(const QString& title, const QString& text);
  /// Returns true, and says so in words, if this window's engine runs no models for the analysis:
  /// `runs` says whether it does.
  bool showsNoEngine(bool runs, const QString& title);
  /// Shows why an analysis is defined for no layer. Where the reason advises other mechanisms, it
  /// offers to show a layer of the current model that has one, or else another open model.
  void showObstacles(const QString& title, const std::vector<std::string>& obstacles);
  /// Shows that the worker computes or was stopped; `about` is the line above, as far as known.
  void showWaiting(const QString& about = {});
  /// Shows in words how far a job is that has nothing to show yet, or why it ended without a
  /// result.
  void showJob(const Jobs::Job& job);
  /// Offers to stop the job while it runs or waits, and to start it again after it was stopped or
  /// has failed; an empty one takes the offer back.
  void offerJob(const std::optional<Jobs::Job>& job);
  bool showsContent() const;

  /// The layers that the scope selects, with the chosen channel for analyses that take maps
  /// (`ofChannel`), the command line options that select them, and the indices of their models.
  std::vector<AnalysedLayer> scopeLayers(bool ofChannel = false) const;
  std::vector<std::string> scopeOptions() const { return scopeOptions(scopeLayers()); }
  std::vector<std::size_t> scopeModels() const;
  /// Takes the layers out whose model lacks something, and returns the name of each such model with
  /// the reason; `lacking` is what ModelSummary::obstacleTo() takes.
  QStringList takeOutLacking(std::vector<AnalysedLayer>& layers, const std::string& lacking) const;
  /// Returns the indices of the models that the layers are of.
  std::vector<std::size_t> modelsOf(const std::vector<AnalysedLayer>& layers) const;
  /// Returns the options that select these layers, which are some or all of scopeLayers().
  std::vector<std::string> scopeOptions(const std::vector<AnalysedLayer>& layers) const;

  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  /// Requests again what was cancelled.
  virtual void retry() {}
  /// Computes what was stopped, because the user has asked for it.
  virtual void computeAgain() { retry(); }

 private:
  void makeWords();
  void offerInstead(const QString& offer);
  /// Shows how far what the page waits for is.
  void showProgress(const QString& what, double fraction);
  /// Sets the text in place of the content, whose names do not break on the screen.
  void setWords(const QString& text);
  void chooseScope();
  void showScope();
  AnalysisScope scope() const;

  QWidget* bar_;
  MapChoice* map_ = nullptr;
  ClassChoice* classes_ = nullptr;
  QComboBox* layers_ = nullptr;
  QComboBox* models_ = nullptr;
  /// Name of the analysis whose scope the page shows.
  std::string scoped_;
  QPushButton* jobButton_;
  /// The running job that the button stops; 0 if it starts one.
  int offered_ = 0;
  FoldedText* about_;
  QStackedWidget* stack_;
  QWidget* content_ = nullptr;
  QWidget* wordsPage_;
  QLabel* wordsTitle_;
  QLabel* words_;
  QPushButton* again_;
  /// Stops what the page waits for.
  QPushButton* cancel_;
  /// Shows the model that the words name.
  QPushButton* instead_;
  int insteadId_ = 0;
  /// The layer of the current model that is offered; empty if another model is.
  std::string insteadLayer_;
};

/// Returns a figure caption's text apart from the name: the detail beside it, such as a layer, and
/// the line below.
QString aboutOf(const PanelFigure& figure);
QString aboutOf(const FigureCaption& caption);
/// Returns a caption's words with the short name of the layer that it is about.
QString aboutOf(FigureCaption caption, const std::vector<AnalysedLayer>& layers);

/// Returns an analysis's title without the mnemonic's ampersand: `Spectrum` for `Spectr&um`.
QString titleWithoutMnemonic(const AnalysisDescription& about);

/// Adds the command line options for the settings that are not at their defaults.
template <typename Settings, typename Owner>
void addOptions(AnalysisCommand& command, const Settings& settings, const Owner& owner) {
  const std::vector<std::string> words = settingOptions(settings, owner);
  command.options.insert(command.options.end(), words.begin(), words.end());
}

/// Adds the options for which map of the layers is shown; see addMap() of FigureCommandText.h.
void addMap(AnalysisCommand& command, ShownMap map, const std::vector<AnalysedLayer>& layers);

/// Adds `--rcond`, unless it is at its default.
void addRcond(std::vector<std::string>& options, double rcond);

/// Returns a part of a caption that says which models are left out and why; empty if none is.
QString lackingText(const QStringList& reasons);

/// Returns the obstacles of the layers, each only once, to be shown if the analysis is defined for
/// none of them.
QString obstacleText(const std::vector<std::string>& obstacles);

}  // namespace softscope
