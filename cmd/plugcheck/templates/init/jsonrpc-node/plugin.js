#!/usr/bin/env node
// A JSON-RPC plugin: one message a line both ways, logs on stderr.
"use strict";
const fs = require("node:fs");

const tool = {
  name: "count_words",
  description: "Counts the words of a text",
  args_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  risk_level: "low",
};

class Problem extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// send writes at once, and goes on until all of it is out.
function send(message) {
  let rest = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (why) {
      if (why.code !== "EAGAIN") throw why;
    }
  }
}

const methods = new Map([
  ["plugin.initialize", () => {
    send({ id: 1, method: "host.register_tool", params: tool });
    return { name: "NAME", version: "0.1.0", manifest: { name: "NAME", version: "0.1.0", permissions: {} } };
  }],
  ["tool.call", (params) => {
    if (params?.name !== tool.name) throw new Problem(-32602, "there is no such tool");
    const args = params.args;
    if (args === null || typeof args !== "object" || Object.keys(args).join() !== "text" || typeof args.text !== "string") {
      throw new Problem(-32602, "count_words takes a text, and nothing else");
    }
    return { words: args.text.split(/\s+/).filter(Boolean).length };
  }],
  ["plugin.shutdown", () => ({})],
]);

function answer(message) {
  const object = message !== null && typeof message === "object" && !Array.isArray(message);
  if (object && !("method" in message) && ("result" in message || "error" in message)) return; // an answer of the host
  if (!object || message.jsonrpc !== "2.0" || typeof message.method !== "string") {
    send({ id: object ? (message.id ?? null) : null, error: { code: -32600, message: "this is no request" } });
    return;
  }
  if (!("id" in message)) return; // a notification
  try {
    const method = methods.get(message.method);
    if (!method) throw new Problem(-32601, "there is no method " + message.method);
    send({ id: message.id, result: method(message.params) });
  } catch (why) {
    send({ id: message.id, error: { code: why.code ?? -32603, message: why.message } });
  }
  if (message.method === "plugin.shutdown") process.exit(0);
}

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let end; (end = rest.indexOf(10)) >= 0; ) {
    const line = rest.subarray(0, end);
    rest = rest.subarray(end + 1);
    if (line.toString().trim() === "") continue;
    let message;
    try {
      message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    } catch {
      send({ id: null, error: { code: -32700, message: "this is no JSON" } });
      continue;
    }
    answer(message);
  }
});
