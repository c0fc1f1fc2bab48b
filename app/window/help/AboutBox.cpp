#include "app/window/help/AboutBox.h"

#include "app/window/contents/ProgramVersions.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QIcon>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

namespace softscope {

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
