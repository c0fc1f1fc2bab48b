"""Chromium without a display, on a page of `softscope figure page`."""
import base64
import json
import pathlib
import shutil
import tempfile

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


class Browser:
    """Opens files, and keeps what the browser logged and asked the network for."""

    def __init__(self, width=1440, height=900, dark=False):
        self.profile = tempfile.TemporaryDirectory()
        options = Options()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--disable-background-networking", "--no-first-run", "--force-device-scale-factor=1",
                         f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(120)
        # A window is never narrower than half a thousand pixels; a phone is.
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        if dark:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def close(self):
        self.driver.quit()
        self.profile.cleanup()

    def open(self, path):
        """Loads a page and waits until it has drawn."""
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(pathlib.Path(path).absolute().as_uri())
        self.driver.execute_async_script("const done = arguments[0]; softscope.ready.then(() => done(), done);")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def layers(self, model=0):
        return self.run("return softscope.layers(arguments[0])", model)

    def matrices(self, layer, of="row", model=0):
        """All rows of a layer, or all columns as rows: [heads, queries, keys], as the page computes them."""
        texts = self.run("""
            const [of, name, model] = arguments;
            const layer = softscope.layers(model).find(one => one.name === name);
            const count = of === "row" ? layer.queries : layer.keys;
            const heads = [];
            for (let head = 0; head < layer.heads; ++head) {
              const all = [];
              for (let i = 0; i < count; ++i) all.push(...softscope[of](name, head, i, model));
              heads.push(new Float32Array(all));
            }
            // As text: the driver takes a second for each ten thousand numbers.
            return heads.map(values => {
              const bytes = new Uint8Array(values.buffer);
              let text = "";
              for (let i = 0; i < bytes.length; i += 4096) {
                text += String.fromCharCode(...bytes.subarray(i, i + 4096));
              }
              return btoa(text);
            });""", of, layer, model)
        heads = [np.frombuffer(base64.b64decode(text), dtype=np.float32) for text in texts]
        shape = next(one for one in self.layers(model) if one["name"] == layer)
        if of == "row":
            return np.stack([head.reshape(shape["queries"], shape["keys"]) for head in heads])
        return np.stack([head.reshape(shape["keys"], shape["queries"]).T for head in heads])

    def complaints(self):
        """What the browser logged: errors of scripts, violations of the page's policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that were asked for, but for the file itself and what it holds."""
        addresses = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return [address for address in addresses if not address.startswith(("file:", "data:"))]

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))
