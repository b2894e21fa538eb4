"""browser.py -- a Chromium without a window, driven through a pipe (the DevTools protocol), without any library.

What a page says on its console, and every address that it asks for besides its own file, is kept.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Use as `with Browser() as b`; all methods wait for what they ask for."""

    def __init__(self):
        self.home = tempfile.mkdtemp()
        commands, self.to = os.pipe()
        self.back, answers = os.pipe()
        self.complaints, self.requests, self.waiting, self.last, self.bytes = [], [], [], 0, b""
        # The browser reads commands from descriptor 3 and writes answers to 4.
        start = 'exec 3<&%d 4>&%d; exec chromium --headless --no-sandbox --disable-gpu --hide-scrollbars ' \
                '--remote-debugging-pipe --user-data-dir="$1" about:blank' % (commands, answers)
        self.process = subprocess.Popen(["bash", "-c", start, "-", self.home], pass_fds=(commands, answers),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, HOME=self.home))
        os.close(commands)
        os.close(answers)
        self.session = None
        target = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.ask(part + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.bytes:
            more = os.read(self.back, 1 << 16)
            if not more:
                raise SystemExit("FAIL chromium has ended")
            self.bytes += more
        one, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(one)

    def _note(self, m):
        method, p = m.get("method"), m.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(p["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(p["args"])[:400])
        elif method == "Log.entryAdded":
            self.complaints.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"][:200])
        self.waiting.append(method)

    def ask(self, method, **params):
        self.last += 1
        m = {"id": self.last, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.to, json.dumps(m).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise SystemExit("FAIL chromium: %s: %s" % (method, answer["error"]))
                return answer["result"]
            self._note(answer)

    def open(self, path, width, height=1000, is_dark=False, has_scripts=True):
        self.ask("Emulation.setScriptExecutionDisabled", value=not has_scripts)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
                           {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.waiting.clear()
        self.ask("Page.navigate", url="file://" + os.path.realpath(path))
        while "Page.loadEventFired" not in self.waiting:
            self._note(self._message())

    def run(self, script):
        """The value of a JavaScript expression."""
        r = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in r:
            raise SystemExit("FAIL %s: %s" % (script, json.dumps(r["exceptionDetails"])[:300]))
        return r["result"].get("value")

    def click(self, selector):
        """Click where the middle of an element is, as a mouse does."""
        at = self.run("(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center'}); "
                      "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
                      % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def press(self, key, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **extra)

    def picture(self, path, is_whole=False):
        r = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        with open(path, "wb") as f:
            f.write(base64.b64decode(r["data"]))
