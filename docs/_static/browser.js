// SPDX-License-Identifier: Apache-2.0
// Runs the specification: Python and refsched come from scripts beside this one, and nothing from elsewhere.
"use strict";

const FOLDER = document.currentScript.src.replace(/[^/]*$/, "") + "in_a_browser/";
const PARTS = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "refsched.zip"];
const KINDS = { wasm: "application/wasm", zip: "application/zip", json: "application/json" };
globalThis.refschedParts = {};

const START = `
import contextlib, importlib.abc, io, sys, types, zipfile

zipfile.ZipFile("/refsched.zip").extractall("/refsched")
sys.path.insert(0, "/refsched")
# A browser has no TLS of its own to give: no extender is called.
sys.modules["ssl"] = types.ModuleType("ssl")
sys.modules["ssl"].SSLContext = object
from refsched.errors import InputError

class Compiled(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("celpy", "lark"):
            raise InputError("selectors of devices in CEL are not evaluated in a browser")

sys.meta_path.insert(0, Compiled())
from refsched.tools.cli.main import cli, main

def answer(manifests, arguments):
    with open("/cluster.yaml", "w", encoding="utf-8") as file:
        file.write(manifests)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        sys.argv = ["refsched", *arguments]
        try:
            main()
        except SystemExit:
            pass
    return printed.getvalue()

answer
`;

function script(name) {
  return new Promise((done, failed) => {
    const added = document.createElement("script");
    added.src = FOLDER + name;
    added.onload = done;
    added.onerror = () => failed(new Error("this copy of the site was built without Pyodide (npm has it)"));
    document.head.append(added);
  });
}

function bytes(name) {
  const text = atob(globalThis.refschedParts[name]);
  const found = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) found[at] = text.charCodeAt(at);
  return found;
}

async function start() {
  for (const name of ["pyodide.js", "pyodide.asm.js", ...PARTS.map((part) => part + ".js")]) await script(name);
  const elsewhere = globalThis.fetch;
  globalThis.fetch = async (address) => {
    const name = String(address.url ?? address).replace(/.*\//, "");
    if (!PARTS.includes(name)) throw new Error(`${name} is not carried by the site`);
    return new Response(bytes(name), { headers: { "content-type": KINDS[name.split(".").pop()] } });
  };
  try {
    const python = await globalThis.loadPyodide({ indexURL: FOLDER });
    python.FS.writeFile("/refsched.zip", bytes("refsched.zip"));
    return python.runPython(START);
  } finally {
    globalThis.fetch = elsewhere;
    globalThis.refschedParts = {};
  }
}

let started;

async function run(form, shown) {
  const release = ["--kubernetes", form.release.value];
  const pod = form.pod.value.trim();
  const command = pod ? ["explain", "-f", "/cluster.yaml", pod] : ["schedule", "-f", "/cluster.yaml"];
  form.run.disabled = true;
  shown.textContent = started ? "…" : "Python is being started, which takes some seconds …";
  await new Promise((done) => setTimeout(done, 50));
  try {
    started ??= start();
    const answer = await started;
    shown.textContent = answer(form.manifests.value, [...command, ...release]);
  } catch (problem) {
    started = undefined;
    shown.textContent = String(problem.message ?? problem);
  }
  shown.tabIndex = 0;
  form.run.disabled = false;
}

const form = document.querySelector("form.in-a-browser");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  run(form, document.querySelector("pre.in-a-browser"));
});
