#include "core/Error.h"
#include "core/files/Malformed.h"
#include "core/live/LiveListener.h"
#include "core/live/LiveProcesses.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/core/live/LiveClient.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace softscope {
namespace {

constexpr const char* hello = R"({"type": "hello", "protocol": 1, "name": "vit",
  "variant": "VisionTransformer", "layers": [{"name": "blocks.0.attn", "heads": 3}],
  "refused": ["blocks.1.attn: it drops at random"], "classes": ["cat", "dog"], "picture": true})";

/// Collects all notifications as lines of text, in their order.
class Notes {
 public:
  LiveProcesses::Events events() {
    LiveProcesses::Events events;
    events.connected = [this](const LiveDescription& model) { add("connected " + model.name); };
    events.brought = [this](const std::string& name, const LivePicture& picture) {
      add("brought " + name + " " + picture.rgb);
    };
    events.stepped = [this](const std::string& name, const LiveStep& step) {
      add("step " + name + " " + std::to_string(step.step) + " " + step.recording);
    };
    events.left = [this](const std::string& name, const std::string& reason) {
      add("left " + name + (reason.empty() ? "" : ": " + reason));
    };
    events.refused = [this](const std::string& reason) { add("refused: " + reason); };
    return events;
  }
  /// Waits for the note at `index`.
  std::string at(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(15), [&] { return notes_.size() > index; });
    return notes_.size() > index ? notes_[index] : "nothing came";
  }

 private:
  void add(std::string note) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

class LiveProcessesTest : public testing::Test {
 protected:
  void listen() {
    processes_->listenOnFile(file_);
    processes_->begin(notes_.events());
  }
  /// Connects a model to the socket file, up to its welcome.
  test::LiveClient connected() {
    if (!std::filesystem::exists(file_)) listen();
    test::LiveClient client = test::LiveClient::toFile(file_);
    client.send(hello);
    EXPECT_NE(client.receive().json.find("\"welcome\""), std::string::npos);
    return client;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.file("own/window.socket");
  Notes notes_;
  std::unique_ptr<LiveProcesses> processes_ = std::make_unique<LiveProcesses>("softscope 0");
};

// Where as many wait for a window that hangs as its socket lets wait, nobody can connect to it.
TEST_F(LiveProcessesTest, DoesNotWaitForAWindowThatHangs) {
  const std::string path = folder_.file("window.socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const auto* place = reinterpret_cast<const sockaddr*>(&address);
  std::vector<int> sockets = {::socket(AF_UNIX, SOCK_STREAM, 0)};
  ASSERT_EQ(bind(sockets[0], place, sizeof(address)), 0);
  ASSERT_EQ(::listen(sockets[0], 1), 0);
  do {
    sockets.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
  } while (connect(sockets.back(), place, sizeof(address)) == 0);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_THROW(processes_->listenOnFile(path), FileError);
  EXPECT_TRUE(std::filesystem::exists(path)) << "it is the other window's";
  for (const int each : sockets) close(each);
}

TEST_F(LiveProcessesTest, DescribesWhatAProcessSaysOfItsModel) {
  const test::LiveClient client = connected();
  EXPECT_EQ(notes_.at(0), "connected vit");
  const LiveDescription model = processes_->describe("vit");
  EXPECT_EQ(model.variant, "VisionTransformer");
  ASSERT_EQ(model.layers.size(), 1u);
  EXPECT_EQ(model.layers[0].name, "blocks.0.attn");
  EXPECT_EQ(model.layers[0].heads, 3);
  EXPECT_EQ(model.refused, std::vector<std::string>{"blocks.1.attn: it drops at random"});
  EXPECT_EQ(model.classNames, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(model.bringsPicture);
  EXPECT_FALSE(model.isSeries);
  EXPECT_THROW(processes_->describe("other"), ModelError);
}

TEST_F(LiveProcessesTest, AsksAndWaitsForTheAnswer) {
  test::LiveClient client = connected();
  notes_.at(0);
  auto answer = std::async(std::launch::async, [this] {
    return processes_->ask("vit", {{2, 1, "abcdef", {}}}, [] {});
  });
  const LiveFrame question = client.receive();
  EXPECT_EQ(question.payload, "abcdef");
  EXPECT_NE(question.json.find("\"run\""), std::string::npos);
  EXPECT_NE(question.json.find("\"width\":2"), std::string::npos);
  client.send(R"({"type": "answer", "id": 99, "region": [0, 0, 1, 1]})", "to nobody");
  client.send(R"({"type": "answer", "id": 1, "region": [0, 0.5, 2, 0.5]})", "a recording");
  const LiveAnswer got = answer.get();
  EXPECT_EQ(got.recording, "a recording");
  EXPECT_EQ(got.region, (PictureRegion{0, 0.5, 2, 0.5}));
}

TEST_F(LiveProcessesTest, AsksForLogitsWithoutHeads) {
  test::LiveClient client = connected();
  notes_.at(0);
  auto answer = std::async(std::launch::async, [this] {
    return processes_->ask("vit", {{1, 1, "abc", {}}, {{"blocks.0.attn", {0, 2}}}}, [] {});
  });
  EXPECT_NE(client.receive().json.find(R"("silenced":{"blocks.0.attn":[0,2]})"), std::string::npos);
  const float logits[] = {1.5f, -2.0f};
  client.send(R"({"type": "answer", "id": 1, "logits": 2})",
              std::string(reinterpret_cast<const char*>(logits), sizeof(logits)));
  const LiveAnswer got = answer.get();
  EXPECT_EQ(got.logits, (std::vector<float>{1.5f, -2.0f}));
  EXPECT_FALSE(got.added);
}

TEST_F(LiveProcessesTest, TakesHowMuchSilencedHeadsAdd) {
  test::LiveClient client = connected();
  notes_.at(0);
  const auto answered = [&](int id, const std::string& added) {
    auto answer = std::async(std::launch::async, [this] {
      return processes_->ask("vit", {{1, 1, "abc", {}}, {{"blocks.0.attn", {0}}}}, [] {});
    });
    client.receive();
    client.send(R"({"type": "answer", "id": )" + std::to_string(id) +
                    R"(, "logits": 1, "added": )" + added + "}",
                std::string(4, '\0'));
    return answer.get().added.value();
  };
  const LiveAddition added =
      answered(1, R"({"attention": 1, "projected": 2.5, "residual": 3, "output": 4})");
  EXPECT_EQ(added.attention, 1);
  EXPECT_EQ(added.projected, 2.5);
  EXPECT_EQ(added.residual, 3);
  EXPECT_EQ(added.output, 4);
  EXPECT_FALSE(added.beside);
  EXPECT_EQ(answered(2, R"({"attention": 1, "projected": 2, "residual": 3, "output": 4,
                            "beside": 5})")
                .beside,
            5);
  EXPECT_THROW(answered(3, R"({"attention": -1, "projected": 2, "residual": 3, "output": 4})"),
               InspectionError);
}

TEST_F(LiveProcessesTest, AsksWhatReachesAToken) {
  test::LiveClient client = connected();
  notes_.at(0);
  const LiveQuestion question{
      .picture = {1, 1, "abc", {}},
      .reach = LiveReachQuestion{
          .layer = "blocks.0.attn", .token = 7, .behindAttention = true, .directions = 4}};
  const auto ask = [&] {
    return std::async(std::launch::async, [&] { return processes_->ask("vit", question, [] {}); });
  };
  auto answer = ask();
  EXPECT_NE(
      client.receive().json.find(R"("reach":{"behind":"attention","directions":4,"from":"tokens",)"
                                 R"("gradient":"jacobian","layer":"blocks.0.attn","token":7})"),
      std::string::npos);
  const float values[] = {1.5f, 0.0f};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof(values));
  client.send(R"({"type": "answer", "id": 1, "reach": [2], "channels": 3, "directions": 3})",
              bytes);
  const LiveReach reach = answer.get().reach.value();
  EXPECT_EQ(reach.values, (std::vector<float>{1.5f, 0.0f}));
  EXPECT_EQ(reach.height, 1);
  EXPECT_EQ(reach.width, 2);
  EXPECT_EQ(reach.channels, 3);

  auto second = ask();
  client.receive();
  client.send(R"({"type": "answer", "id": 2, "reach": [2, 1], "channels": 3, "directions": 1})",
              bytes);
  EXPECT_EQ(second.get().reach.value().height, 2);

  auto third = ask();
  client.receive();
  client.send(R"({"type": "answer", "id": 3, "reach": [3, 1], "channels": 3, "directions": 1})",
              bytes);
  EXPECT_THROW(third.get(), InspectionError) << "fewer numbers than it announced";
}

TEST_F(LiveProcessesTest, PassesOnWhatPythonCouldNotDo) {
  test::LiveClient client = connected();
  notes_.at(0);
  auto answer = std::async(std::launch::async, [this] {
    return processes_->ask("vit", {{1, 1, "abc", {}}}, [] {});
  });
  client.receive();
  client.send(R"({"type": "answer", "id": 1, "error": "CUDA out of memory"})");
  try {
    answer.get();
    FAIL();
  } catch (const InspectionError& error) {
    EXPECT_STREQ(error.what(), "Python answers: CUDA out of memory");
  }
}

TEST_F(LiveProcessesTest, StopsWaitingWhenCancelledOrAlone) {
  test::LiveClient client = connected();
  notes_.at(0);
  std::atomic<bool> isCancelled = false;
  auto cancelled = std::async(std::launch::async, [&] {
    return processes_->ask("vit", {{1, 1, "abc", {}}}, [&] {
      if (isCancelled) throw Cancelled();
    });
  });
  client.receive();
  isCancelled = true;
  EXPECT_THROW(cancelled.get(), Cancelled);
  auto answer = std::async(std::launch::async, [this] {
    return processes_->ask("vit", {{1, 1, "abc", {}}}, [] {});
  });
  client.receive();
  client.hangUp();
  EXPECT_THROW(answer.get(), InspectionError);
  EXPECT_EQ(notes_.at(1), "left vit");
  EXPECT_FALSE(processes_->isConnected("vit"));
  EXPECT_THROW(processes_->ask("vit", {{1, 1, "abc", {}}}, [] {}), InspectionError);
}

TEST_F(LiveProcessesTest, ANameIsTakenWhileItsProcessIsThere) {
  auto first = std::make_unique<test::LiveClient>(connected());
  EXPECT_EQ(notes_.at(0), "connected vit");
  const test::LiveClient second = connected();
  EXPECT_EQ(notes_.at(1), "connected vit 2");
  first.reset();
  EXPECT_EQ(notes_.at(2), "left vit");
  const test::LiveClient third = connected();
  EXPECT_EQ(notes_.at(3), "connected vit");
  EXPECT_TRUE(processes_->isConnected("vit"));
}

TEST_F(LiveProcessesTest, TakesPicturesAndSteps) {
  test::LiveClient client = connected();
  client.send(R"({"type": "picture", "width": 1, "height": 1, "name": "cat.jpg"})", "rgb");
  client.send(R"({"type": "step", "step": 120})", "recording");
  EXPECT_EQ(notes_.at(1), "brought vit rgb");
  EXPECT_EQ(notes_.at(2), "step vit 120 recording");
}

TEST_F(LiveProcessesTest, ThePortAsksForItsToken) {
  const std::string address = processes_->listenOnPort("127.0.0.1:0");
  processes_->begin(notes_.events());
  const std::size_t colon = address.find(':');
  const std::size_t slash = address.find('/');
  ASSERT_NE(slash, std::string::npos);
  EXPECT_EQ(address.size() - slash, 33u);
  const int port = std::stoi(address.substr(colon + 1));
  test::LiveClient stranger = test::LiveClient::toPort(port);
  stranger.send(hello);
  EXPECT_NE(stranger.receive().json.find("token is missing or wrong"), std::string::npos);
  EXPECT_EQ(stranger.receive().json, "");
  EXPECT_NE(notes_.at(0).find("refused"), std::string::npos);
  test::LiveClient known = test::LiveClient::toPort(port);
  std::string greeting = hello;
  greeting.insert(1, "\"token\": \"" + address.substr(slash + 1) + "\", ");
  known.send(greeting);
  EXPECT_NE(known.receive().json.find("\"welcome\""), std::string::npos);
  EXPECT_EQ(notes_.at(1), "connected vit");
}

TEST_F(LiveProcessesTest, ListensOnLoopbackAlone) {
  for (const char* address : {"0.0.0.0:0", "192.168.1.2:80", "example.org:80", "[::]:0",
                              "127.0.0.1:port", "127.0.0.1:", "127.0.0.1:70000", "8080"}) {
    EXPECT_THROW(processes_->listenOnPort(address), Error) << address;
  }
  for (const char* address : {"", "localhost:0", ":0", "127.0.0.2:0"}) {
    EXPECT_NO_THROW(processes_->listenOnPort(address)) << address;
  }
}

TEST_F(LiveProcessesTest, TheSocketIsTheUsersAlone) {
  processes_->listenOnFile(file_);
  struct stat status {};
  ASSERT_EQ(stat(folder_.file("own").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  LiveProcesses second("softscope 0");
  EXPECT_THROW(second.listenOnFile(file_), FileError);
  std::filesystem::create_directory(folder_.file("shared"));
  std::filesystem::permissions(folder_.file("shared"), std::filesystem::perms(0755));
  EXPECT_THROW(second.listenOnFile(folder_.file("shared/window.socket")), FileError);
}

TEST_F(LiveProcessesTest, ASocketThatAWindowLeftBehindIsReplaced) {
  listen();
  std::filesystem::rename(file_, file_ + ".kept");
  processes_ = std::make_unique<LiveProcesses>("softscope 0");
  std::filesystem::rename(file_ + ".kept", file_);
  listen();
  const test::LiveClient client = connected();
  EXPECT_EQ(notes_.at(0), "connected vit");
}

/// Every message that makes no sense is answered with a line, and the next process is served.
TEST_F(LiveProcessesTest, SurvivesNonsense) {
  listen();
  const std::string head = frameHead({std::string(hello), ""});
  std::string huge = frameHead({std::string(hello), ""});
  for (std::size_t i = 8; i < 16; ++i) huge[i] = '\x7f';
  std::string longJson = frameHead({"", ""});
  longJson[7] = '\x7f';
  const auto framed = [](const std::string& json) { return frameHead({json, ""}) + json; };
  const std::string deep = framed(std::string(100'000, '['));
  const std::pair<std::string, const char*> cases[] = {
      {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "does not speak"},
      {huge, "announced"},
      {longJson, "announced"},
      {framed("[]"), "not a JSON object"},
      {framed("{"), "not a JSON object"},
      {deep, "not a JSON object"},
      {framed(R"({"type": "answer", "id": 1, "region": [0,0,1,1]})"), "not a hello"},
      {framed(R"({"type": "hello", "protocol": 2, "name": "vit"})"), "version 2"},
      {framed(R"({"type": "hello", "protocol": "1", "name": "vit"})"), "protocol"},
      {framed(R"({"type": "hello", "protocol": 1, "name": "a/b"})"), "slashes"},
      {framed(R"({"type": "hello", "protocol": 1, "name": "a\nb"})"), "one line"},
      {framed(R"({"type": "hello", "protocol": 1, "name": ""})"), "name"},
      {framed(
           R"({"type": "hello", "protocol": 1, "name": "v", "layers": [{"name": "a", "heads": 0}]})"),
       "heads"},
      {framed(R"({"type": "hello", "protocol": 1, "name": "v", "layers": 7})"), "layers"},
      {framed(R"({"type": "hello", "protocol": 1, "name": "v", "classes": [1]})"), "classes"},
      {framed(R"({"type": "exec", "code": "1"})"), "hello, picture, answer and step"}};
  std::size_t notes = 0;
  for (const auto& [bytes, reason] : cases) {
    test::LiveClient client = test::LiveClient::toFile(file_);
    client.sendBytes(bytes);
    EXPECT_NE(notes_.at(notes).find(reason), std::string::npos) << notes_.at(notes) << "\n"
                                                                << reason;
    ++notes;
  }
  const test::LiveClient client = connected();
  EXPECT_EQ(notes_.at(notes), "connected vit");
}

TEST_F(LiveProcessesTest, EndsWhoTalksNonsenseLater) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type": "picture", "width": 2, "height": 2})", "the picture has 3 bytes"},
      {R"({"type": "picture", "width": -1, "height": 2})", "width"},
      {R"({"type": "picture", "width": 1e9, "height": 2})", "width"},
      {R"({"type": "answer", "id": 1, "region": [0, 0, 0, 1]})", "empty"},
      {R"({"type": "answer", "id": 1, "region": [0, 0, 1e99, 1]})", "region"},
      {R"({"type": "answer", "id": -1, "error": "x"})", "id"},
      {R"({"type": "answer", "id": 1, "logits": 2})", "3 bytes follow"},
      {R"({"type": "answer", "id": 1, "logits": 1000000000})", "logits"},
      {R"({"type": "step", "step": -1})", "step"},
      {hello, "second hello"}};
  std::size_t notes = 0;
  for (const auto& [json, reason] : cases) {
    test::LiveClient client = connected();
    EXPECT_EQ(notes_.at(notes++), "connected vit");
    client.send(json, "rgb");
    EXPECT_NE(notes_.at(notes).find("left vit: "), std::string::npos) << notes_.at(notes);
    EXPECT_NE(notes_.at(notes).find(reason), std::string::npos) << notes_.at(notes);
    ++notes;
  }
}

TEST_F(LiveProcessesTest, ALotOfConnectionsLeaveRoomForTheNext) {
  listen();
  {
    std::vector<test::LiveClient> idle;
    for (int i = 0; i < 100; ++i) idle.push_back(test::LiveClient::toFile(file_));
  }
  // The last of them may still be on their way out.
  for (int attempt = 0; attempt < 100 && !processes_->isConnected("vit"); ++attempt) {
    test::LiveClient client = test::LiveClient::toFile(file_);
    client.send(hello);
    if (!client.receive().json.empty()) {
      EXPECT_EQ(notes_.at(0), "connected vit");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(notes_.at(0), "connected vit");
}

TEST_F(LiveProcessesTest, WhoDoesNotGreetKeepsNobodyOut) {
  listen();
  std::vector<test::LiveClient> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(test::LiveClient::toFile(file_));
    silent.back().sendBytes("S");
  }
  const test::LiveClient client = connected();
  EXPECT_EQ(notes_.at(0), "connected vit");
}

TEST_F(LiveProcessesTest, AGreetingThatDribblesEnds) {
  listen();
  const std::string greeting = frameHead({std::string(hello), ""}) + hello;
  test::LiveClient slow = test::LiveClient::toFile(file_);
  const auto begun = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - begun; };
  std::thread dribble([&] {
    // Silent for less than the patience with a message, and for longer than that with a greeting.
    for (std::size_t i = 0; i < 6 && passed() < std::chrono::seconds(14); ++i) {
      if (!slow.trySend(greeting.substr(i, 1))) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    }
  });
  EXPECT_NE(notes_.at(0).find("did not greet within 10 seconds"), std::string::npos);
  EXPECT_LT(passed(), std::chrono::seconds(12));
  dribble.join();
}

// While Python computes, it reads nothing, and a picture fits into no socket's buffer.
TEST_F(LiveProcessesTest, WhatIsCancelledWhilePythonComputesIsNotMixedIntoTheNextQuestion) {
  test::LiveClient client = connected();
  notes_.at(0);
  const std::string pixels(3 * 2048 * 2048, 'p');
  const auto ask = [this](const LivePicture& picture, const std::function<void()>& cancel) {
    return processes_->ask("vit", {picture}, cancel);
  };
  std::atomic<bool> isCancelled = false;
  auto begun = std::async(std::launch::async, [&] {
    return ask({2048, 2048, pixels, {}}, [&] {
      if (isCancelled) throw Cancelled();
    });
  });
  const LiveFrameSizes sizes = frameSizes(client.take(liveFrameHead), largestLivePayload);
  isCancelled = true;
  EXPECT_THROW(begun.get(), Cancelled);
  EXPECT_THROW(ask({1, 1, "abc", {}}, [] { throw Cancelled(); }), Cancelled);
  auto answer = std::async(std::launch::async, [&] { return ask({1, 1, "def", {}}, [] {}); });
  EXPECT_NE(client.take(sizes.json).find("\"run\""), std::string::npos);
  EXPECT_TRUE(client.take(static_cast<std::size_t>(sizes.payload)) == pixels);
  EXPECT_EQ(client.receive().payload, "def") << "nothing was sent of the second question";
  client.send(R"({"type": "answer", "id": 3, "region": [0, 0, 1, 1]})", "a recording");
  EXPECT_EQ(answer.get().recording, "a recording");
  EXPECT_TRUE(processes_->isConnected("vit"));
}

// The folder for temporary files may vanish while a window is open.
TEST_F(LiveProcessesTest, TheSocketsOwnFolderGoesWithTheWindow) {
  std::vector<std::pair<const char*, std::string>> before;
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    if (const char* value = std::getenv(name)) before.emplace_back(name, value);
    unsetenv(name);
  }
  setenv("TMPDIR", std::filesystem::path(file_).parent_path().parent_path().c_str(), 1);
  const std::string socket = liveSocketFile();
  processes_->listenOnFile(socket);
  EXPECT_TRUE(std::filesystem::exists(socket));
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_NE(liveSocketFile(), socket);
  processes_.reset();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(socket).parent_path()));
  unsetenv("TMPDIR");
  for (const auto& [name, value] : before) setenv(name, value.c_str(), 1);
}

TEST(LivePath, NamesTheModel) {
  EXPECT_EQ(liveName(livePath("vit 2")), "vit 2");
  EXPECT_EQ(liveName("/tmp/live:vit.pth"), "");
  EXPECT_EQ(liveName("live"), "");
}

}  // namespace
}  // namespace softscope
