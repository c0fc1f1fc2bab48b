#include "core/checkpoint/PickledTensor.h"

#include "core/checkpoint/ElementType.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <algorithm>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

[[noreturn]] void failTensor(const std::string& what) {
  throw Malformed("has damaged pickle data: " + what);
}

/// A call that the pickle asks for and that is never made.
struct Call {
  const PickleValue* callable = nullptr;
  const PickleValue* arguments = nullptr;

  std::string_view name() const {
    const bool named = callable && callable->is(Kind::Global);
    return named ? std::string_view(callable->text) : std::string_view();
  }
};

Call callOf(const PickleValue& value) {
  return value.is(Kind::Object) ? Call{value.callable, value.arguments} : Call{};
}

const PickleValue& argument(const Call& call, std::size_t index) {
  if (!call.arguments || index >= call.arguments->items.size())
    failTensor("a tensor lacks an argument");
  return *call.arguments->items[index];
}

std::uint64_t unsignedInteger(const PickleValue& value, const char* what) {
  if (!value.is(Kind::Integer)) failTensor(std::string(what) + " is not a whole number");
  if (value.integer < 0) failTensor(std::string(what) + " is negative");
  return static_cast<std::uint64_t>(value.integer);
}

std::vector<std::int64_t> extents(const PickleValue& value, const char* what) {
  constexpr std::size_t mostDimensions = 64;
  const PickleValue* list = &value;
  const bool isSizeObject = value.is(Kind::Object) && value.callable->isGlobal("torch.Size");
  if (isSizeObject) list = &argument(callOf(value), 0);
  if (!list->is(Kind::Tuple) && !list->is(Kind::List))
    failTensor(std::string(what) + " is no sequence");
  if (list->items.size() > mostDimensions) failTensor("a tensor has more than 64 dimensions");
  std::vector<std::int64_t> numbers;
  for (const PickleValue* item : list->items) {
    numbers.push_back(static_cast<std::int64_t>(unsignedInteger(*item, what)));
  }
  return numbers;
}

bool isViewCall(std::string_view name) {
  return name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor" ||
         name == "torch._utils._rebuild_tensor_v3";
}

bool isWrapperCall(std::string_view name) {
  return name == "torch._utils._rebuild_parameter" ||
         name == "torch._utils._rebuild_parameter_with_state" ||
         name == "torch.nn.parameter.Parameter" ||
         // Pickles name it for tensors of an accelerator such as a TPU; its first argument is a
         // tensor on the CPU.
         name == "torch._utils._rebuild_device_tensor_from_cpu_tensor";
}

bool isSubclassCall(std::string_view name) {
  return name == "torch._tensor._rebuild_from_type_v2" ||
         name == "torch._tensor._rebuild_from_type";
}

bool isUnsupportedCall(std::string_view name) {
  constexpr std::string_view prefix = "torch._utils._rebuild_";
  if (!name.starts_with(prefix)) return false;
  constexpr std::string_view kinds[] = {
      "qtensor",          "sparse_tensor",          "sparse_csr_tensor",        "nested_tensor",
      "wrapper_subclass", "meta_tensor_no_storage", "device_tensor_from_numpy", "xla_tensor"};
  return std::ranges::find(kinds, name.substr(prefix.size())) != std::end(kinds);
}

/// Throws if a view's metadata say that its numbers are stored with the opposite sign, or its
/// complex numbers unconjugated, which PyTorch makes up for only when it computes.
void refuseLazyBits(const Call& call, std::size_t index) {
  if (!call.arguments || index >= call.arguments->items.size()) return;
  const PickleValue* metadata = call.arguments->items[index];
  // TorchScript wraps dictionaries in a call that gives their type.
  const Call wrapped = callOf(*metadata);
  if (wrapped.name() == "torch.jit._pickle.restore_type_tag") metadata = &argument(wrapped, 0);
  for (const char* bit : {"neg", "conj"}) {
    const PickleValue* isSet = findEntry(metadata->entries, bit);
    if (!isSet || !isSet->is(Kind::Bool) || isSet->integer == 0) continue;
    throw Malformed("is stored as the " +
                    std::string(bit == std::string_view("neg") ? "negative" : "conjugate") +
                    " of its numbers; save tensor.resolve_" + bit + "() instead");
  }
}

/// Returns the call that creates the tensor itself, without the parameters and classes around it.
Call innermostCall(const PickleValue& value) {
  constexpr int mostLayers = 8;
  Call call = callOf(value);
  for (int layer = 0; layer < mostLayers; ++layer) {
    if (isSubclassCall(call.name())) {
      call = {&argument(call, 0), &argument(call, 2)};
    } else if (isWrapperCall(call.name())) {
      call = callOf(argument(call, 0));
    } else {
      return call;
    }
  }
  failTensor("a tensor is wrapped too often");
}

}  // namespace

bool isPickledTensor(const PickleValue& value) {
  const std::string_view name = callOf(value).name();
  return isViewCall(name) || isWrapperCall(name) || isSubclassCall(name) || isUnsupportedCall(name);
}

bool isPickledStorage(const PickleValue& persistentId) {
  const PickleValue* identifier = persistentId.arguments;
  return persistentId.is(Kind::PersistentId) && identifier->is(Kind::Tuple) &&
         identifier->items.size() >= 5 && identifier->items[0]->is(Kind::String) &&
         identifier->items[0]->text == "storage";
}

void refuseProtocolZero(const PickleTree& tree) {
  const auto isText = [](const PickleValue* id) { return id->arguments->is(Kind::String); };
  if (std::ranges::any_of(tree.persistentIds(), isText)) {
    throw Malformed(
        "was saved with pickle protocol 0, which cannot hold tensors; save it again with "
        "pickle_protocol=2");
  }
}

PickledStorage describeStorage(const PickleValue& persistentId) {
  if (!isPickledStorage(persistentId)) failTensor("a tensor has no storage");
  const std::vector<const PickleValue*>& identifier = persistentId.arguments->items;
  const PickleValue& storageClass = *identifier[1];
  const auto type =
      storageClass.is(Kind::Global) ? elementTypeOfStorage(storageClass.text) : std::nullopt;
  if (!type) {
    throw Malformed(unsupportedTypeText(storageClass.text));
  }
  PickledStorage storage;
  if (!identifier[2]->is(Kind::String)) failTensor("a storage has no key");
  constexpr std::size_t longestKey = 256;
  if (identifier[2]->text.size() > longestKey) failTensor("a storage's key is too long");
  storage.key = identifier[2]->text;
  storage.type = *type;
  storage.count = unsignedInteger(*identifier[4], "a storage's size");
  const bool isView = identifier.size() > 5 && identifier[5]->items.size() == 3;
  if (isView) {
    storage.offset = unsignedInteger(*identifier[5]->items[1], "a storage's offset");
    storage.count = unsignedInteger(*identifier[5]->items[2], "a storage's size");
  }
  return storage;
}

PickledTensor describeTensor(const PickleValue& value) {
  const Call call = innermostCall(value);
  const std::string_view name = call.name();
  if (!isViewCall(name)) {
    throw Malformed("is of a kind that is not supported (" + quotedText(name) +
                    "); save it as a plain dense tensor");
  }
  PickledTensor tensor;
  tensor.storage = describeStorage(argument(call, 0));
  tensor.type = tensor.storage.type;
  tensor.offset = unsignedInteger(argument(call, 1), "a tensor's offset");
  tensor.sizes = extents(argument(call, 2), "a tensor's size");
  tensor.strides = extents(argument(call, 3), "a tensor's stride");
  if (tensor.sizes.size() != tensor.strides.size())
    failTensor("a tensor's sizes and strides differ");
  if (name.ends_with("_v3")) {
    const PickleValue& typeName = argument(call, 6);
    const auto type = typeName.is(Kind::Global) ? elementTypeNamed(typeName.text) : std::nullopt;
    if (!type) {
      throw Malformed(unsupportedTypeText(typeName.text));
    }
    tensor.type = *type;
  }
  refuseLazyBits(call, name.ends_with("_v3") ? 7 : 6);
  return tensor;
}

}  // namespace softscope
