#pragma once

#include "core/live/LiveListener.h"
#include "core/live/LiveModels.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace softscope {

/// The Python processes that are connected, each with one model. listenOnFile(), listenOnPort(),
/// begin() and end() are its owner's; all else may be used from any thread.
class LiveProcesses : public LiveModels {
 public:
  /// Notifications, made on the threads of connections.
  struct Events {
    /// A model has connected, for the first time or again. Its name may have got a number behind it
    /// if another model of that name is connected.
    std::function<void(const LiveDescription&)> connected;
    std::function<void(const std::string& name, LivePicture)> brought;
    std::function<void(const std::string& name, LiveStep)> stepped;
    /// The process of a model is gone; `reason` is empty if it just left.
    std::function<void(const std::string& name, const std::string& reason)> left;
    /// Somebody who was not admitted, or spoke no sense.
    std::function<void(const std::string& reason)> refused;
  };

  /// `program` names this program and its version to the processes.
  explicit LiveProcesses(std::string program);
  ~LiveProcesses() override;

  /// Listens as LiveListener::onFile() and onPort() do, before begin(). Returns the address.
  std::string listenOnFile(const std::string& path);
  std::string listenOnPort(const std::string& address);
  /// Begins to take connections, which have waited since listening began.
  void begin(Events events);
  /// Ends notifications, for whoever is notified and ends first.
  void end();

  LiveDescription describe(const std::string& name) const override;
  LiveAnswer ask(const std::string& name, const LiveQuestion& question,
                 const std::function<void()>& throwIfCancelled) override;
  bool isConnected(const std::string& name) const;

 private:
  struct Process {
    LiveDescription description;
    std::shared_ptr<LiveConnection> connection;
  };

  LiveConnection::Events connectionEvents();
  void admit(std::shared_ptr<LiveConnection> connection, LiveGreeting greeting);
  void forget(const LiveConnection& connection, const std::string& reason);
  /// Returns the name under which a connection's model is known; empty if it was not admitted.
  std::string nameOf(const LiveConnection& connection) const;
  /// Calls one of the events, unless there are none.
  template <typename Event, typename... Arguments>
  void notify(Event Events::*event, Arguments&&... arguments);

  const std::string program_;
  mutable std::mutex mutex_;
  std::map<std::string, Process> processes_;
  /// Held while a callback runs, so that end() can wait for it.
  std::mutex notifying_;
  Events events_;
  std::vector<std::unique_ptr<LiveListener>> listeners_;
};

}  // namespace softscope
