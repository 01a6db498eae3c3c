"""The room: a small web server beside the screen. A student reads the question and votes; there is nothing else here.

Whoever has the link may vote, once a browser: it is a show of hands and no exam. The page runs no script, the server
knows no other address than the link, and nothing leads from it to the cluster.
"""

from __future__ import annotations

import secrets
import socket
from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Thread
from typing import Any
from urllib.parse import parse_qs

from workbench.classroom.page import STYLE, student_page
from workbench.classroom.votes import Votes

LOOPBACK = "127.0.0.1"
VOTERS_MAX = 500
AT_ONCE_MAX = 64
"""Requests that are answered at the same time; one more is closed at once, and its browser asks again."""
FORM_MAX = 200
"""Bytes of a vote."""
SLOW_S = 5.0
"""Who is silent for so long in the middle of a request is let go."""
COOKIE = "voter"
LETTERS = "abcdefghkmnpqrstuvwxyz23456789"
"""None that is taken for another: a student types the link from the wall."""
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class Room(ThreadingHTTPServer):
    """Open from its making until `leave`. OSError when no port is to be had."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = AT_ONCE_MAX

    def __init__(self, host: str = LOOPBACK) -> None:
        self.votes = Votes()
        self._path = "/" + "".join(secrets.choice(LETTERS) for _ in range(6))
        self._voters: set[str] = set()
        self._lock = Lock()
        self._free = BoundedSemaphore(AT_ONCE_MAX)
        super().__init__((host, 0), _Student)
        self.link = f"http://{host}:{self.server_port}{self._path}"
        """What a student opens."""
        self._thread = Thread(target=self.serve_forever, name="classroom", daemon=True)
        self._thread.start()

    def server_bind(self) -> None:
        """As every server, but without asking a name server who this machine is."""
        socket.socket.bind(self.socket, self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def leave(self) -> None:
        """Close the room; who has the page gets no answer any more."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def is_here(self, path: str, host: str | None, origin: str | None) -> bool:
        """Whether a request was meant for this room: by its link, and from no other site's page."""
        own = f"{self.server_name}:{self.server_port}"
        return (
            secrets.compare_digest(path.encode(), self._path.encode())
            and host == own
            and origin in (None, f"http://{own}")
        )

    def voter(self, said: str) -> str:
        """The name a browser has here; a new one for who has none. Empty when the room is full."""
        with self._lock:
            if said in self._voters:
                return said
            if len(self._voters) >= VOTERS_MAX:
                return ""
            name = secrets.token_urlsafe(12)
            self._voters.add(name)
            return name

    def process_request(self, request: Any, client_address: Any) -> None:
        """One thread each, up to a bound."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """As every server, and then there is room for one more."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no news, and the screen belongs to the lecturer."""


class _Student(BaseHTTPRequestHandler):
    server: Room
    timeout = SLOW_S
    server_version, sys_version = "workbench", ""

    def do_GET(self) -> None:
        """The page as it stands for this browser."""
        voter = self._voter()
        if voter:
            self._say(HTTPStatus.OK, student_page(self.server.votes.seen_by(voter)), voter)

    def do_POST(self) -> None:
        """A vote; whether it counted is on the page that follows."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 4 and int(length) <= FORM_MAX):
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        try:
            form = parse_qs(self.rfile.read(int(length)).decode("ascii", "replace"), max_num_fields=2)
        except ValueError:
            form = {}
        voter = self._voter()
        if voter:
            number, letter = form.get("question", [""])[0], form.get("answer", [""])[0]
            if number.isascii() and number.isdigit():
                self.server.votes.vote(voter, int(number), letter)
            self._say(HTTPStatus.SEE_OTHER, "", voter)

    def _voter(self) -> str:
        """Who asks; empty once it was refused."""
        headers = self.headers
        if not self.server.is_here(self.path, headers.get("Host"), headers.get("Origin")):
            self.send_error(HTTPStatus.NOT_FOUND)
            return ""
        try:
            cookies = SimpleCookie(headers.get("Cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        voter = self.server.voter(cookies[COOKIE].value if COOKIE in cookies else "")
        if not voter:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "the room is full")
        return voter

    def _say(self, status: HTTPStatus, page: str, voter: str) -> None:
        body = page.encode()
        self.send_response(status)
        if status is HTTPStatus.SEE_OTHER:
            self.send_header("Location", self.path)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", f"{COOKIE}={voter}; Path={self.path}; HttpOnly; SameSite=Strict")
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Each answer says what a browser may do with it: nothing but show it."""
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        """Nowhere: the terminal is the screen's."""


def address_in_the_network() -> str:
    """Of this machine, as others reach it; empty without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1, RFC 5737: only the route is looked up
        except OSError:
            return ""
        address = str(probe.getsockname()[0])
    return "" if address.startswith("127.") or address == "0.0.0.0" else address
