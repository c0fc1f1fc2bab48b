"""Engines that run a network of PyTorch, each with the settings that it recommends for the shortest answer in float32.

Each function makes a pass: a function of a picture [1, 3, height, width] that returns what the network returns.
"""
import os
import tempfile


def eager(network, _picture, _threads):
    return network


def inductor(network, picture, _threads):
    import torch
    import torch._inductor.config
    torch._inductor.config.freezing = True
    # Exported first: what is traced then is what ran, as for the engines below.
    compiled = torch.compile(torch.export.export(network, (picture,)).module())
    with torch.inference_mode():
        compiled(picture)
    return compiled


def onnxruntime(network, picture, threads):
    import onnxruntime as runtime
    import torch
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.onnx")
        with torch.no_grad():
            torch.onnx.export(network, (picture,), path, input_names=["picture"], dynamo=True)
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda given: session.run(None, {"picture": given.numpy()})[0]


def openvino(network, picture, threads):
    import openvino as engine
    import torch
    with torch.no_grad():
        converted = engine.convert_model(network, example_input=picture, input=[tuple(picture.shape)])
    compiled = engine.Core().compile_model(converted, "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads})
    request = compiled.create_infer_request()

    def run(given):
        request.infer([given.numpy()], share_inputs=True)
        return request.get_output_tensor(0).data
    return run


ENGINES = {"torch": eager, "inductor": inductor, "onnxruntime": onnxruntime, "openvino": openvino}
