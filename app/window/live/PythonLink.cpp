#include "app/window/live/PythonLink.h"

#include "app/window/live/OpenSeries.h"
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

PythonLink::PythonLink(std::shared_ptr<LiveProcesses> processes, Workspace& workspace,
                       OpenSeries& series)
    : processes_(std::move(processes)), workspace_(workspace), series_(series) {}

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
  } else if (workspace_.queue().openArrivingAgain(request.path)) {
    Q_EMIT said(tr("%1 is connected again").arg(quotedIn(name)));
  } else {
    Q_EMIT said(tr("%1 is connected").arg(quotedIn(name)));
    workspace_.queue().openBeside(request, {.keepsPicture = true, .name = nameIn(name)});
  }
}

void PythonLink::takeStep(const std::string& name, const LiveStep& step) {
  try {
    series_.add(name, step);
  } catch (const Error& error) {
    Q_EMIT failed(nameIn(error.what()));
  }
}

void PythonLink::takeEnd(const std::string& name, const std::string& reason) {
  expecting_.erase(name);
  const QString quoted = quotedIn(name);
  if (!reason.empty()) {
    Q_EMIT failed(tr("The connection to %1 was closed: %2. What it answered last stays.")
                      .arg(quoted, nameIn(reason)));
  } else if (series_.hasFromPython(name)) {
    Q_EMIT said(tr("The training of %1 is gone; its steps stay").arg(quoted));
  } else {
    Q_EMIT failed(tr("The Python process of %1 is gone. What it answered last stays; "
                     "softscope.show() there goes on.")
                      .arg(quoted));
  }
}

}  // namespace softscope
