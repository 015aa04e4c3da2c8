"""When a request counts as arrived: not before it is whole, and at once when waiting for more makes no sense."""

from __future__ import annotations

import pytest

from service.arrivals import MOST_COLLECTED, Arrival

HEAD = b"POST /v1/games HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: Chunked\r\n\r\n"

WHOLE = [
    HEAD + b"\r\n",
    b"\r\n" + HEAD + b"\r\n",
    HEAD + b"Content-Length: 0\r\n\r\n",
    HEAD + b"content-LENGTH:5 \r\n\r\n{   }",
    CHUNKED + b"0\r\n\r\n",
    CHUNKED + b"2;a=b\r\n{}\r\n0\r\n\r\n",
    CHUNKED + b"0000000000002\r\n{}\r\n00\r\n\r\n",
    HEAD + b"Content-Length: 0000000005\r\n\r\n{   }",
    CHUNKED + b"10\r\n0\r\n\r\n0\r\n\r\n      \r\n1\r\nx\r\n0\r\nTrailer: y\r\n\r\n",
]
SPECIAL = [
    HEAD + b"Expect: a miracle\r\nContent-Length: 5\r\n\r\n",
    HEAD + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
    HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    HEAD + b"Content-Length: -5\r\n\r\n",
    HEAD + b"Content-Length: 999999\r\n\r\n",
    HEAD + b"Transfer-Encoding: gzip\r\n\r\n",
    CHUNKED + b"ZZ\r\n",
    CHUNKED + b"2\r\n{}xx",
    CHUNKED + b"9999999\r\n",
    CHUNKED + b"1" * 9000,
    b"GET / HTTP/1.1\n",
    HEAD + b"X: y\n",
    b"GET /" + b"x" * 9000,
    b"x" * 8000 + b"\r\n" + b"y" * MOST_COLLECTED,
]


@pytest.mark.parametrize("request_bytes", WHOLE)
def test_a_request_has_arrived_with_its_last_byte(request_bytes: bytes) -> None:
    begin = request_bytes.index(b"POST")
    arrival = Arrival()
    done = [arrival.add(request_bytes[: begin + 1])]
    done += [arrival.add(bytes([byte])) for byte in request_bytes[begin + 1 :]]
    assert done == [False] * (len(done) - 1) + [True]
    assert arrival.data == request_bytes
    assert Arrival().add(request_bytes)
    assert Arrival().add(request_bytes + b"GET /next")
    assert not Arrival().add(request_bytes[:-1])


@pytest.mark.parametrize("begin", SPECIAL, ids=range(len(SPECIAL)))
def test_what_the_parser_has_to_see_is_not_waited_for(begin: bytes) -> None:
    assert Arrival().add(begin)
    arrival = Arrival()
    assert any(arrival.add(begin[place : place + 1000]) for place in range(0, len(begin), 1000))


@pytest.mark.parametrize("length", [b"Content-Length: 2\r\n", b"Transfer-Encoding: chunked\r\n"])
@pytest.mark.parametrize("expectation", [b"Expect: 100-continue\r\n", b"eXPECT:100-Continue \r\n"])
def test_who_waits_to_be_asked_for_the_body_is_known_and_the_parser_is_not_told(
    length: bytes, expectation: bytes
) -> None:
    body = b"{}" if length.startswith(b"Content") else b"2\r\n{}\r\n0\r\n\r\n"
    for head in (HEAD + expectation + length, HEAD + expectation * 2 + length, HEAD + length + expectation):
        arrival = Arrival()
        assert not arrival.add(head + b"\r\n")
        assert arrival.awaits_word
        assert arrival.add(body)
        assert arrival.data == HEAD + length + b"\r\n" + body
    old = Arrival()
    assert not old.add(head.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n")
    assert not old.awaits_word
