#pragma once

#include "core/files/AtomicFile.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QTemporaryDir>
#include <QtWidgets/QApplication>

#include <sys/stat.h>
#include <unistd.h>

namespace softscope {

/// The application that Qt needs to draw text into a file. It uses no display, whatever the
/// environment says of the window's platform and theme.
class HeadlessApplication {
 public:
  HeadlessApplication() : application_(argumentCount_, arguments_) { writeEnglishNumbers(); }

 private:
  /// Returns true for a folder that only this user may enter.
  static bool isPrivate(const QByteArray& folder) {
    constexpr mode_t permissions = 0777;
    struct stat status {};
    return lstat(folder.constData(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & permissions) == S_IRWXU;
  }

  /// Only its owner may enter a QTemporaryDir, as Qt requires of this folder.
  const QTemporaryDir runtimeFolder_{QString::fromStdString(temporaryPattern())};
  /// Without this, Qt warns on stderr where there is no desktop session, or that of another user.
  const bool runtimeFolderSet_ = isPrivate(qgetenv("XDG_RUNTIME_DIR")) ||
                                 qputenv("XDG_RUNTIME_DIR", runtimeFolder_.path().toLocal8Bit());
  /// Set before the application is created.
  const bool platformChosen_ = qputenv("QT_QPA_PLATFORM", "offscreen");
  /// Themes of desktops look for a display of their own.
  const bool themeLeftOut_ = qunsetenv("QT_QPA_PLATFORMTHEME");
  int argumentCount_ = 1;
  char name_[10] = "softscope";
  char* arguments_[2] = {name_, nullptr};
  QApplication application_;
};

}  // namespace softscope
