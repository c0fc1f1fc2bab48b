#include "widgets/panels/PictureStrip.h"

#include "core/image/Picture.h"
#include "widgets/controls/NameText.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {

PictureStrip::PictureStrip(QWidget* parent)
    : QWidget(parent),
      note_(new QLabel(this)),
      choices_(new QWidget(this)),
      range_(new QComboBox(choices_)),
      page_(new QSpinBox(choices_)) {
  // The note contains a colour profile's name, which comes from the file and may be anything.
  note_->setTextFormat(Qt::PlainText);
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setAccessibleName(tr("About the picture's file"));

  range_->setAccessibleName(tr("Range of values"));
  range_->setToolTip(
      tr("Values of the file that become black and white: full, all that it can hold; auto, the "
         "picture's smallest and largest; or two numbers, such as 254,3250"));
  range_->setEditable(true);
  range_->setInsertPolicy(QComboBox::NoInsert);
  range_->addItems({QStringLiteral("full"), QStringLiteral("auto")});
  range_->setMinimumContentsLength(5);
  range_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(range_, &QComboBox::activated, this, &PictureStrip::chooseRange);
  connect(range_->lineEdit(), &QLineEdit::editingFinished, this, &PictureStrip::chooseRange);

  page_->setAccessibleName(tr("Page"));
  page_->setToolTip(tr("Page of the file, counted from 1"));
  page_->setPrefix(tr("page "));
  // The whole network runs again for each number.
  page_->setKeyboardTracking(false);
  connect(page_, &QSpinBox::valueChanged, this, [this](int page) {
    // A range chosen before this page has been read is that of this page.
    shown_.page = page;
    Q_EMIT readingChosen(shown_);
  });

  auto* row = new QHBoxLayout(choices_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  row->addWidget(range_, 1);
  row->addWidget(page_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 6);
  column->setSpacing(4);
  column->addWidget(note_);
  column->addWidget(choices_);
  hide();
}

void PictureStrip::setPicture(const Picture* picture) {
  const PictureSource source = picture ? picture->source : PictureSource();
  shown_ = source.reading;
  const std::string note = sourceNote(source, OptionsInNote::Unnamed);
  note_->setText(breakable(QString::fromStdString(note)));
  const bool hasPages = source.pages > 1 && source.pageKind == PageKind::Page;
  const QSignalBlocker quietPage(page_);
  page_->setRange(1, static_cast<int>(std::min<std::uint64_t>(source.pages, mostPicturePages)));
  page_->setValue(shown_.page);
  page_->setVisible(hasPages);
  range_->setVisible(source.isRanged());
  choices_->setVisible(hasPages || source.isRanged());
  // Text that the user is typing is kept.
  if (!range_->lineEdit()->isModified()) showRange();
  setVisible(!note.empty());
}

void PictureStrip::showRange() {
  const QSignalBlocker quiet(range_);
  range_->setCurrentText(QString::fromStdString(sampleRangeText(shown_.range)));
}

void PictureStrip::chooseRange() {
  range_->lineEdit()->setModified(false);
  const QString text = range_->currentText();
  const auto range = parseSampleRange(text.simplified().remove(u' ').toStdString());
  if (!range) {
    showRange();
    Q_EMIT rangeRefused(text);
    return;
  }
  if (*range == shown_.range) return;
  PictureReading reading = shown_;
  reading.range = *range;
  // Pressing Enter and leaving the field are two events for one choice.
  shown_ = reading;
  Q_EMIT readingChosen(reading);
}

}  // namespace softscope
