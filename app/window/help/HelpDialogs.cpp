#include "app/window/help/HelpDialogs.h"

#include "app/window/preferences/ActionShortcuts.h"
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
#include <QtWidgets/QDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

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

QString line(const QString& keys, const QString& meaning) {
  return QStringLiteral(
             "<tr><td width='170' style='padding:3px 18px 3px 0'><b>%1</b></td>"
             "<td style='padding:3px 0'>%2</td></tr>")
      .arg(keys.toHtmlEscaped(), meaning.toHtmlEscaped());
}

QString gestures() {
  const auto text = [](const char* sentence) { return QMenu::tr(sentence); };
  return QStringLiteral("<h3>%1</h3><table>").arg(text("On the picture and on the heads")) +
         line(text("Click"), text("Ask about the patch under the pointer")) +
         line(text("Drag"), text("Move the query live")) +
         line(text("Shift and click"), text("Pin a query there")) +
         line(text("Shift and click on Overview"),
              text("Collect a head for Compare, or take it out; Ctrl, arrow keys and Space do it "
                   "from the keyboard")) +
         line(text("Double click"), text("Show a head alone, and all of them again")) +
         line(text("Wheel"), text("Zoom all panels; with Ctrl where panels scroll")) +
         line(text("Middle or right drag"), text("Move the zoomed picture")) +
         line(text("Arrow keys"), text("Step the query by one patch, with Shift by eight")) +
         line(text("Hover"), text("Read a head's value in the status bar")) +
         line(text("Drop"), text("Open a picture or a checkpoint")) + QStringLiteral("</table>");
}

QString menuSections(const ActionShortcuts& shortcuts) {
  QString sections;
  QString lines;
  QString menu;
  const auto close = [&] {
    if (!lines.isEmpty()) {
      sections += QStringLiteral("<h3>%1</h3><table>%2</table>").arg(menu.toHtmlEscaped(), lines);
    }
    lines.clear();
  };
  for (const ActionWithKeys& known : shortcuts.actions()) {
    // Submenus belong to the section of their menu.
    const QString top = known.menu.section(u':', 0, 0);
    if (top != menu) close();
    menu = top;
    QStringList keys;
    for (const QKeySequence& sequence : known.keys()) {
      keys += sequence.toString(QKeySequence::NativeText);
    }
    const QString inside = known.menu.section(QStringLiteral(": "), 1);
    const QString name = inside.isEmpty() ? known.name : inside + QStringLiteral(": ") + known.name;
    if (!keys.isEmpty()) lines += line(keys.join(QMenu::tr(" or ")), name);
  }
  close();
  return sections;
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

void showShortcutsPage(QWidget& window, const ActionShortcuts& shortcuts) {
  auto* page = window.findChild<QDialog*>(QStringLiteral("shortcuts"));
  if (!page) {
    page = new QDialog(&window);
    page->setObjectName(QStringLiteral("shortcuts"));
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setWindowTitle(QMenu::tr("Keyboard and mouse"));
    page->setAccessibleName(page->windowTitle());
    auto* browser = new QTextBrowser(page);
    browser->setFrameShape(QFrame::NoFrame);
    browser->setAccessibleName(page->windowTitle());
    const auto showKeys = [browser, &shortcuts] {
      browser->setHtml(gestures() + menuSections(shortcuts));
      browser->document()->setDocumentMargin(18);
    };
    showKeys();
    QObject::connect(&shortcuts, &ActionShortcuts::changed, page, showKeys);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(browser);
    page->resize(460, 560);
  }
  page->show();
  page->raise();
}

}  // namespace softscope
