#include "app/window/settings/SettingsFile.h"

#include "core/Error.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QLockFile>
#include <QtCore/QSettings>
#include <QtCore/QTemporaryDir>

#include <algorithm>
#include <optional>

namespace softscope {
namespace {

/// Milliseconds to wait while another window is writing.
constexpr int lockPatience = 1000;

/// True if the file has a line for each key.
bool holdsAll(const QByteArray& bytes, qsizetype keys) {
  const QList<QByteArray> lines = bytes.split('\n');
  const auto values = std::count_if(lines.begin(), lines.end(), [](const QByteArray& line) {
    return !line.isEmpty() && !line.startsWith('[') && !line.startsWith(';');
  });
  return values == keys && (bytes.isEmpty() || bytes.endsWith('\n'));
}

/// Returns the content of a file; empty if it exists but cannot be read.
std::optional<QByteArray> bytesOf(const QString& path) {
  QFile file(path);
  if (!file.exists()) return QByteArray();
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  return file.readAll();
}

/// Returns the file's bytes after the change; empty if the copy could not be written. A file that
/// is not a settings file becomes one.
std::optional<QByteArray> changedBytes(const QString& path,
                                       const std::function<void(QSettings&)>& change) {
  const QTemporaryDir folder(QString::fromStdString(temporaryPattern()));
  const QString copy = folder.filePath(QStringLiteral("copy"));
  const std::optional<QByteArray> before = bytesOf(path);
  if (!folder.isValid() || !before) return std::nullopt;
  QFile file(copy);
  if (!file.open(QIODevice::WriteOnly) || file.write(*before) != before->size() || !file.flush()) {
    return std::nullopt;
  }
  file.close();
  QSettings settings(copy, QSettings::IniFormat);
  change(settings);
  settings.sync();
  const std::optional<QByteArray> after = bytesOf(copy);
  if (settings.status() == QSettings::AccessError || !after) return std::nullopt;
  // If nothing changes, nothing is written, and lines that are not settings stay.
  if (*after != *before && !holdsAll(*after, settings.allKeys().size())) return std::nullopt;
  return after;
}

}  // namespace

bool changeSettingsFile(const std::function<void(QSettings&)>& change, Durability durability) {
  const QFileInfo named(QSettings().fileName());
  // Write to the target of a symbolic link, so that the link remains.
  const QString path = named.exists() ? named.canonicalFilePath() : named.absoluteFilePath();
  QDir().mkpath(named.path());
  // QSettings waits for the same lock before it reads.
  QLockFile lock(path + QStringLiteral(".lock"));
  lock.tryLock(lockPatience);
  const std::optional<QByteArray> bytes = changedBytes(path, change);
  if (!bytes) return false;
  try {
    writeFileAtomically(path.toStdString(), bytes->toStdString(), durability);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace softscope
