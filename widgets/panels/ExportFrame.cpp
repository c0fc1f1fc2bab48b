#include "widgets/panels/ExportFrame.h"

#include "widgets/controls/ScrolledContent.h"
#include "widgets/views/FigurePreview.h"

#include <QtGui/QScreen>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStyle>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int exportMargin = 12;
constexpr int settingsWidth = 276;
constexpr int dialogWidth = 980;
/// Room on the screen for the window system's frame and panels.
constexpr QSize aroundDialog(40, 60);

}  // namespace

ExportFrame::ExportFrame(const QString& title, FileRow* file, PrintableFigure figure,
                         QWidget* parent)
    : QDialog(parent), file_(file) {
  setWindowTitle(title);
  file_->setParent(this);
  preview_ = new FigurePreview(std::move(figure), this);
  preview_->setAccessibleName(tr("Preview"));
  message_ = new QLabel(this);
  message_->setAccessibleName(tr("Message"));
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
}

void ExportFrame::arrange(const Parts& parts) {
  auto* shown = new QVBoxLayout;
  shown->addWidget(preview_, 1);
  if (parts.belowPreview) shown->addWidget(parts.belowPreview);
  auto* scroll = new ScrolledPanel(parts.settingsName, parts.settings, this);
  // Large letters need more, or the controls would lose their right ends.
  const int needed = parts.settings->minimumSizeHint().width() +
                     style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
  scroll->setFixedWidth(std::clamp(needed, settingsWidth, dialogWidth / 2));
  auto* top = new QHBoxLayout;
  top->setSpacing(exportMargin);
  top->addLayout(shown, 1);
  top->addWidget(scroll);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(exportMargin, exportMargin, exportMargin, exportMargin);
  column->addLayout(top, 1);
  column->addWidget(message_);
  column->addWidget(file_);
  column->addLayout(makeButtons(parts));
  resize(QSize(dialogWidth, parts.height).boundedTo(screen()->availableSize() - aroundDialog));
}

QPushButton* ExportFrame::makeButton(const QString& text, const QString& tip) {
  auto* button = new QPushButton(text, this);
  button->setAccessibleName(QString(text).remove(QLatin1Char('&')));
  button->setToolTip(tip);
  button->setAutoDefault(false);
  return button;
}

QFormLayout* ExportFrame::makeForm(QWidget* panel) {
  auto* form = new QFormLayout(panel);
  form->setContentsMargins(0, 0, 8, 0);
  form->setVerticalSpacing(7);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  return form;
}

QLayout* ExportFrame::makeButtons(const Parts& parts) {
  QPushButton* command =
      makeButton(tr("Copy as co&mmand"), tr("The command line that writes the same file"));
  QPushButton* cancel = makeButton(tr("Cancel"));
  save_ = makeButton(parts.save);
  save_->setDefault(true);
  connect(command, &QPushButton::clicked, this, [this] { askToCopyCommand(); });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(save_, &QPushButton::clicked, this, [this] {
    if (file_->mayWrite()) askToSave();
  });
  auto* row = new QHBoxLayout;
  if (parts.copy) row->addWidget(parts.copy);
  row->addWidget(command);
  row->addStretch(1);
  // In the desktop's order, as in every other dialog.
  auto* buttons = new QDialogButtonBox;
  buttons->addButton(save_, QDialogButtonBox::AcceptRole);
  buttons->addButton(cancel, QDialogButtonBox::RejectRole);
  row->addWidget(buttons);
  return row;
}

void ExportFrame::showMessage(const QString& message) {
  message_->setText(message);
}

}  // namespace softscope
