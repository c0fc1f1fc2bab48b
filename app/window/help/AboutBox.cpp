#include "app/window/help/AboutBox.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QIcon>
#include <QtWidgets/QMessageBox>

namespace softscope {

void showAboutBox(QWidget& window) {
  const auto text = [](const char* words) {
    return QCoreApplication::translate("AboutBox", words);
  };
  auto* box = new QMessageBox(&window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(text("About Softscope"));
  box->setIconPixmap(window.windowIcon().pixmap(64, 64));
  box->setText(
      text("<h3>Softscope</h3>"
           "<p>A workbench for looking inside softmax-free and linear-attention vision "
           "models.</p><p>Free software under the GNU General Public License, version 3 "
           "or later.</p>"));
  box->setStandardButtons(QMessageBox::Close);
  box->open();
}

}  // namespace softscope
