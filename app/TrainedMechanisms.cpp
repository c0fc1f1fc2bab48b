#include "app/TrainedMechanisms.h"

#include "widgets/WorkspaceState.h"

#include <QtCore/QSettings>

namespace softscope {
namespace {

QString keyOf(const QString& fingerprint) {
  return QStringLiteral("mechanisms/") + fingerprint;
}

}  // namespace

std::optional<std::string> rememberedMechanism(const QString& path) {
  const QString fingerprint = fileFingerprint(path);
  if (fingerprint.isEmpty()) return std::nullopt;
  const QString mechanism = QSettings().value(keyOf(fingerprint)).toString();
  if (mechanism.isEmpty()) return std::nullopt;
  return mechanism.toStdString();
}

void rememberMechanism(const QString& fingerprint, const std::string& mechanism) {
  if (fingerprint.isEmpty()) return;
  QSettings().setValue(keyOf(fingerprint), QString::fromStdString(mechanism));
}

}  // namespace softscope
