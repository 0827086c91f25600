"""The JavaScript client, in node, against a server."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from web import requests_of

CLIENT = Path(__file__).parents[2] / "clients" / "jo.mjs"
SCRIPT = """
const { act } = await import(process.argv[1]);
const [url, views] = [process.argv[2], JSON.parse(process.argv[3])];
const made = [];
for (const [seed, view] of views.entries()) {
  try {
    made.push(await act(url, view, { id: seed, level: "hard", seed, deadline_ms: 60000 }));
  } catch (error) {
    made.push({ name: error.name, code: error.code, field: error.field });
  }
}
console.log(JSON.stringify(made));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_client_asks_and_is_refused(port, service, game_views):
    views = [*game_views[:5], {**game_views[0], "hand": ["AC"]}]
    command = ["node", "--input-type=module", "-e", SCRIPT, CLIENT.as_uri(), f"http://127.0.0.1:{port}"]
    done = subprocess.run([*command, json.dumps(views)], capture_output=True, text=True, check=True)
    *answers, refused = json.loads(done.stdout)
    requests = requests_of(views[:5], level="hard")
    assert answers == [service.answer(request) for request in requests]
    assert refused == {"name": "JoError", "code": "bad_view", "field": "hand"}
