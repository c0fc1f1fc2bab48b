#include "app/window/help/ShortcutsPage.h"

#include "app/window/preferences/ActionShortcuts.h"

#include <QtWidgets/QDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

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
