#include "app/window/live/PythonLink.h"

#include "app/window/live/ModelSeries.h"
#include "app/window/live/StepBar.h"
#include "core/Error.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QBuffer>
#include <QtCore/QFileInfo>
#include <QtGui/QImage>

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

/// Encodes quickly rather than small: the bytes only travel through memory.
QByteArray pngOf(const LivePicture& picture) {
  const QImage image(reinterpret_cast<const uchar*>(picture.rgb.data()), picture.width,
                     picture.height, 3 * picture.width, QImage::Format_RGB888);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG", 90);
  return buffer.data();
}

QString nameIn(const std::string& text) {
  return QString::fromStdString(text);
}

QString quotedIn(const std::string& name) {
  return QStringLiteral("“%1”").arg(nameIn(name));
}

ModelRequest requestFor(const QString& path) {
  ModelRequest request;
  request.path = path.toStdString();
  return request;
}

}  // namespace

PythonLink::PythonLink(std::shared_ptr<LiveProcesses> processes, Workspace& workspace, StepBar& bar)
    : processes_(std::move(processes)), workspace_(workspace), bar_(bar) {
  connect(&workspace.models(), &OpenModels::changed, this, &PythonLink::showSteps);
  connect(&bar, &StepBar::stepWanted, this, &PythonLink::goToStep);
}

PythonLink::~PythonLink() {
  processes_->end();
}

void PythonLink::begin() {
  LiveProcesses::Events events;
  events.connected = [this](const LiveDescription& description) {
    mailbox_.leave([this, description] { takeModel(description); });
  };
  events.brought = [this](const std::string& name, const LivePicture& picture) {
    const QString title = picture.name.empty() ? QStringLiteral("picture from Python")
                                               : QFileInfo(nameIn(picture.name)).fileName();
    mailbox_.leave(
        [this, name, title, bytes = pngOf(picture)] { takePicture(name, bytes, title); });
  };
  events.stepped = [this](const std::string& name, const LiveStep& step) {
    mailbox_.leave([this, name, step] { takeStep(name, step); });
  };
  events.left = [this](const std::string& name, const std::string& reason) {
    mailbox_.leave([this, name, reason] { takeEnd(name, reason); });
  };
  events.refused = [this](const std::string& reason) {
    mailbox_.leave([this, reason] {
      Q_EMIT failed(tr("A process wanted to connect, but %1").arg(nameIn(reason)));
    });
  };
  processes_->begin(std::move(events));
}

void PythonLink::takeModel(const LiveDescription& description) {
  // A series is opened with its first step.
  if (description.isSeries) return;
  if (description.bringsPicture) {
    expecting_.insert(description.name);
  } else {
    openModel(description.name);
  }
}

void PythonLink::takePicture(const std::string& name, const QByteArray& bytes,
                             const QString& title) {
  workspace_.picture().decode(bytes, title);
  if (expecting_.erase(name) > 0) openModel(name);
}

void PythonLink::openModel(const std::string& name) {
  Q_EMIT connected();
  const ModelRequest request = requestFor(nameIn(livePath(name)));
  const std::vector<OpenedModel>& models = workspace_.models().all();
  const auto known = std::find_if(models.begin(), models.end(), [&](const OpenedModel& model) {
    return model.request.path == request.path;
  });
  if (known != models.end()) {
    Q_EMIT said(tr("%1 is connected again").arg(quotedIn(name)));
    workspace_.queue().openAgain(known->id, request, known->givenName);
  } else {
    Q_EMIT said(tr("%1 is connected").arg(quotedIn(name)));
    workspace_.queue().openBeside(request, true, true, nameIn(name));
  }
}

ModelSeries& PythonLink::seriesOf(const std::string& name) {
  const auto known = std::find_if(series_.begin(), series_.end(), [&](const auto& series) {
    return series->name() == nameIn(name);
  });
  if (known != series_.end()) return **known;
  series_.push_back(std::make_unique<ModelSeries>(nameIn(name)));
  return *series_.back();
}

void PythonLink::takeStep(const std::string& name, const LiveStep& step) {
  ModelSeries& series = seriesOf(name);
  const std::vector<OpenedModel>& models = workspace_.models().all();
  const auto known = std::find_if(models.begin(), models.end(), [&](const OpenedModel& model) {
    return series.find(nameIn(model.request.path)).has_value();
  });
  // Whoever looks at the last step follows the training; whoever went back stays there.
  const bool follows = known != models.end() && !series.steps().empty() &&
                       series.find(nameIn(known->request.path)) == series.steps().size() - 1;
  try {
    series.add(step);
  } catch (const Error& error) {
    Q_EMIT failed(nameIn(error.what()));
    return;
  }
  const std::size_t last = series.steps().size() - 1;
  if (known == models.end()) {
    workspace_.queue().openBeside(requestFor(series.path(last)), true, false, series.title(last));
  } else if (follows) {
    workspace_.queue().openAgain(known->id, requestFor(series.path(last)), series.title(last));
  }
  showSteps();
}

void PythonLink::takeEnd(const std::string& name, const std::string& reason) {
  expecting_.erase(name);
  const QString quoted = quotedIn(name);
  const bool isSeries = std::any_of(series_.begin(), series_.end(), [&](const auto& series) {
    return series->name() == nameIn(name);
  });
  if (!reason.empty()) {
    Q_EMIT failed(tr("The connection to %1 was closed: %2. What it answered last stays.")
                      .arg(quoted, nameIn(reason)));
  } else if (isSeries) {
    Q_EMIT said(tr("The training of %1 is gone; its steps stay").arg(quoted));
  } else {
    Q_EMIT failed(tr("The Python process of %1 is gone. What it answered last stays; "
                     "softscope.show() there goes on.")
                      .arg(quoted));
  }
}

std::pair<ModelSeries*, std::size_t> PythonLink::shownSeries() const {
  const OpenedModel* current = workspace_.models().current();
  if (current == nullptr) return {nullptr, 0};
  for (const auto& series : series_) {
    if (const auto index = series->find(nameIn(current->request.path))) {
      return {series.get(), *index};
    }
  }
  return {nullptr, 0};
}

void PythonLink::showSteps() {
  const auto [series, shown] = shownSeries();
  bar_.setVisible(series != nullptr);
  if (series != nullptr) bar_.setSteps(series->name(), series->steps(), shown);
}

void PythonLink::goToStep(int index) {
  const auto [series, shown] = shownSeries();
  const auto wanted = static_cast<std::size_t>(index);
  if (series == nullptr || wanted >= series->steps().size() || wanted == shown) return;
  workspace_.queue().openAgain(workspace_.models().current()->id, requestFor(series->path(wanted)),
                               series->title(wanted));
}

}  // namespace softscope
