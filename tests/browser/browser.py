"""A browser for the tests of the pages: headless Chromium, driven over the WebDriver protocol.

CAUCUS_BROWSER is the program, or "none"; without it `chromium` and `chromedriver` are looked for on the PATH.
A test whose browser is missing is skipped (exit status 77).
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "ArrowLeft": "\ue012", "ArrowRight": "\ue014",
        "Control": "\ue009", "Shift": "\ue008", "Backspace": "\ue003"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

# What the pages must obey: names of controls, contrast of text, one main heading, no overflow.
CHECKS = """
const faults = [];
const seen = (e) => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 &&
                      getComputedStyle(e).visibility !== "hidden"; };
const name = (e) => e.tagName + (e.id ? "#" + e.id : "") + " " + e.textContent.trim().slice(0, 30);
for (const e of document.querySelectorAll("input, select, textarea, button, a[href]")) {
  if (!seen(e)) continue;
  const label = (e.getAttribute("aria-label") || e.textContent || "").trim() ||
                [...(e.labels || [])].map((l) => l.textContent.trim()).join(" ");
  if (e.matches("input, select, textarea") && !(e.labels && e.labels.length) && !e.getAttribute("aria-label"))
    faults.push("no label: " + name(e));
  else if (!label) faults.push("no name: " + name(e));
  const r = e.getBoundingClientRect();
  if (r.height < 24 && e.tagName !== "A") faults.push("too small to touch: " + name(e));
}
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) faults.push("an id occurs twice");
if (!document.documentElement.lang) faults.push("no language");
if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
const channels = (text) => text.match(/[\\d.]+/g).map(Number);
const mix = (top, under) => top[3] === undefined || top[3] === 1 ? top.slice(0, 3) :
  [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
const ground = (e) => { if (!e) return [255, 255, 255];
  const c = channels(getComputedStyle(e).backgroundColor);
  return c[3] === 0 ? ground(e.parentElement) : mix(c, ground(e.parentElement)); };
const light = (c) => { const l = c.map((x) => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
  return .2126 * l[0] + .7152 * l[1] + .0722 * l[2]; };
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const e = node.parentElement;
  if (!node.data.trim() || !seen(e) || e.closest("script, style, option")) continue;
  const below = ground(e), a = light(mix(channels(getComputedStyle(e).color), below)), b = light(below);
  const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (contrast < 4.5) faults.push("contrast " + contrast.toFixed(1) + ": " + name(e));
}
if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the screen: " +
  document.documentElement.scrollWidth + " > " + innerWidth);
return faults;
"""


def _ask(url, method="GET", body=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        value = json.load(error)["value"]
        raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None


class Browser:
    """One browser with one window, which ends with the `with` block."""

    def __init__(self, width=1000, height=900):
        program = os.environ.get("CAUCUS_BROWSER") or shutil.which("chromium")
        driver = shutil.which("chromedriver")
        if program == "none" or not program or not driver:
            print("no chromium and chromedriver (CAUCUS_BROWSER)")
            sys.exit(77)
        self.folder = tempfile.mkdtemp(prefix="caucus-browser.")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = None
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = found.group(1)
                break
        options = {"binary": program, "args": ARGUMENTS + [f"--user-data-dir={self.folder}", f"--window-size={width},{height}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = _ask(f"http://127.0.0.1:{port}/session", "POST", {"capabilities": {"alwaysMatch": wanted}})
        self.url = f"http://127.0.0.1:{port}/session/{session['sessionId']}"
        self.messages = []
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            _ask(self.url, "DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def do(self, method, path, body=None):
        return _ask(self.url + path, method, body if method == "GET" or body is not None else {})

    def size(self, width, height):
        """The size of the page itself, also below what a window may have."""
        self.do("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})

    def open(self, url):
        self.do("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        """The first element, as soon as it is there."""
        return self.wait(lambda: self.do("POST", "/elements", {"using": "css selector", "value": selector}),
                         selector)[0][ELEMENT]

    def wait(self, condition, what="", seconds=20):
        end = time.time() + seconds
        while True:
            got = condition()
            if got:
                return got
            if time.time() > end:
                raise AssertionError(f"{what}: not within {seconds} seconds; the page says: {self.text('body')[:2000]}")
            time.sleep(0.05)

    def wait_text(self, selector, text, seconds=20):
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}", seconds)

    def text(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText).join('\\n')", selector)

    def click(self, selector):
        self.do("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        element = self.find(selector)
        self.do("POST", f"/element/{element}/clear")
        self.do("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        """Presses keys together, where the focus is."""
        keys = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": key} for key in keys] + [{"type": "keyUp", "value": key} for key in keys[::-1]]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def focused(self):
        return self.run("const e = document.activeElement; return (e.id ? '#' + e.id + ' ' : '') + e.innerText.split('\\n')[0]")

    def new_tab(self):
        handle = self.do("POST", "/window/new", {"type": "tab"})["handle"]
        self.switch(handle)
        return handle

    def tab(self):
        return self.do("GET", "/window")

    def switch(self, handle):
        self.do("POST", "/window", {"handle": handle})

    def check(self, place):
        """Names of controls, contrast, overflow; prints what is wrong."""
        for fault in self.run(CHECKS):
            print(f"{place}: {fault}")

    def errors(self, *expected):
        """Prints what the console has got since the last call, but for lines with an expected text."""
        for entry in self.do("POST", "/se/log", {"type": "browser"}):
            if entry["level"] in ("SEVERE", "WARNING") and not any(text in entry["message"] for text in expected):
                print("console:", entry["level"], entry["message"])

    def picture(self, path):
        """Writes the whole page as a PNG file."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return innerWidth")
        self.size(width, max(200, min(height, 4000)))
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.do("GET", "/screenshot")))
