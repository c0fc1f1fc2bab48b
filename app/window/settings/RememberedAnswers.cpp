#include "app/window/settings/RememberedAnswers.h"

#include "app/window/settings/SettingsFile.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QSettings>

namespace softscope {
namespace {

QString mechanismKey(const QString& fingerprint) {
  return QStringLiteral("mechanisms/") + fingerprint;
}

QString headsKey(const QString& fingerprint) {
  return QStringLiteral("heads/") + fingerprint;
}

}  // namespace

ModelRequest withRemembered(ModelRequest request) {
  const QString fingerprint = fileFingerprint(QString::fromStdString(request.path));
  if (fingerprint.isEmpty()) return request;
  const QSettings settings;
  const QString mechanism = settings.value(mechanismKey(fingerprint)).toString();
  const int heads = settings.value(headsKey(fingerprint)).toInt();
  if (!request.attention && !mechanism.isEmpty()) request.attention = mechanism.toStdString();
  if (!request.heads && heads > 0) request.heads = heads;
  return request;
}

void rememberMechanism(const QString& fingerprint, const std::string& mechanism) {
  if (fingerprint.isEmpty()) return;
  changeSettingsFile([&](QSettings& file) {
    file.setValue(mechanismKey(fingerprint), QString::fromStdString(mechanism));
  });
}

void rememberHeads(const QString& fingerprint, int heads) {
  if (fingerprint.isEmpty()) return;
  changeSettingsFile([&](QSettings& file) { file.setValue(headsKey(fingerprint), heads); });
}

}  // namespace softscope
