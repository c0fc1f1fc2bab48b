#pragma once

#include "core/query/SweepAnalysis.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/figure/SweepFigure.h"
#include "widgets/panels/FileRow.h"

#include <QtCore/QString>
#include <QtWidgets/QDialog>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

class QFormLayout;
class QLabel;
class QPushButton;
class QSlider;

namespace softscope {

class FigurePreview;

/// What can be said of a sweep before it is made.
struct SweepPreview {
  /// The frames that can be shown at once: all of them, or one.
  SweepFrames frames;
  /// Number of all frames.
  std::size_t count = 0;
  /// Says what moves, and how that can be changed.
  QString about;
};

/// Shows the frames of a sweep next to its settings. The dialog only asks for actions; its owner
/// carries them out and closes it when done.
class SweepDialog : public QDialog {
  Q_OBJECT

 public:
  /// Previews a sweep at some settings; may throw Error.
  using Previewer = std::function<SweepPreview(const SweepSettings&)>;

  /// `obstacles` has the reason for everything that cannot move, and an empty text for the rest.
  SweepDialog(Previewer preview, const std::map<SweepOver, QString>& obstacles,
              const SweepSettings& settings, const FigureSettings& figure, const QString& path,
              QWidget* parent = nullptr);

  const SweepSettings& settings() const { return settings_; }
  /// Returns the absolute path.
  QString path() const { return file_->path(); }
  /// Shows a message below the preview, about a failure or a success.
  void showMessage(const QString& message);

 Q_SIGNALS:
  void saveAsked(const QString& path, const SweepSettings& settings);
  /// The user wants the command line that writes the same file.
  void copyCommandAsked(const QString& path, const SweepSettings& settings);

 private:
  QLayout* makePreview();
  QWidget* makeForm();
  QLayout* makeButtons();
  /// Lets only that be chosen which can move.
  void offer(const std::map<SweepOver, QString>& obstacles);
  void takeSettings();
  /// Previews the sweep at the present settings.
  void showFrames();
  void showFrame(int index);
  /// Says how large and how long the file becomes, or why there can be none.
  void showFile();

  Previewer previewer_;
  SweepSettings settings_;
  const FigureSettings figure_;
  std::shared_ptr<const SweepFrames> frames_;
  std::size_t count_ = 0;
  /// Why the sweep cannot be made; empty if it can.
  QString problem_;
  FileRow* file_;
  FigurePreview* preview_;
  QSlider* slider_ = nullptr;
  QLabel* about_ = nullptr;
  QLabel* message_ = nullptr;
  QFormLayout* form_ = nullptr;
  SettingControls<SweepSettings> controls_;
  QPushButton* save_ = nullptr;
};

}  // namespace softscope
