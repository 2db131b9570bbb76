#!/usr/bin/env node
// A sensor: one request line on stdin, one response line on stdout, logs on stderr.
"use strict";
const fs = require("node:fs");

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// count returns how many lines each file has.
function count(request) {
  if (request === null || typeof request !== "object" || typeof request.operation !== "string") {
    throw new Refusal("incomplete_payload", "a request is an object with an operation");
  }
  if (request.operation !== "count-lines") {
    throw new Refusal("operation_not_supported", "this sensor only knows count-lines");
  }
  if (!Array.isArray(request.files)) {
    throw new Refusal("incomplete_payload", "files is a list");
  }
  return request.files.map((file) => {
    if (file === null || typeof file !== "object" || typeof file.path !== "string" || typeof file.content !== "string") {
      throw new Refusal("incomplete_payload", "each file has a path and its content");
    }
    return { path: file.path, lines: file.content.split("\n").length - 1 };
  });
}

function answer(line) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    return { success: true, output: { kind: "analysis", data: { lines: count(JSON.parse(text)) } }, diagnostics: [] };
  } catch (why) {
    const code = why instanceof Refusal ? why.code : "incomplete_payload";
    return { success: false, output: { kind: "empty" }, diagnostics: [{ severity: "error", message: why.message, reason_code: code }] };
  }
}

// writeSync, so that all of it is out before the process ends.
fs.writeSync(1, JSON.stringify(answer(fs.readFileSync(0))) + "\n");
