#include "core/live/LiveProcesses.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

LiveProcesses::LiveProcesses(std::string program) : program_(std::move(program)) {}

LiveProcesses::~LiveProcesses() {
  end();
  // Connections end with their listeners, and notify this object until then.
  listeners_.clear();
  // So do those that an answer still holds. Without the lock, which their threads may wait for.
  std::map<std::string, Process> processes;
  {
    const std::lock_guard lock(mutex_);
    processes.swap(processes_);
  }
}

void LiveProcesses::begin(Events events) {
  {
    const std::lock_guard lock(notifying_);
    events_ = std::move(events);
  }
  for (const auto& listener : listeners_) listener->begin();
}

void LiveProcesses::end() {
  const std::lock_guard lock(notifying_);
  events_ = {};
}

template <typename Event, typename... Arguments>
void LiveProcesses::notify(Event Events::*event, Arguments&&... arguments) {
  const std::lock_guard lock(notifying_);
  if (events_.*event) (events_.*event)(std::forward<Arguments>(arguments)...);
}

std::string LiveProcesses::listenOnFile(const std::string& path) {
  listeners_.push_back(LiveListener::onFile(path, program_, connectionEvents()));
  return listeners_.back()->address();
}

std::string LiveProcesses::listenOnPort(const std::string& address) {
  listeners_.push_back(LiveListener::onPort(address, program_, connectionEvents()));
  return listeners_.back()->address();
}

LiveConnection::Events LiveProcesses::connectionEvents() {
  LiveConnection::Events events;
  events.admitted = [this](std::shared_ptr<LiveConnection> connection, LiveGreeting greeting) {
    admit(std::move(connection), std::move(greeting));
  };
  events.brought = [this](LiveConnection& connection, LivePicture picture) {
    notify(&Events::brought, nameOf(connection), std::move(picture));
  };
  events.stepped = [this](LiveConnection& connection, LiveStep step) {
    notify(&Events::stepped, nameOf(connection), std::move(step));
  };
  events.ended = [this](LiveConnection& connection, const std::string& reason) {
    forget(connection, reason);
  };
  return events;
}

void LiveProcesses::admit(std::shared_ptr<LiveConnection> connection, LiveGreeting greeting) {
  LiveDescription description = std::move(greeting.description);
  // Dropped once the lock is released: its end may have to wait for its thread.
  std::shared_ptr<LiveConnection> former;
  {
    const std::lock_guard lock(mutex_);
    const std::string wanted = description.name;
    const auto isTaken = [this](const std::string& name) {
      const auto found = processes_.find(name);
      return found != processes_.end() && found->second.connection->isOpen();
    };
    for (int number = 2; isTaken(description.name); ++number) {
      description.name = wanted + " " + std::to_string(number);
    }
    Process& process = processes_[description.name];
    former = std::exchange(process.connection, std::move(connection));
    process.description = description;
  }
  notify(&Events::connected, description);
}

void LiveProcesses::forget(const LiveConnection& connection, const std::string& reason) {
  const std::string name = nameOf(connection);
  if (!name.empty()) {
    notify(&Events::left, name, reason);
  } else if (!reason.empty()) {
    notify(&Events::refused, reason);
  }
}

std::string LiveProcesses::nameOf(const LiveConnection& connection) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, process] : processes_) {
    if (process.connection.get() == &connection) return name;
  }
  return {};
}

LiveDescription LiveProcesses::describe(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = processes_.find(name);
  if (found != processes_.end()) return found->second.description;
  throw ModelError("the model " + name +
                   " ran in a Python process that is not connected; softscope.show() or "
                   "softscope.connect() there connects it again");
}

LiveAnswer LiveProcesses::ask(const std::string& name, const LiveQuestion& question,
                              const std::function<void()>& throwIfCancelled) {
  std::shared_ptr<LiveConnection> connection;
  {
    const std::lock_guard lock(mutex_);
    const auto found = processes_.find(name);
    if (found != processes_.end()) connection = found->second.connection;
  }
  if (!connection) describe(name);
  return connection->ask(question, throwIfCancelled);
}

bool LiveProcesses::isConnected(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = processes_.find(name);
  return found != processes_.end() && found->second.connection->isOpen();
}

}  // namespace softscope
