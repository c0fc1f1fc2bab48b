#include "widgets/controls/FoldedText.h"

#include "widgets/controls/NameText.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QEvent>
#include <QtCore/QStringList>
#include <QtGui/QTextLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace softscope {
namespace {

constexpr int fewestLines = 2;
constexpr QMargins textMargins(14, 2, 14, 2);
constexpr int buttonGap = 6;

/// Breaks a text into lines as a label of that width does.
QStringList linesOf(const QString& text, const QFont& font, int width) {
  QTextLayout layout(text, font);
  layout.beginLayout();
  QStringList lines;
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(width);
    lines += text.mid(line.textStart(), line.textLength());
  }
  layout.endLayout();
  return lines;
}

/// Returns the beginning of a text that fills so many lines, with an ellipsis for the rest.
QString shortenedTo(int count, const QString& text, const QFont& font, int width) {
  const QStringList lines = linesOf(text, font, width);
  if (lines.size() <= count) return text;
  QStringList words = lines.mid(0, count).join(QString()).split(QLatin1Char(' '));
  const auto isSeparator = [](const QString& word) {
    return word.isEmpty() || word == captionSeparator.trimmed();
  };
  while (words.size() > 1) {
    while (words.size() > 1 && isSeparator(words.back())) words.removeLast();
    const QString shown = words.join(QLatin1Char(' ')) + QStringLiteral(" …");
    if (linesOf(shown, font, width).size() <= count) return shown;
    words.removeLast();
  }
  return words.front() + QStringLiteral(" …");
}

}  // namespace

FoldedText::FoldedText(QWidget* parent)
    : QWidget(parent), label_(new QLabel(this)), unfold_(new QToolButton(this)) {
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label_->setForegroundRole(QPalette::PlaceholderText);
  unfold_->setCheckable(true);
  unfold_->setAutoRaise(true);
  unfold_->setFocusPolicy(Qt::TabFocus);
  // The height follows from the width alone. A least height would be that of the width before, and
  // would keep a layout from shrinking with the text.
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  connect(unfold_, &QToolButton::toggled, this, &FoldedText::foldAnew);
  fold();
}

void FoldedText::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  foldAnew();
}

QString FoldedText::shownText() const {
  return label_->text().remove(QChar(0x2060));
}

void FoldedText::setFoldedHeight(int height) {
  if (height == foldedHeight_) return;
  foldedHeight_ = height;
  foldAnew();
}

bool FoldedText::isFolded() const {
  return !unfold_->isHidden() && !unfold_->isChecked();
}

int FoldedText::mostLines() const {
  return std::max(fewestLines, foldedHeight_ / label_->fontMetrics().lineSpacing());
}

int FoldedText::heightForWidth(int width) const {
  if (text_.isEmpty()) return 0;
  const int room = width - textMargins.left() - textMargins.right();
  const int beside = room - unfold_->sizeHint().width() - buttonGap;
  const QString text = unbroken(text_);
  auto lines = static_cast<int>(linesOf(text, label_->font(), room).size());
  if (lines > mostLines()) {
    lines = unfold_->isChecked() ? static_cast<int>(linesOf(text, label_->font(), beside).size())
                                 : mostLines();
  }
  return lines * label_->fontMetrics().lineSpacing() + textMargins.top() + textMargins.bottom();
}

QSize FoldedText::sizeHint() const {
  constexpr int usual = 320;
  return {usual, heightForWidth(std::max(usual, width()))};
}

void FoldedText::fold() {
  const QRect room = rect().marginsRemoved(textMargins);
  const QSize button = unfold_->sizeHint();
  const QString text = unbroken(text_);
  const bool fits = linesOf(text, label_->font(), room.width()).size() <= mostLines();
  const bool isOpen = unfold_->isChecked();
  unfold_->setHidden(fits);
  unfold_->setText(isOpen ? tr("Less") : tr("More"));
  unfold_->setAccessibleName(isOpen ? tr("Show less of the text above")
                                    : tr("Show the whole text above"));
  unfold_->setGeometry(QRect(QPoint(room.right() + 1 - button.width(), room.top()), button));
  const int width = fits ? room.width() : room.width() - button.width() - buttonGap;
  label_->setGeometry(room.left(), room.top(), std::max(1, width), std::max(1, room.height()));
  label_->setText(fits || isOpen ? text : shortenedTo(mostLines(), text, label_->font(), width));
  label_->setAccessibleName(text_);
  label_->setToolTip(isFolded() ? text_ : QString());
}

void FoldedText::foldAnew() {
  fold();
  updateGeometry();
}

void FoldedText::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fold();
}

void FoldedText::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) foldAnew();
}

}  // namespace softscope
