#include "widgets/controls/Theme.h"

#include <QtCore/QEvent>
#include <QtCore/QFile>
#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>
#include <QtSvg/QSvgRenderer>
#include <QtWidgets/QAbstractSpinBox>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QProxyStyle>
#include <QtWidgets/QSlider>
#include <QtWidgets/QStyleOption>
#include <QtWidgets/QWidget>

#include <cmath>
#include <utility>

/// Icons are compiled into a static library, and the linker would drop them otherwise. Qt requires
/// this call outside any namespace.
static void initResources() {
  Q_INIT_RESOURCE(icons);
}

namespace softscope {
namespace {

struct Shades {
  QColor window;
  QColor base;
  QColor alternate;
  QColor button;
  QColor text;
  QColor muted;
  QColor line;
  QColor accent;
  QColor onAccent;
};

Shades shadesOf(ViewSettings::Theme theme) {
  if (theme == ViewSettings::Theme::Light) {
    return {QColor(0xf3f4f6), QColor(0xffffff), QColor(0xf0f2f5),
            QColor(0xfafbfc), QColor(0x1b1e24), QColor(0x646b78),
            QColor(0xcfd3da), QColor(0x2f66c9), QColor(0xffffff)};
  }
  return {QColor(0x202226), QColor(0x17191c), QColor(0x1d2024), QColor(0x2c2f35), QColor(0xe4e7ec),
          QColor(0x9299a6), QColor(0x3c4049), QColor(0x6b9bf2), QColor(0x10131a)};
}

QPalette paletteOf(const Shades& shades) {
  QPalette palette(shades.button, shades.window);
  palette.setColor(QPalette::Window, shades.window);
  palette.setColor(QPalette::Base, shades.base);
  palette.setColor(QPalette::AlternateBase, shades.alternate);
  palette.setColor(QPalette::Button, shades.button);
  palette.setColor(QPalette::Mid, shades.line);
  palette.setColor(QPalette::Midlight, shades.line.lighter(108));
  palette.setColor(QPalette::Highlight, shades.accent);
  palette.setColor(QPalette::HighlightedText, shades.onAccent);
  palette.setColor(QPalette::Link, shades.accent);
  palette.setColor(QPalette::ToolTipBase, shades.base);
  palette.setColor(QPalette::PlaceholderText, shades.muted);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                          QPalette::ToolTipText, QPalette::BrightText}) {
    palette.setColor(role, shades.text);
    QColor disabled = shades.muted;
    // Users read the value of a control also while it cannot be changed.
    disabled.setAlpha(200);
    palette.setColor(QPalette::Disabled, role, disabled);
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, shades.line);
  return palette;
}

QString styleSheetOf(const Shades& shades) {
  QString sheet = QStringLiteral(R"(
    QMainWindow::separator { background: @window; width: 5px; height: 5px; }
    QMainWindow::separator:hover { background: @accent; }
    QDockWidget { font-weight: 600; }
    QDockWidget::title { padding: 7px 10px 5px 12px; text-align: left; background: @window;
                         border-top: 1px solid @line; }
    QStatusBar { border-top: 1px solid @line; }
    QStatusBar::item { border: none; }
    QToolTip { color: @text; background: @base; border: 1px solid @line; padding: 3px; }
    QTabBar#groups::tab { padding: 6px 10px 4px; color: @muted; border: none;
                          border-bottom: 3px solid transparent; }
    QTabBar#groups::tab:selected { color: @text; border-bottom-color: @accent; }
    QTabBar#groups::tab:hover:!selected { color: @text; border-bottom-color: @line; }
    QTabBar#pages::tab { padding: 3px 4px; margin: 4px 1px; border: 1px solid transparent;
                         border-radius: 4px; }
    QTabBar#pages::tab:selected { background: @accent; color: @onAccent; }
    QTabBar#pages::tab:hover:!selected { background: @button; border-color: @line; }
    QTabBar#groups::tab:focus, QTabBar#pages::tab:focus { border-color: @text; }
    QToolButton[chip] { padding: 3px 24px 3px 7px; background: @button; border: 1px solid @line;
                        border-radius: 4px; }
    QToolButton[chip]:hover { background: @base; }
    QToolButton[chip]:checked { background: @base; border: 2px solid @accent;
                                padding: 2px 23px 2px 6px; }
    QToolButton[chip][silenced="true"] { color: @muted; border-style: dashed; }
    QToolButton[chip]:focus { border-color: @text; }
    QToolButton[chip]::menu-button { width: 18px; border: none; }
    QToolButton[half] { padding: 3px 9px; background: @button; border: 1px solid @line; }
    QToolButton[half="left"] { border-top-left-radius: 4px; border-bottom-left-radius: 4px; }
    QToolButton[half="right"] { border-top-right-radius: 4px; border-bottom-right-radius: 4px;
                                border-left: none; }
    QToolButton[half]:hover { background: @base; }
    QToolButton[half]:checked { background: @accent; color: @onAccent; border-color: @accent; }
    QToolButton[half]:focus { border-color: @accent; }
  )");
  const std::pair<const char*, QColor> names[] = {
      {"@window", shades.window}, {"@base", shades.base},         {"@button", shades.button},
      {"@line", shades.line},     {"@onAccent", shades.onAccent}, {"@accent", shades.accent},
      {"@text", shades.text},     {"@muted", shades.muted}};
  for (const auto& [name, color] : names) sheet.replace(QLatin1String(name), color.name());
  return sheet;
}

constexpr int menuArrowGap = 8;
constexpr int tabPadding = 12;
/// The margins that Fusion uses in a closed combo box.
constexpr int choiceTextMargin = 2;
constexpr int choiceIconGap = 4;

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() <
         palette.color(QPalette::WindowText).lightness();
}

/// True for a control whose value Qt lets the wheel change.
bool isTurnedByWheel(const QObject& control) {
  return qobject_cast<const QComboBox*>(&control) ||
         qobject_cast<const QAbstractSpinBox*>(&control) || qobject_cast<const QSlider*>(&control);
}

/// Fusion outlines boxes in a darker shade of the window's colour, which is invisible in a dark
/// window; this style draws a visible outline. It also lets the wheel scroll what is behind a
/// control instead of changing the control.
class OutlinedFusion : public QProxyStyle {
 public:
  OutlinedFusion() : QProxyStyle(QStringLiteral("Fusion")) {}

  using QProxyStyle::polish;
  void polish(QWidget* widget) override {
    QProxyStyle::polish(widget);
    if (!isTurnedByWheel(*widget)) return;
    // The wheel must not give the focus either.
    if (widget->focusPolicy() == Qt::WheelFocus) widget->setFocusPolicy(Qt::StrongFocus);
    widget->installEventFilter(this);
  }

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel || !isTurnedByWheel(*watched)) {
      return QProxyStyle::eventFilter(watched, event);
    }
    // A closed list keeps the focus after a choice, when the user means to scroll past it again.
    const bool takesWheel =
        static_cast<QWidget*>(watched)->hasFocus() && !qobject_cast<QComboBox*>(watched);
    if (takesWheel) return false;
    event->ignore();
    return true;
  }

  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override {
    // Makes the tabs of a group fit beside the docks in a window 800 pixels wide.
    if (metric == PM_TabBarTabHSpace) return tabPadding;
    return QProxyStyle::pixelMetric(metric, option, widget);
  }

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returned) const override {
    // Fusion's crosses and ticks on buttons are black even in a dark window.
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
  }

  QIcon standardIcon(StandardPixmap pixmap, const QStyleOption* option,
                     const QWidget* widget) const override {
    // Fusion's close icon is a bitmap of ten pixels, and dark even in dark windows.
    if (pixmap == SP_TitleBarCloseButton && qobject_cast<const QDockWidget*>(widget)) {
      return themedIcon(QStringLiteral("close"), widget->palette());
    }
    return QProxyStyle::standardIcon(pixmap, option, widget);
  }

  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override {
    QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (type == CT_PushButton && button && button->features.testFlag(QStyleOptionButton::HasMenu)) {
      // Without a gap the arrow would touch the text.
      wanted.rwidth() += menuArrowGap;
    }
    return wanted;
  }

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_IndicatorCheckBox || element == PE_FrameLineEdit) outline(*option, *painter);
  }

  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox) outline(*option, *painter);
  }

  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override {
    const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (element != CE_ComboBoxLabel || !box) {
      QProxyStyle::drawControl(element, option, painter, widget);
      return;
    }
    // Otherwise a text that does not fit is cut off in the middle of a letter.
    QStyleOptionComboBox elided = *box;
    int room =
        subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - choiceTextMargin;
    if (!box->currentIcon.isNull()) room -= box->iconSize.width() + choiceIconGap;
    elided.currentText = box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, room);
    QProxyStyle::drawControl(element, &elided, painter, widget);
  }

 private:
  static void outline(const QStyleOption& box, QPainter& painter) {
    // Fusion already marks the focus in the accent colour.
    if (!isDark(box.palette) || box.state.testFlag(State_HasFocus)) return;
    QColor line = mutedText(box.palette);
    line.setAlpha(box.state.testFlag(State_Enabled) ? 180 : 70);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(box.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.restore();
  }
};

QFont sized(QFont font, double scale) {
  if (font.pointSizeF() > 0) {
    font.setPointSizeF(font.pointSizeF() * scale);
  } else {
    font.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * scale)));
  }
  return font;
}

}  // namespace

ViewSettings::Theme systemTheme() {
  return isDark(QGuiApplication::palette()) ? ViewSettings::Theme::Dark
                                            : ViewSettings::Theme::Light;
}

QIcon programIcon() {
  return QIcon(QStringLiteral(":/softscope/icons/softscope.svg"));
}

void loadIcons() {
  initResources();
  programIcon().pixmap(1, 1);
}

void applyTheme(QApplication& application, ViewSettings::Theme theme) {
  initResources();
  const Shades shades = shadesOf(theme);
  application.setStyle(new OutlinedFusion);  // the application takes ownership
  application.setPalette(paletteOf(shades));
  application.setStyleSheet(styleSheetOf(shades));
}

void setTextSize(QApplication& application, const QFont& font, double scale) {
  const QFont wanted = sized(font, scale);
  if (wanted == QApplication::font()) return;
  QApplication::setFont(wanted);
  // Widgets with a style sheet take a new font only when the style sheet is set again.
  application.setStyleSheet(application.styleSheet());
}

FigureStyle screenStyle(const QWidget& widget) {
  const QPalette& palette = widget.palette();
  FigureStyle style;
  style.ground = palette.color(QPalette::Window);
  style.text = palette.color(QPalette::WindowText);
  style.muted = mutedText(palette);
  style.frame = palette.color(QPalette::Mid);
  style.title = sized(widget.font(), 0.95);
  style.small = sized(widget.font(), 0.85);
  style.hairline = 1;
  style.gap = 4;
  style.barHeight = 5;
  return style;
}

QColor mutedText(const QPalette& palette) {
  return palette.color(QPalette::PlaceholderText);
}

QIcon themedIcon(const QString& name, const QPalette& palette) {
  QFile file(QStringLiteral(":/softscope/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QByteArray drawing = file.readAll();
  drawing.replace("currentColor", palette.color(QPalette::WindowText).name().toLatin1());
  QSvgRenderer renderer(drawing);
  QIcon icon;
  for (const int side : {16, 20, 24, 32, 48, 64, 96}) {
    QPixmap pixmap(side, side);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    icon.addPixmap(pixmap);
  }
  return icon;
}

}  // namespace softscope
