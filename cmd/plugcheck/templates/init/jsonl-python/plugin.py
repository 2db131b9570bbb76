#!/usr/bin/env python3
"""A sensor: one request line on stdin, one response line on stdout, logs on stderr."""
import json
import sys


class Refusal(Exception):
    """Why a request is not answered, with the code that the host looks at."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def count(request):
    """Return how many lines each file has."""
    if not isinstance(request, dict) or not isinstance(request.get("operation"), str):
        raise Refusal("incomplete_payload", "a request is an object with an operation")
    if request["operation"] != "count-lines":
        raise Refusal("operation_not_supported", "this sensor only knows count-lines")
    files = request.get("files")
    if not isinstance(files, list):
        raise Refusal("incomplete_payload", "files is a list")
    counts = {}
    for file in files:
        if not isinstance(file, dict) or not isinstance(file.get("path"), str) or not isinstance(file.get("content"), str):
            raise Refusal("incomplete_payload", "each file has a path and its content")
        counts[file["path"]] = file["content"].count("\n")
    return counts


def answer(line):
    try:
        data = count(json.loads(line.decode("utf-8")))
    except Refusal as why:
        return refusal(why.code, str(why))
    except (ValueError, RecursionError) as why:
        return refusal("incomplete_payload", f"the request is no JSON: {why}")
    return {"success": True, "output": {"kind": "analysis", "data": {"lines": data}}, "diagnostics": []}


def refusal(code, message):
    return {"success": False, "output": {"kind": "empty"},
            "diagnostics": [{"severity": "error", "message": message, "reason_code": code}]}


if __name__ == "__main__":
    reply = answer(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(reply).encode("utf-8") + b"\n")
