"""Pages of a class over real HTTP: what is posted, and the stream that comes down."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headlight.class_routes import ADDRESS
from headlight.teacher import HEADER, PERSON

Headers = dict[str, str]


def teacher(secret: str) -> Headers:
    """What a teacher's page sends along."""
    return {HEADER: secret, PERSON: "screen"}


def student(person: str) -> Headers:
    """What a student's page sends along."""
    return {PERSON: person}


def post(port: int, headers: Headers, **sent: object) -> tuple[int, Any]:
    """The status and the answer of one post."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        body = json.dumps(sent).encode()
        headers = {"Content-Type": "application/json", **headers}
        connection.request("POST", f"/{ADDRESS}", body, headers)
        response = connection.getresponse()
        text = response.read()
        is_json = response.headers.get_content_type() == "application/json"
        return response.status, json.loads(text) if is_json else text.decode()
    finally:
        connection.close()


class Following:
    """A stream of events."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.last = ""

    def event(self) -> tuple[str, Any]:
        """The next one, by its name; what only says that the server lives is passed over."""
        name, data = "", ""
        while True:
            line = self.response.readline().decode()
            if not line:
                raise EOFError
            field, _, value = line.rstrip("\n").partition(": ")
            if field == "id":
                self.last = value
            elif field == "event":
                name = value
            elif field == "data":
                data = value
            elif not field and name:
                return name, json.loads(data)

    def until(self, name: str) -> Any:
        """The data of the next event of this name."""
        while True:
            event, data = self.event()
            if event == name:
                return data


@contextmanager
def following(
    port: int, headers: Headers, room: str = "", last: str = "", source: str = "127.0.0.1"
) -> Iterator[Following]:
    """A stream, from the address `source`; it ends with the block."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=30, source_address=(source, 0)
    )
    try:
        sent = {**headers, **({"Last-Event-ID": last} if last else {})}
        connection.request("GET", f"/{ADDRESS}/stream?room={room}", headers=sent)
        yield Following(connection.getresponse())
    finally:
        connection.close()
