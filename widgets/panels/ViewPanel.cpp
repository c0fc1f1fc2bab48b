#include "widgets/panels/ViewPanel.h"

#include "core/image/ColorMap.h"
#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QImage>
#include <QtGui/QPixmap>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QStackedLayout>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

namespace softscope {
namespace {

constexpr QSize swatchSize(32, 10);

QIcon swatch(const ColorMap& colors) {
  QImage image(swatchSize, QImage::Format_RGB32);
  for (int x = 0; x < image.width(); ++x) {
    const ColorMap::Color color = colors.at((x + 0.5) / image.width());
    for (int y = 0; y < image.height(); ++y)
      image.setPixel(x, y, qRgb(color[0], color[1], color[2]));
  }
  return QIcon(QPixmap::fromImage(image));
}

QComboBox* colorCombo(QWidget* parent, bool diverging, const QString& name, const QString& tip) {
  auto* combo = new QComboBox(parent);
  combo->setAccessibleName(name);
  combo->setToolTip(tip);
  combo->setIconSize(swatchSize);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(5);
  for (const std::string& map : colorMapNames()) {
    const ColorMap& colors = colorMap(map);
    if (colors.diverging == diverging) combo->addItem(swatch(colors), QString::fromStdString(map));
  }
  return combo;
}

constexpr SettingText colorsText = settingText(viewSettings, "colorMap");
constexpr SettingText signedColorsText = settingText(viewSettings, "divergingColorMap");
constexpr SettingText opacitySettingText = settingText(viewSettings, "opacity");

}  // namespace

ViewPanel::ViewPanel(QWidget* parent)
    : QWidget(parent),
      colors_(colorCombo(this, false, QString::fromUtf8(colorsText.label),
                         QString::fromUtf8(colorsText.tip))),
      signedColors_(
          colorCombo(this, true, tr("Signed colours"), QString::fromUtf8(signedColorsText.tip))),
      opacity_(new QSlider(Qt::Horizontal, this)),
      opacityText_(new QLabel(this)),
      controls_(new QWidget(this)),
      form_(new QFormLayout(controls_)),
      switches_(new FlowLayout(new QWidget(this))),
      stack_(new QStackedLayout(this)) {
  stack_->addWidget(controls_);
  addWords();
  form_->setContentsMargins(12, 8, 12, 12);
  form_->setVerticalSpacing(6);
  form_->setHorizontalSpacing(10);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  // The choice of a channel comes before the style of drawing.
  addChannel();
  addViewSettings();
  addOverHeads();
  switches_->setContentsMargins(0, 0, 0, 0);
  form_->addRow(switches_->parentWidget());
  setChannels({}, 0);
}

void ViewPanel::addWords() {
  auto* nothing = new QLabel(tr("The page in front draws no maps on the picture."), this);
  nothing->setWordWrap(true);
  nothing->setAlignment(Qt::AlignTop);
  nothing->setContentsMargins(12, 8, 12, 12);
  stack_->addWidget(nothing);
}

void ViewPanel::addChannel() {
  forEachSetting(channelSettings, [&](const auto& setting) {
    channel_.addRow(setting, *form_, this, [this] {
      ChannelSettings channel;
      channel_.take(channel);
      Q_EMIT channelChosen(channel);
    });
  });
}

void ViewPanel::addViewSettings() {
  QLayout* opacity = makeOpacity();
  // Colour maps and opacity have their own controls here; every other setting gets one by its type.
  forEachSetting(viewSettings, [&](const auto& setting) {
    const QString label = QString::fromUtf8(setting.text.label);
    if constexpr (requires { setting.isKnown; }) {
      const bool diverging = setting.member == &ViewSettings::divergingColorMap;
      form_->addRow(label, diverging ? signedColors_ : colors_);
    } else if constexpr (requires { setting.least; }) {
      form_->addRow(label, opacity);
    } else {
      addControl(setting, others_, [this] { choose(); });
    }
  });
  for (QComboBox* combo : {colors_, signedColors_}) {
    connect(combo, &QComboBox::activated, this, &ViewPanel::choose);
  }
}

QLayout* ViewPanel::makeOpacity() {
  opacity_->setRange(0, 100);
  opacity_->setAccessibleName(QString::fromUtf8(opacitySettingText.label));
  setKeyTip(*opacity_, QString::fromUtf8(opacitySettingText.tip), "moreOpaque");
  opacityText_->setMinimumWidth(opacityText_->fontMetrics().horizontalAdvance(tr("100 %")));
  opacityText_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* row = new QHBoxLayout;
  row->addWidget(opacity_, 1);
  row->addWidget(opacityText_);
  connect(opacity_, &QSlider::valueChanged, this, &ViewPanel::choose);
  return row;
}

void ViewPanel::addOverHeads() {
  forEachSetting(overHeadsSettings, [&](const auto& setting) {
    addControl(setting, overHeads_, [this] {
      OverHeads overHeads;
      overHeads_.take(overHeads);
      Q_EMIT overHeadsChosen(overHeads);
    });
  });
}

template <typename Setting, typename Controls>
void ViewPanel::addControl(const Setting& setting, Controls& controls,
                           const std::function<void()>& changed) {
  if constexpr (std::is_same_v<decltype(settingControl(setting, this)), QCheckBox*>) {
    switches_->addWidget(controls.add(setting, this, changed));
  } else {
    controls.addRow(setting, *form_, this, changed);
  }
}

void ViewPanel::choose() {
  view_.colorMap = colors_->currentText().toStdString();
  view_.divergingColorMap = signedColors_->currentText().toStdString();
  view_.opacity = opacity_->value() / 100.0;
  others_.take(view_);
  Q_EMIT viewChosen(view_);
}

void ViewPanel::setView(const ViewSettings& view, const OverHeads& overHeads) {
  view_ = view;
  const QSignalBlocker quietOpacity(opacity_);
  colors_->setCurrentText(QString::fromStdString(view.colorMap));
  signedColors_->setCurrentText(QString::fromStdString(view.divergingColorMap));
  const int percent = static_cast<int>(std::lround(view.opacity * 100));
  opacity_->setValue(percent);
  opacityText_->setText(tr("%1 %").arg(percent));
  others_.show(view);
  overHeads_.show(overHeads);
}

void ViewPanel::setFollowed(const std::optional<FollowedView>& followed) {
  // The words are as high as the controls, so that no other panel moves.
  stack_->setCurrentIndex(followed ? 0 : 1);
  if (!followed) return;
  const auto unless = [](bool follows, const QString& reason) {
    return follows ? QString() : reason;
  };
  const QString noValues = unless(followed->values, tr("This page draws no values in colours"));
  const QString noSigns = unless(followed->signs, tr("This page draws no values of both signs"));
  const QString noPicture =
      unless(followed->onPicture, tr("This page draws nothing over the picture"));
  enableFor(*colors_, noValues);
  enableFor(*signedColors_, noValues.isEmpty() ? noSigns : noValues);
  enableFor(*others_.at("range"), noValues);
  enableFor(*opacity_, noPicture);
  opacityText_->setEnabled(followed->onPicture);
  enableFor(*others_.at("fades"), noPicture.isEmpty() ? noValues : noPicture);
  enableFor(*others_.at("smooth"),
            unless(followed->smooth, tr("This page draws each patch in one colour")));
  enableFor(*others_.at("absolute"), noSigns);
  for (const char* panel : {"mean", "largest"}) {
    enableFor(*overHeads_.at(panel),
              unless(followed->overHeads, tr("This page has no panels over all heads")));
  }
}

void ViewPanel::setChannels(const ChannelSettings& channel, int channels) {
  auto* control = qobject_cast<QSpinBox*>(channel_.at("channel"));
  const QSignalBlocker quiet(control);
  // A channel that another layer has, and this one lacks, stays chosen.
  control->setMaximum(std::max(channels - 1, channel.channel));
  channel_.show(channel);
  form_->setRowVisible(control, channels > 0);
}

}  // namespace softscope
