#include "widgets/panels/FileRow.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

namespace softscope {

FileRow::FileRow(const QString& path, const QString& tip, const QString& title,
                 const QString& filters, QWidget* parent)
    : QWidget(parent), folder_(QFileInfo(path).absolutePath()), name_(new QLineEdit(path, this)) {
  name_->setAccessibleName(tr("File"));
  name_->setToolTip(tip);
  auto* label = new QLabel(tr("&File"), this);
  label->setBuddy(name_);
  auto* button = new QPushButton(tr("&Browse…"), this);
  button->setAccessibleName(tr("Browse for a file"));
  button->setAutoDefault(false);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(name_, 1);
  row->addWidget(button);
  connect(button, &QPushButton::clicked, this, [=, this] { browse(title, filters); });
  connect(name_, &QLineEdit::textChanged, this, &FileRow::changed);
}

QString FileRow::path() const {
  const QString text = name_->text().trimmed();
  if (text == QStringLiteral("~") || text.startsWith(QStringLiteral("~/"))) {
    return QDir::homePath() + text.mid(1);
  }
  return QDir::cleanPath(QDir(folder_).absoluteFilePath(text));
}

bool FileRow::mayWrite() {
  if (!QFileInfo::exists(path())) return true;
  QMessageBox question(QMessageBox::Question, tr("Replace the file?"),
                       tr("%1 is there already.").arg(QFileInfo(path()).fileName()),
                       QMessageBox::Cancel, this);
  auto* replace = question.addButton(tr("&Replace"), QMessageBox::AcceptRole);
  question.setDefaultButton(QMessageBox::Cancel);
  question.exec();
  return question.clickedButton() == replace;
}

void FileRow::browse(const QString& title, const QString& filters) {
  const QString chosen = QFileDialog::getSaveFileName(this, title, path(), filters, nullptr,
                                                      QFileDialog::DontConfirmOverwrite);
  if (!chosen.isEmpty()) name_->setText(chosen);
}

}  // namespace softscope
