#include "app/window/help/AboutBox.h"

#include "core/network/Device.h"
#include "core/text/Words.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <QtCore/QString>
#include <QtCore/QSysInfo>
#include <QtCore/QThread>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QIcon>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

#include <dlfcn.h>
#include <utility>
#include <vector>

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

/// Returns names and versions for bug reports: of the program, the loaded libraries, the processor
/// and the devices.
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

}  // namespace

void showAboutBox(QWidget& window) {
  const auto text = [](const char* words) {
    return QCoreApplication::translate("AboutBox", words);
  };
  const auto versions = programVersions();
  QString rows;
  QString plain;
  for (const auto& [what, version] : versions) {
    rows += QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
                .arg(what, version.toHtmlEscaped());
    plain += what + QStringLiteral(": ") + version + u'\n';
  }
  auto* box = new QMessageBox(&window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(text("About Softscope"));
  box->setIconPixmap(window.windowIcon().pixmap(64, 64));
  box->setTextFormat(Qt::RichText);
  box->setText(text("<h3>Softscope</h3>"
                    "<p>A workbench for looking inside softmax-free and linear-attention vision "
                    "models.</p><p>Free software under the GNU General Public License, version 3 "
                    "or later.</p>") +
               QStringLiteral("<table>%1</table>").arg(rows));
  box->setTextInteractionFlags(Qt::TextSelectableByMouse);
  // This role does not close the box, so that the copied text can still be read.
  QPushButton* copy = box->addButton(text("Copy"), QMessageBox::ActionRole);
  copy->setAccessibleName(text("Copy the versions"));
  // Disconnect only clicked(): a style sheet listens to another signal to learn when the button is
  // destroyed.
  QObject::disconnect(copy, &QPushButton::clicked, nullptr, nullptr);
  QObject::connect(copy, &QPushButton::clicked, box,
                   [plain] { QGuiApplication::clipboard()->setText(plain); });
  box->addButton(QMessageBox::Close);
  box->open();
}

}  // namespace softscope
