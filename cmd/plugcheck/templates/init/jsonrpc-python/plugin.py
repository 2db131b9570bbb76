#!/usr/bin/env python3
"""A JSON-RPC plugin: one message a line both ways, logs on stderr."""
import json
import sys

TOOL = {
    "name": "count_words",
    "description": "Counts the words of a text",
    "args_schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False},
    "risk_level": "low",
}


class Problem(Exception):
    """An error of the protocol, with its code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def send(message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8") + b"\n")
    sys.stdout.buffer.flush()


def initialize(_params):
    send({"id": 1, "method": "host.register_tool", "params": TOOL})
    return {"name": "NAME", "version": "0.1.0", "manifest": {"name": "NAME", "version": "0.1.0", "permissions": {}}}


def tool_call(params):
    if not isinstance(params, dict) or params.get("name") != TOOL["name"]:
        raise Problem(-32602, "there is no such tool")
    args = params.get("args")
    if not isinstance(args, dict) or set(args) != {"text"} or not isinstance(args["text"], str):
        raise Problem(-32602, "count_words takes a text, and nothing else")
    return {"words": len(args["text"].split())}


METHODS = {"plugin.initialize": initialize, "tool.call": tool_call, "plugin.shutdown": lambda _params: {}}


def answer(message):
    """Answer one request, and return whether it was the last."""
    if isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message):
        return False  # an answer of the host
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        number = message.get("id") if isinstance(message, dict) else None
        send({"id": number, "error": {"code": -32600, "message": "this is no request"}})
        return False
    if "id" not in message:
        return False  # a notification
    try:
        method = METHODS.get(message["method"])
        if method is None:
            raise Problem(-32601, "there is no method " + message["method"])
        send({"id": message["id"], "result": method(message.get("params"))})
    except Problem as why:
        send({"id": message["id"], "error": {"code": why.code, "message": str(why)}})
    return message["method"] == "plugin.shutdown"


def main():
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            send({"id": None, "error": {"code": -32700, "message": "this is no JSON"}})
            continue
        if answer(message):
            break


main()
