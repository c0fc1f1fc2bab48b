#include "app/window/contents/PageExplanation.h"

#include "core/Error.h"
#include "core/analysis/Explanation.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QCoreApplication>

namespace softscope {
namespace {

QString escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}

QString paragraph(const char* head, const std::string& text) {
  const QString words = QCoreApplication::translate("PageExplanation", head);
  return QStringLiteral("<p style='margin:4px 0'><b>%1</b> %2</p>").arg(words, escaped(text));
}

}  // namespace

QString pageExplanation(const QString& page) {
  try {
    const Explanation told = explanationOf(page.toStdString());
    return QStringLiteral("<p style='margin:0 0 4px'><b>%1.</b> %2</p>")
               .arg(escaped(told.title), escaped(told.shows)) +
           paragraph("Look for:", told.lookFor) + paragraph("Formula:", told.formula) +
           paragraph("Answers to:", told.answersTo);
  } catch (const FileError& error) {
    return escaped(error.what());
  }
}

QString pageTip(const QString& page, const QString& keys) {
  try {
    const Explanation told = explanationOf(page.toStdString());
    const QString title = QString::fromStdString(told.title) + QStringLiteral("  ") + keys;
    return title.trimmed() + QStringLiteral("\n\n") + onLines(QString::fromStdString(told.shows));
  } catch (const FileError&) {
    return keys;
  }
}

QString pageExplanationWords(const QString& page) {
  try {
    const Explanation told = explanationOf(page.toStdString());
    return QString::fromStdString(told.shows + ' ' + told.lookFor);
  } catch (const FileError&) {
    return {};
  }
}

}  // namespace softscope
