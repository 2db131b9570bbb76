#!/usr/bin/env python3
"""A veto plugin: one event on stdin, a verdict or nothing on stdout, logs on stderr."""
import json
import sys


def verdict(event):
    """Return the reason for a veto, or None."""
    metadata = event.get("metadata")
    if isinstance(metadata, dict) and metadata.get("code_freeze") is True:
        return "code freeze in effect"
    return None


def main():
    try:
        event = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    except (ValueError, RecursionError) as why:
        print("this is no event:", why, file=sys.stderr)
        return
    if not isinstance(event, dict) or event.get("event") != "completed":
        return
    reason = verdict(event)
    if reason:
        print(json.dumps({"veto": True, "reason": reason}))


main()
