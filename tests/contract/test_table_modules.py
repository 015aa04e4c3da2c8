"""The table's pure modules, asked in the browser that runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engine.cards import Edition
from engine.shuffle import Shuffle
from tests.contract.browsing import Guest, asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.check, pytest.mark.timeout(300)]

SEED = bytes(range(32)).hex()
HAND = ["1", "2", "2", "4", "6", "6", "7", "9", "C", "C"]
PAIRS = [{"type": "play", "cards": cards, "kind": "pair"} for cards in (["6", "6"], ["C", "C"])]
PASS = {"type": "pass"}


@pytest.fixture(name="guest", scope="module")
def _guest(browser: Browser, service_url: str) -> Iterator[Guest]:
    guest = Guest.come(browser, service_url)
    guest.open()
    yield guest
    guest.page.context.close()


def ask(guest: Guest, module: str, expression: str, given: Any = None) -> Any:
    """What an expression on a module `it` and on what is `given` answers."""
    return guest.page.evaluate(f"async (given) => {{ const it = await import('/play/{module}'); {expression} }}", given)


@pytest.mark.parametrize("client_seed", ["", "crisps", "Knäckebrot ☂"])
@pytest.mark.parametrize("edition", list(Edition))
def test_the_page_shuffles_as_the_engine_does(guest: Guest, client_seed: str, edition: Edition) -> None:
    expected = [edition.label(rank) for rank in Shuffle(bytes.fromhex(SEED), client_seed).deck()]
    given = [SEED, client_seed, str(edition)]
    assert ask(guest, "shuffle.js", "return it.deckOf(it.bytesOf(given[0]), given[1], given[2])", given) == expected


def test_the_promise_is_the_one_that_the_contract_names(guest: Guest) -> None:
    found = ask(guest, "shuffle.js", "return it.commitmentOf(it.bytesOf(given))", SEED)
    assert found == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_where_the_browser_offers_no_hashes_the_pages_own_are_the_same(guest: Guest) -> None:
    compared = """
        const key = new Uint8Array(32).map((_, i) => 255 - i);
        const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
        const same = (one, other) => String(one) === String(new Uint8Array(other));
        const found = [];
        for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
            const data = new Uint8Array(length).map((_, i) => 7 * i);
            found.push(same(it.sha256(data), await crypto.subtle.digest("SHA-256", data)));
            found.push(same(it.hmac(key, data), await crypto.subtle.sign("HMAC", imported, data)));
        }
        return found;
    """
    assert ask(guest, "sha256.js", compared) == [True] * 20


def record_of_a_deal(service_url: str) -> dict[str, Any]:
    made = asked(f"{service_url}/v1/games", {"ai_reply": "manual"})
    path, token = f"{service_url}/v1/games/{made['game']['id']}", made["tokens"][0]["token"]
    dealt = asked(f"{path}/deal", {"version": 1, "client_seed": "mine"}, token)
    hand = dealt["game"]["deal"]["hand"]
    asked(f"{path}/resign", {"version": dealt["game"]["version"]}, token)
    promised = made["game"]["next_deal"]["commitment"]
    kept = {"promised": promised, "seed": "mine", "hand": hand, "seat": 0}
    return {"record": asked(f"{path}/deals/1"), "kept": kept}


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        ("", set()),
        ("given.record.deck.reverse()", {"deck", "hand"}),
        ("given.record.seed = '00' + given.record.seed.slice(2)", {"commitment", "deck"}),
        ("given.record.seed = given.record.seed.slice(2)", {"commitment", "deck"}),
        ("given.record.client_seed = 'theirs'", {"deck", "seed"}),
        ("given.record.algorithm = 'trust-me'", {"algorithm"}),
        ("given.kept.promised = '0'.repeat(64)", {"promise"}),
    ],
)
def test_a_shuffle_that_was_tampered_with_is_found_out(
    guest: Guest, service_url: str, change: str, failing: set[str]
) -> None:
    found = ask(
        guest, "shuffle.js", f"{change}; return it.checks(given.record, given.kept)", record_of_a_deal(service_url)
    )
    assert len(found) == 6
    assert {check["name"] for check in found if not check["holds"]} >= failing
    assert bool(failing) == any(not check["holds"] for check in found)


@pytest.mark.parametrize(
    ("chosen", "place", "expected"),
    [
        ([], 4, [4]),  # the first 6
        ([4], 5, [4, 5]),
        ([4, 5], 4, [5]),  # taken away again
        ([4], 8, [8]),  # a Crisp does not go with a 6: begin anew
        ([4], 0, None),  # a 1 is in no legal play
    ],
)
def test_a_tap_chooses_what_can_lead_to_a_legal_play(
    guest: Guest, chosen: list[int], place: int, expected: list[int] | None
) -> None:
    given = {"hand": HAND, "chosen": chosen, "place": place, "actions": [*PAIRS, PASS]}
    code = """
        const next = it.tapped(given.hand, new Set(given.chosen), given.place, given.actions);
        return next && [...next].sort();
    """
    assert ask(guest, "legal.js", code, given) == expected


def test_what_can_be_part_of_a_legal_play_is_known(guest: Guest) -> None:
    given = {"hand": HAND, "actions": [*PAIRS, PASS]}
    lit = ask(guest, "legal.js", "return it.usable(given.hand, new Set(), given.actions)", given)
    assert [card for card, on in zip(HAND, lit, strict=True) if on] == ["6", "6", "C", "C"]
    lit = ask(guest, "legal.js", "return it.usable(given.hand, new Set([4]), given.actions)", given)
    assert [card for card, on in zip(HAND, lit, strict=True) if on] == ["6", "6"]


def test_only_what_is_legal_can_be_played(guest: Guest) -> None:
    given = {"actions": [*PAIRS, PASS]}
    assert ask(guest, "legal.js", "return it.playOf(['6', '6'], given.actions)", given) == PAIRS[0]
    assert ask(guest, "legal.js", "return it.playOf(['6'], given.actions)", given) is None
    assert ask(guest, "legal.js", "return it.playOf(['6', '6', 'C'], given.actions)", given) is None
    assert ask(guest, "legal.js", "return it.continuations(['C'], given.actions)", given) == [PAIRS[1]]


def test_four_of_each_rank_are_accounted_for(guest: Guest, service_url: str) -> None:
    made = asked(f"{service_url}/v1/games", {"rules": {"edition": "classic"}})
    path = f"{service_url}/v1/games/{made['game']['id']}/deal"
    view = asked(path, {"version": 1}, made["tokens"][0]["token"])["game"]
    rows = ask(guest, "cards.js", "return it.tally(given)", view)
    assert [row["label"] for row in rows] == [*"23456789", "10", "Q"]
    for row in rows:
        assert sum(row[kind] for kind in ("played", "mine", "known", "up", "unseen")) == 4
    assert sum(row["mine"] for row in rows) == len(view["deal"]["hand"])


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("", {"game": None, "token": None}),
        ("#0a1b", {"game": "0a1b", "token": None}),
        ("#0a1b:tok-en_", {"game": "0a1b", "token": "tok-en_"}),
        ("#0a1b:", {"game": None, "token": None}),
        ("#../../x", {"game": None, "token": None}),
        ("#0a1b:x:y", {"game": None, "token": None}),
    ],
)
def test_an_address_is_read_strictly(guest: Guest, fragment: str, expected: dict[str, str | None]) -> None:
    assert ask(guest, "address.js", "return it.read(given)", fragment) == expected


def test_an_invitation_hands_the_token_over_in_the_fragment(guest: Guest) -> None:
    given = ["https://games.example/crisps/play?x=1#old", "0a1b", "token"]
    found = ask(guest, "address.js", "return it.invitation(...given)", given)
    assert found == "https://games.example/crisps/play#0a1b:token"


@pytest.mark.parametrize("how", ["cut", "stalled", "a page", "nothing"])
def test_an_answer_that_is_not_whole_is_none(guest: Guest, how: str) -> None:
    code = """
        const { fetch, setTimeout } = globalThis;
        const brace = new Uint8Array([123]);
        const begun = (end) => new ReadableStream({ start: (body) => (body.enqueue(brace), end(body)) });
        const late = (signal) => (body) => signal.addEventListener("abort", () => body.error(signal.reason));
        const bodies = {
            cut: () => begun((body) => setTimeout(() => body.error(new TypeError("cut")))),
            stalled: (signal) => begun(late(signal)),
            "a page": () => "<h1>Sign in</h1>",
            nothing: () => "",
        };
        globalThis.fetch = async (_, { signal }) => new Response(bodies[given](signal));
        globalThis.setTimeout = (work, ms) => setTimeout(work, ms / 400);
        const said = new it.Service(document.baseURI).awaited("game", null, 1, 20).catch((problem) => problem.code);
        const patience = new Promise((resolve) => setTimeout(resolve, 2000, "waits for ever"));
        return Promise.race([said, patience]).finally(() => Object.assign(globalThis, { fetch, setTimeout }));
    """
    assert ask(guest, "api.js", code, how) == "unreachable"


def test_it_waits_longer_after_each_failure_and_as_long_as_it_is_told(guest: Guest) -> None:
    waits = ask(guest, "api.js", "return [1, 2, 3, 4, 5, 50].map((failures) => it.patience(failures, {}))")
    for wait, expected in zip(waits, [1000, 2000, 4000, 8000, 15_000, 15_000], strict=True):
        assert 0.8 * expected <= wait <= 1.2 * expected
    assert ask(guest, "api.js", "return it.patience(1, new it.Problem({ retryAfter: 20 }))") == 20_000


def test_a_refusal_that_says_how_long_is_not_asked_before(guest: Guest) -> None:
    code = """
        const asked = [];
        const service = {
            stream: async () => { throw new Error(); },
            awaited: async () => { asked.push(performance.now()); throw { body: { retryAfter: 3 } }; },
        };
        const live = new it.Live(service, { id: "game", token: null, version: 1, linked: () => {} });
        live.start();
        await new Promise((resolve) => setTimeout(resolve, 6000));
        live.stop();
        return asked;
    """
    first, second = ask(guest, "live.js", code)
    assert 2900 <= second - first <= 4500
