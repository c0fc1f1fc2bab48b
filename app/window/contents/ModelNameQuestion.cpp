#include "app/window/contents/ModelNameQuestion.h"

#include "widgets/workspace/OpenModels.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QInputDialog>

namespace softscope {

void askForModelName(QWidget& window, OpenModels& models, int index) {
  if (index < 0 || index >= static_cast<int>(models.all().size())) return;
  const auto text = [](const char* words) {
    return QCoreApplication::translate("ModelNameQuestion", words);
  };
  const OpenedModel& model = models.all()[static_cast<std::size_t>(index)];
  const int id = model.id;
  bool accepted = false;
  const QString name = QInputDialog::getText(
      &window, text("Rename the model"),
      text("What %1 is called in lists, figures and tables; empty: as its file")
          .arg(QString::fromStdString(model.request.path).section(u'/', -1)),
      QLineEdit::Normal, model.name(), &accepted);
  if (!accepted) return;
  // The model may have moved or been closed while the question was open.
  for (std::size_t i = 0; i < models.all().size(); ++i) {
    if (models.all()[i].id == id) models.rename(static_cast<int>(i), name);
  }
}

}  // namespace softscope
