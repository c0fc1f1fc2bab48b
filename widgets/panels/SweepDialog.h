#pragma once

#include "core/query/SweepAnalysis.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/figure/SweepFigure.h"
#include "widgets/panels/ExportFrame.h"

#include <QtCore/QString>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

class QFormLayout;
class QLabel;
class QSlider;

namespace softscope {

/// A preview of a sweep that is not made yet.
struct SweepPreview {
  /// The frames that can be shown at once: all of them, or one.
  SweepFrames frames;
  /// Number of all frames.
  std::size_t count = 0;
  /// A sentence that says what moves and how to change that.
  QString about;
};

/// Shows the frames of a sweep next to its settings.
class SweepDialog : public ExportFrame {
  Q_OBJECT

 public:
  /// Previews a sweep at some settings; may throw Error.
  using Previewer = std::function<SweepPreview(const SweepSettings&)>;

  /// `obstacles` has the reason for everything that cannot move, and an empty text for the rest.
  SweepDialog(Previewer preview, const std::map<SweepOver, QString>& obstacles,
              const SweepSettings& settings, const FigureSettings& figure, const QString& path,
              QWidget* parent = nullptr);

  const SweepSettings& settings() const { return settings_; }

 Q_SIGNALS:
  void saveAsked(const QString& path, const SweepSettings& settings);
  /// The user wants the command line that writes the same file.
  void copyCommandAsked(const QString& path, const SweepSettings& settings);

 protected:
  void askToSave() override { Q_EMIT saveAsked(path(), settings_); }
  void askToCopyCommand() override { Q_EMIT copyCommandAsked(path(), settings_); }

 private:
  void makeSlider();
  QWidget* makeSettings();
  /// Offers for choice only what can move.
  void offer(const std::map<SweepOver, QString>& obstacles);
  void takeSettings();
  /// Previews the sweep at the present settings.
  void showFrames();
  void showFrame(int index);
  /// Shows how large and how long the file becomes, or why there can be none.
  void showFile();

  Previewer previewer_;
  SweepSettings settings_;
  const FigureSettings figure_;
  std::shared_ptr<const SweepFrames> frames_;
  std::size_t count_ = 0;
  /// Why the sweep cannot be made; empty if it can.
  QString problem_;
  QSlider* slider_ = nullptr;
  QLabel* about_ = nullptr;
  QFormLayout* form_ = nullptr;
  SettingControls<SweepSettings> controls_;
};

}  // namespace softscope
