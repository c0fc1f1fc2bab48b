#include "app/window/PagesExport.h"

#include "app/window/FigureExport.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "app/window/contents/WindowPages.h"
#include "widgets/controls/NameText.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int pollMilliseconds = 20;

QString pageTitle(const QString& name) {
  for (const WindowPage& page : windowPages()) {
    if (page.name == name) return menuText(page.title);
  }
  return name;
}

QStringList titlesOf(const QStringList& names) {
  QStringList titles;
  for (const QString& name : names) titles += pageTitle(name);
  return titles;
}

/// Returns a path that no file has yet: `heads.pdf`, `heads_2.pdf`, ...
QString freePath(const QString& folder, const QString& name, const QString& extension) {
  QString path = QDir(folder).filePath(name + extension);
  for (int number = 2; QFileInfo::exists(path); ++number) {
    path = QDir(folder).filePath(name + u'_' + QString::number(number) + extension);
  }
  return path;
}

/// A format that pages are exported in: the ending of its files, and whether all pages share one
/// file.
struct PagesFormat {
  const char* label;
  const char* ending;
  bool inOneFile = false;
};

constexpr PagesFormat pagesFormats[] = {
    {QT_TRANSLATE_NOOP("softscope::PagesExport", "PDF, a file for each page"), ".pdf"},
    {QT_TRANSLATE_NOOP("softscope::PagesExport", "One PDF with all pages"), ".pdf", true},
    {QT_TRANSLATE_NOOP("softscope::PagesExport", "SVG, a file for each page"), ".svg"},
    {QT_TRANSLATE_NOOP("softscope::PagesExport", "PNG, a file for each page"), ".png"}};

/// Asks which pages to export, where to and as what.
class PagesDialog : public QDialog {
 public:
  PagesDialog(const QSet<QString>& visited, const QString& folder, QWidget* parent)
      : QDialog(parent),
        list_(new QListWidget),
        folder_(new QLineEdit(folder)),
        format_(new QComboBox) {
    setWindowTitle(PagesExport::tr("Export pages"));
    list_->setAccessibleName(PagesExport::tr("Pages"));
    for (const WindowPage& page : windowPages()) {
      if (!page.group) continue;
      auto* item = new QListWidgetItem(menuText(page.title), list_);
      item->setData(Qt::UserRole, page.name);
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
      item->setCheckState(visited.contains(page.name) ? Qt::Checked : Qt::Unchecked);
    }
    folder_->setAccessibleName(PagesExport::tr("Folder"));
    format_->setAccessibleName(PagesExport::tr("Format"));
    for (const PagesFormat& format : pagesFormats) {
      format_->addItem(PagesExport::tr(format.label));
    }
    auto* browse = new QPushButton(PagesExport::tr("Choose…"));
    browse->setAccessibleName(PagesExport::tr("Choose the folder"));
    browse->setAutoDefault(false);
    connect(browse, &QPushButton::clicked, this, [this] {
      const QString chosen = QFileDialog::getExistingDirectory(
          this, PagesExport::tr("The folder of the figures"), folder_->text());
      if (!chosen.isEmpty()) folder_->setText(chosen);
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    auto* write = buttons->addButton(PagesExport::tr("Export"), QDialogButtonBox::AcceptRole);
    write->setDefault(true);
    const auto allow = [this, write] { write->setEnabled(!pages().isEmpty()); };
    connect(list_, &QListWidget::itemChanged, this, allow);
    allow();
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* place = new QHBoxLayout;
    place->addWidget(folder_, 1);
    place->addWidget(browse);
    auto* form = new QFormLayout;
    form->addRow(PagesExport::tr("Folder"), place);
    form->addRow(PagesExport::tr("As"), format_);
    auto* column = new QVBoxLayout(this);
    column->addWidget(list_, 1);
    column->addLayout(form);
    column->addWidget(buttons);
    resize(480, 460);
    write->setFocus();
  }

  QStringList pages() const {
    QStringList names;
    for (int i = 0; i < list_->count(); ++i) {
      const QListWidgetItem& item = *list_->item(i);
      if (item.checkState() == Qt::Checked) names += item.data(Qt::UserRole).toString();
    }
    return names;
  }
  QString folder() const { return folder_->text().trimmed(); }
  const PagesFormat& format() const { return pagesFormats[format_->currentIndex()]; }

 private:
  QListWidget* list_;
  QLineEdit* folder_;
  QComboBox* format_;
};

}  // namespace

PagesExport::PagesExport(QWidget& window, Workspace& workspace, WindowActions& actions,
                         FigureExport& figures, WindowSettings& settings)
    : window_(window), workspace_(workspace), figures_(figures), settings_(settings) {
  connect(actions.exportPages, &QAction::triggered, this, &PagesExport::openDialog);
  connect(&workspace, &Workspace::pageChanged, this, [this] {
    if (!isWriting_) visited_.insert(workspace_.page());
  });
  connect(&figures, &FigureExport::failed, this, [this](const QString& why) { why_ = why; });
  ready_.setInterval(pollMilliseconds);
  connect(&ready_, &QTimer::timeout, this, [this] {
    if (workspace_.worker().isBusy() || figures_.isPreviewing()) return;
    if (isMeasuring(waiting_.front())) {
      tellWaiting();
    } else {
      writeIfShown();
    }
  });
}

void PagesExport::openDialog() {
  if (isWriting_) {
    Q_EMIT said(tr("Pages are being exported; those that are still to come: %1")
                    .arg(titlesOf(waiting_).join(u", ")));
    return;
  }
  QSet<QString> ticked = visited_;
  // The heads are in front before any page is chosen.
  ticked.insert(QStringLiteral("heads"));
  PagesDialog dialog(ticked, usersFolder(settings_.exportFolder), &window_);
  if (dialog.exec() != QDialog::Accepted) return;
  const PagesFormat& format = dialog.format();
  write(dialog.pages(), dialog.folder(), QString::fromLatin1(format.ending), format.inOneFile);
}

void PagesExport::write(const QStringList& pages, const QString& folder, const QString& extension,
                        bool inOneFile) {
  if (isWriting_ || pages.isEmpty()) return;
  folder_ = QDir(usersFolder(settings_.exportFolder)).absoluteFilePath(folder);
  if (!QDir().mkpath(folder_)) {
    Q_EMIT failed(tr("%1 is not a folder and cannot be created").arg(folder_));
    return;
  }
  isWriting_ = true;
  waiting_ = pages;
  missing_.clear();
  refused_.clear();
  told_.clear();
  ending_ = extension;
  inOneFile_ = inOneFile;
  pages_.clear();
  files_ = 0;
  before_ = workspace_.page();
  writeNext();
}

void PagesExport::writeNext() {
  if (waiting_.isEmpty()) {
    finish();
    return;
  }
  workspace_.setPage(waiting_.front());
  ready_.start();
}

bool PagesExport::isMeasuring(const QString& page) const {
  if (workspace_.page() != page) return false;
  const std::vector<Jobs::Job> jobs = workspace_.jobs().all();
  const bool isBusy = std::any_of(jobs.begin(), jobs.end(), [&page](const Jobs::Job& job) {
    // A survey may take hours, and its page shows another file meanwhile, or none.
    return job.text.page == page && job.isActive() && !job.isProcess;
  });
  // An export of what the page shows is a job of the page as well.
  return isBusy && figures_.shownName().isEmpty();
}

void PagesExport::tellWaiting() {
  const QString page = waiting_.front();
  if (std::exchange(told_, page) == page) return;
  Q_EMIT said(tr("The export of pages waits for %1, which is being measured; it goes on as soon as "
                 "that has ended or was stopped.")
                  .arg(pageTitle(page)));
}

void PagesExport::writeIfShown() {
  // The user may have looked at another page meanwhile.
  if (workspace_.page() == waiting_.front()) {
    writeShown();
  } else {
    workspace_.setPage(waiting_.front());
  }
}

void PagesExport::writeShown() {
  ready_.stop();
  const QString page = waiting_.takeFirst();
  const QString name = figures_.shownName();
  if (name.isEmpty()) {
    missing_ += pageTitle(page);
  } else if (inOneFile_) {
    pages_.push_back(*figures_.shownDrawing());
  } else if (figures_.save(freePath(folder_, name, ending_), settings_.figure)) {
    ++files_;
  } else {
    refused_ += tr("%1 (%2)").arg(pageTitle(page), why_);
  }
  writeNext();
}

void PagesExport::finish() {
  workspace_.setPage(before_);
  isWriting_ = false;
  settings_.exportFolder = folder_;
  if (inOneFile_) {
    finishOneFile();
    return;
  }
  QString message =
      tr("Wrote %1 figures into %2").arg(files_).arg(QDir::toNativeSeparators(folder_));
  if (files_ == 1) message = tr("Wrote 1 figure into %1").arg(QDir::toNativeSeparators(folder_));
  if (refused_.isEmpty()) {
    Q_EMIT said(message + missingText());
  } else {
    // The success of a later page has taken its message away.
    Q_EMIT failed(message + tr("; not written: %1").arg(refused_.join(u", ")) + missingText());
  }
  if (files_ > 0) Q_EMIT written(folder_);
}

void PagesExport::finishOneFile() {
  if (pages_.empty()) {
    Q_EMIT failed(tr("Nothing was written") + missingText());
    return;
  }
  const QString path = freePath(folder_, QStringLiteral("pages"), ending_);
  const std::vector<PrintableFigure> figures = std::exchange(pages_, {});
  if (!figures_.saveAll(path, figures, settings_.figure)) return;
  const QString file = QDir::toNativeSeparators(path);
  Q_EMIT said((figures.size() == 1 ? tr("Wrote 1 figure into %1").arg(file)
                                   : tr("Wrote %1 figures into %2").arg(figures.size()).arg(file)) +
              missingText());
}

QString PagesExport::missingText() const {
  return missing_.isEmpty() ? QString() : tr("; nothing to export: %1").arg(missing_.join(u", "));
}

}  // namespace softscope
