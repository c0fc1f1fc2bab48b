#include "app/window/Autosave.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "widgets/figure/ModelOptions.h"
#include "widgets/settings/Preferences.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QStandardPaths>

#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

namespace softscope {
namespace {

const QString ending = QStringLiteral(".softscope");

QString lockPath(const QString& workspacePath) {
  return workspacePath + QStringLiteral(".lock");
}

std::optional<RecoveredWorkspace> read(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  try {
    WorkspaceState state = readWorkspace(file.readAll(), path);
    // A window that showed nothing leaves nothing to recover.
    if (!namesFiles(state)) return std::nullopt;
    return RecoveredWorkspace{std::move(state), QFileInfo(path).lastModified()};
  } catch (const Error&) {
    // The file was cut off in the middle; there is nothing to tell the user about.
    return std::nullopt;
  }
}

/// Moves the file in one step: if there is nothing at `path`, the previous last session stays.
void makeLastSession(const QString& path) {
  std::rename(QFile::encodeName(path).constData(),
              QFile::encodeName(Autosave::lastSessionPath()).constData());
}

}  // namespace

QString Autosave::folder() {
  const QString place = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
                        QStringLiteral("/recovery");
  QDir().mkpath(place);
  return place;
}

QString Autosave::lastSessionPath() {
  return folder() + QStringLiteral("/last-session") + ending;
}

QString Autosave::path() const {
  return folder() + QStringLiteral("/%1").arg(QCoreApplication::applicationPid()) + ending;
}

Autosave::Autosave(const Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), lock_(lockPath(path())) {
  // The lock is stale as soon as its process is gone, regardless of its age.
  lock_.setStaleLockTime(0);
  lock_.tryLock(0);
  due_.setSingleShot(true);
  setDelay(Preferences().autosave);
  connect(&due_, &QTimer::timeout, this, &Autosave::write);
  connect(&workspace, &Workspace::changed, this, &Autosave::noteChange);
}

Autosave::~Autosave() {
  finish();
}

void Autosave::noteChange() {
  changed_ = true;
  hadFiles_ = hadFiles_ || hasOwnFiles();
  if (!due_.isActive() && !finished_ && !isOff_) due_.start();
}

bool Autosave::hasOwnFiles() const {
  WorkspaceState state = workspace_.state();
  if (state.picturePath.toStdString() == bundledPicture_) state.picturePath.clear();
  std::erase_if(state.models,
                [this](const ModelState& model) { return model.request.path == bundledModel_; });
  return namesFiles(state);
}

void Autosave::setBundled(const std::string& picture, const std::string& model) {
  bundledPicture_ = absolutePath(picture);
  bundledModel_ = absolutePath(model);
}

void Autosave::setDelay(int seconds) {
  isOff_ = seconds == 0;
  due_.stop();
  due_.setInterval(std::chrono::seconds(seconds));
  if (changed_) noteChange();
}

void Autosave::write() {
  if (!changed_ || finished_) return;
  try {
    // The window does not wait for the disk.
    writeFileAtomically(path().toStdString(), workspaceText(workspace_.state(), {}).toStdString(),
                        Durability::Soon);
    changed_ = false;
  } catch (const std::exception&) {
    // A full disk is no reason to stop the user's work; the next change tries again.
  }
}

void Autosave::finish() {
  if (finished_) return;
  changed_ = true;
  if (hadFiles_ || hasOwnFiles()) {
    write();
    makeLastSession(path());
  } else {
    QFile::remove(path());
  }
  finished_ = true;
  due_.stop();
  lock_.unlock();
}

std::optional<RecoveredWorkspace> Autosave::takeRecovered() {
  const QDir place(folder());
  const QString last = QFileInfo(lastSessionPath()).fileName();
  for (const QString& name : place.entryList({u'*' + ending}, QDir::Files, QDir::Time)) {
    if (name == last) continue;
    const QString file = place.filePath(name);
    QLockFile lock(lockPath(file));
    lock.setStaleLockTime(0);
    // A lock that cannot be taken belongs to another process that is using the file.
    if (!lock.tryLock(0)) continue;
    if (auto found = read(file)) {
      // Keep it as the last session, so that it can be opened if this process is killed before it
      // writes its own. It is not recovered a second time, since it may be what ends the program.
      makeLastSession(file);
      return found;
    }
    QFile::remove(file);
  }
  return std::nullopt;
}

}  // namespace softscope
