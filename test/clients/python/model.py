"""A language model on OpenAI's wire that decides what it was told to: `{"tool": …, "args": …}` becomes that call, its result the answer."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


def ask(tool, args):
    return json.dumps({"tool": tool, "args": args})


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = asked["messages"][-1]
        if last["role"] == "tool":
            message, why = {"role": "assistant", "content": last["content"] if isinstance(last["content"], str) else json.dumps(last["content"])}, "stop"
        else:
            wanted = json.loads(last["content"] if isinstance(last["content"], str) else last["content"][0]["text"])
            offered = [tool["function"]["name"] for tool in asked["tools"]]
            assert wanted["tool"] in offered, offered
            call = {"id": "call_1", "type": "function", "function": {"name": wanted["tool"], "arguments": json.dumps(wanted["args"])}}
            message, why = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": why}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "decided", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class DecidedModel:
    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
