#include "app/window/Autosave.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "widgets/settings/Preferences.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QRandomGenerator>
#include <QtCore/QRegularExpression>
#include <QtCore/QStandardPaths>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sys/file.h>
#include <utility>

namespace softscope {
namespace {

const QString ending = QStringLiteral(".softscope");

QString lockPath(const QString& workspacePath) {
  return workspacePath + QStringLiteral(".lock");
}

/// Returns a name that no other window has: in containers, several may have the same process
/// number.
QString newName() {
  return QStringLiteral("/%1-%2")
             .arg(QCoreApplication::applicationPid())
             .arg(QRandomGenerator::system()->generate64(), 0, 16) +
         ending;
}

/// Returns true if there is a process of the number with which a file's name begins.
bool isRunning(const QFile& file) {
  const QString digits =
      QFileInfo(file).fileName().section(QRegularExpression(QStringLiteral("[-.]")), 0, 0);
  return kill(digits.toInt(), 0) == 0 || errno != ESRCH;
}

/// Opens a lock and takes it. Returns false if a window that runs holds it, here or in another
/// container.
bool takesLock(QFile& lock) {
  if (!lock.open(QIODevice::ReadWrite)) return false;
  if (flock(lock.handle(), LOCK_EX | LOCK_NB) == 0) return true;
  // Some file systems have no locks; then only the process id shows that the process is alive.
  return errno != EWOULDBLOCK && !isRunning(lock);
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

QString Autosave::replacedPath() {
  return folder() + QStringLiteral("/replaced") + ending;
}

Autosave::Autosave(const Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), path_(folder() + newName()), lock_(lockPath(path_)) {
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
  return bundled_.opensMore(workspace_.state());
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
    if (!lock_.isOpen()) takesLock(lock_);
    // The window does not wait for the disk.
    writeFileAtomically(path_.toStdString(), workspaceText(workspace_.state(), {}).toStdString(),
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
    makeLastSession(path_);
  } else {
    QFile::remove(path_);
  }
  finished_ = true;
  due_.stop();
  if (lock_.isOpen()) lock_.remove();
}

std::optional<RecoveredWorkspace> Autosave::takeRecovered() {
  const QDir place(folder());
  const QStringList others{QFileInfo(lastSessionPath()).fileName(),
                           QFileInfo(replacedPath()).fileName()};
  for (const QString& name : place.entryList({u'*' + ending}, QDir::Files, QDir::Time)) {
    if (others.contains(name)) continue;
    const QString file = place.filePath(name);
    QFile lock(lockPath(file));
    if (!takesLock(lock)) continue;
    auto found = read(file);
    if (found) {
      // Keep it as the last session, so that it can be opened if this process is killed before it
      // writes its own. It is not recovered a second time, since it may be what ends the program.
      makeLastSession(file);
    } else {
      QFile::remove(file);
    }
    lock.remove();
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace softscope
