"""The room over real sockets: students who vote, and requests that were not meant for it."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from workbench.classroom.room import AT_ONCE_MAX, FORM_MAX, VOTERS_MAX, Room
from workbench.classroom.votes import Asked

ASKED = Asked("A <b>vote</b>", "Who leads & why?", ("101", "nobody"))


class Student:
    """A browser: keeps its cookie, follows no link by itself."""

    def __init__(self, room: Room) -> None:
        self.address, self.path = (room.server_name, room.server_port), urlsplit(room.link).path
        self.cookie = ""

    def ask(
        self, method: str = "GET", path: str = "", body: str = "", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        link = http.client.HTTPConnection(*self.address, timeout=10)
        try:
            link.request(method, path or self.path, body or None, {"Cookie": self.cookie} | headers)
            answer = link.getresponse()
            page = answer.read().decode()
            if answer.headers["Set-Cookie"]:
                self.cookie = answer.headers["Set-Cookie"].split(";")[0]
            return answer.status, page, answer.headers
        finally:
            link.close()

    def vote(self, letter: str, **headers: str) -> int:
        number = re.search(r'name="question" value="(\d+)"', self.ask()[1])
        return self.ask("POST", body=f"question={number[1] if number else 0}&answer={letter}", **headers)[0]


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    room.votes.ask(ASKED, takes=True)
    yield room
    room.leave()


def test_a_student_reads_votes_changes_it_and_sees_that_the_vote_is_closed(room: Room) -> None:
    ann = Student(room)
    status, page, headers = ann.ask()
    assert status == 200 and "A &lt;b&gt;vote&lt;/b&gt;" in page and "Who leads &amp; why?" in page
    assert "refresh" not in page, "who is reading keeps the page"
    assert "script" not in page and "default-src 'none'" in headers["Content-Security-Policy"]
    assert ann.vote("a") == 303 and "You said <b>a</b>" in ann.ask()[1]
    assert ann.vote("b") == 303 and room.votes.tally().answers == 1
    room.votes.next_round()
    assert room.votes.tally().counted == ((0, 1),)
    assert "The vote is closed" in ann.ask()[1] and "refresh" in ann.ask()[1]
    room.votes.ask(None, takes=False)
    assert "Nothing is asked now" in ann.ask()[1]


def test_sixty_students_vote_at_once(room: Room) -> None:
    students = [Student(room) for _ in range(60)]
    with ThreadPoolExecutor(20) as class_room:
        assert set(class_room.map(lambda student: student.vote("a"), students)) == {303}
    assert room.votes.tally().answers == 60


def test_what_was_not_meant_for_the_room_is_refused_and_counts_nothing(room: Room) -> None:
    ann = Student(room)
    assert ann.ask(path="/")[0] == 404 and ann.ask(path=f"{ann.path}/x")[0] == 404
    assert ann.ask(Host="evil.example")[0] == 404, "a name that somebody else points here"
    assert ann.vote("a", Origin="http://evil.example") == 404
    assert ann.vote("a", Origin="null") == 404
    assert ann.ask("DELETE")[0] == 501
    assert ann.ask("POST", body="x" * (FORM_MAX + 1))[0] == 413
    for body in (
        "question=1",
        "answer=a",
        "question=x&answer=a",
        "question=1&answer=c",
        "&" * 50,
        "question=1&answer=%ff",
    ):
        assert ann.ask("POST", body=body)[0] in (303, 400)
    assert room.votes.tally().answers == 0
    assert ann.vote("a", Origin=f"http://127.0.0.1:{room.server_port}") == 303


def test_a_voter_is_whom_the_room_named(room: Room) -> None:
    ann = Student(room)
    ann.cookie = "voter=I-name-myself"
    ann.vote("a")
    assert ann.cookie != "voter=I-name-myself" and room.votes.tally().answers == 1
    ann.cookie = "\x01=;;voter"
    assert ann.ask()[0] in (200, 400)


def test_a_room_has_an_end(room: Room) -> None:
    for _ in range(VOTERS_MAX):
        room.voter("")
    status, page, _ = Student(room).ask()
    assert status == 503 and "full" in page


def test_silent_visitors_do_not_keep_the_students_out(room: Room) -> None:
    silent = [socket.create_connection((room.server_name, room.server_port)) for _ in range(AT_ONCE_MAX // 2)]
    try:
        assert Student(room).vote("b") == 303
    finally:
        for each in silent:
            each.close()


def test_a_room_that_is_left_answers_nobody() -> None:
    room = Room()
    room.leave()
    with pytest.raises(ConnectionRefusedError):
        Student(room).ask()
