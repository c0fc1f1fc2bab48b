#pragma once

#include "widgets/paint/ValueText.h"

#include <QtCore/QTemporaryDir>
#include <QtWidgets/QApplication>

namespace softscope {

/// The application that Qt needs to draw text into a file; it uses no display unless
/// QT_QPA_PLATFORM names one.
class HeadlessApplication {
 public:
  HeadlessApplication() : application_(argumentCount_, arguments_) { writeEnglishNumbers(); }

 private:
  /// Only its owner may enter a QTemporaryDir, as Qt requires of this folder.
  const QTemporaryDir runtimeFolder_;
  /// Without this, Qt warns on stderr on machines that have no desktop session, where this class is
  /// used.
  const bool runtimeFolderSet_ = qEnvironmentVariableIsSet("XDG_RUNTIME_DIR") ||
                                 qputenv("XDG_RUNTIME_DIR", runtimeFolder_.path().toLocal8Bit());
  /// Set before the application is created.
  const bool platformChosen_ =
      qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || qputenv("QT_QPA_PLATFORM", "offscreen");
  int argumentCount_ = 1;
  char name_[10] = "softscope";
  char* arguments_[2] = {name_, nullptr};
  QApplication application_;
};

}  // namespace softscope
