#include "app/window/contents/ProgramVersions.h"

#include "core/ListText.h"
#include "core/model/Device.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtCore/QSysInfo>
#include <QtCore/QThread>

#include <dlfcn.h>

namespace softscope {
namespace {

/// Returns the file of a library in this process, whose name contains its version; empty if it is
/// not loaded.
QString loadedFile(const QString& library) {
  QFile maps(QStringLiteral("/proc/self/maps"));
  if (!maps.open(QIODevice::ReadOnly)) return {};
  for (const QByteArray& line : maps.readAll().split('\n')) {
    const QString path = QString::fromLocal8Bit(line.mid(line.indexOf('/')));
    if (path.section(u'/', -1).startsWith(library)) {
      return QFileInfo(path).canonicalFilePath().section(u'/', -1);
    }
  }
  return {};
}

/// Returns the version in a library's file name: `4.6.0` for `libopencv_core.so.4.6.0`.
QString versionOfFile(const QString& library) {
  const QString file = loadedFile(library);
  const QString version = file.section(QStringLiteral(".so."), 1);
  return file.isEmpty()      ? QCoreApplication::translate("ProgramVersions", "not loaded")
         : version.isEmpty() ? file
                             : version;
}

QString textOf(const char* function) {
  using Text = char* (*)();
  const auto text = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, function));
  return text ? QString::fromLatin1(text()).simplified() : QString();
}

/// Describes the BLAS library, with the processor core that its kernels were chosen for.
QString blasText() {
  const QString config = textOf("openblas_get_config");
  if (config.isEmpty()) return loadedFile(QStringLiteral("libblas"));
  return config + QStringLiteral(", core ") + textOf("openblas_get_corename");
}

QString processorText() {
  QFile file(QStringLiteral("/proc/cpuinfo"));
  QString name = QSysInfo::currentCpuArchitecture();
  if (file.open(QIODevice::ReadOnly)) {
    static const QRegularExpression model(QStringLiteral("model name\\s*: (.*)"));
    const auto match = model.match(QString::fromLatin1(file.readAll()));
    if (match.hasMatch()) name = match.captured(1);
  }
  return QCoreApplication::translate("ProgramVersions", "%1, %2 threads")
      .arg(name)
      .arg(QThread::idealThreadCount());
}

}  // namespace

std::vector<std::pair<QString, QString>> programVersions() {
  return {{QStringLiteral("Softscope"), QCoreApplication::applicationVersion()},
          {QStringLiteral("LibTorch"), QString::fromStdString(torchVersion())},
          {QStringLiteral("BLAS"), blasText()},
          {QStringLiteral("Qt"), QString::fromLatin1(qVersion())},
          {QStringLiteral("OpenCV"), versionOfFile(QStringLiteral("libopencv_core"))},
          {QStringLiteral("System"), QSysInfo::prettyProductName()},
          {QStringLiteral("CPU"), processorText()},
          {QStringLiteral("Devices"),
           QString::fromStdString(listText(availableDevices(), "; ", deviceText))}};
}

}  // namespace softscope
