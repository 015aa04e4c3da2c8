"""Learning by self-play: the same plan makes the same bytes, however it is cut or shared, and it plays well."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ai import plots
from ai.evaluation import arrays_of, empty_weights, load, win_chance
from ai.features import MOST_ROWS
from ai.json_lines import kept
from ai.learning import ForeignCheckpoint, Plan, Training
from ai.scores import Score
from ai.training import CHECKPOINT, LOG, PLOT, WEIGHTS, logged, main
from ai.training_kernels import deal_cards, empty_work, learn
from ai.trials import GREEDY, RANDOM, pair_scores
from ai.world import CARDS, FACE_UP, HAND, RUN_RANKS, TURN_SKIP
from tests.ai.moments import INTERPRETED, scaled

TINY = Plan(deals=scaled(1200, 12), seed=5, round_deals=scaled(200, 2))
ONE = ThreadPoolExecutor(1)
TWO = ThreadPoolExecutor(2)


def bytes_of(training: Training) -> list[bytes]:
    return [
        array.tobytes() for weights in (training.weights, training.blended) for array in arrays_of(weights).values()
    ]


def trained(plan: Plan, threads: ThreadPoolExecutor) -> Training:
    training = Training.start(plan)
    while not training.is_over:
        training.play_round(threads)
    return training


def test_threads_change_nothing_but_the_time() -> None:
    assert bytes_of(trained(TINY, ONE)) == bytes_of(trained(TINY, TWO))


def test_another_seed_makes_other_weights() -> None:
    assert bytes_of(trained(TINY, ONE)) != bytes_of(trained(replace(TINY, seed=6), ONE))


def test_a_resumed_training_makes_the_same_bytes(tmp_path: Path) -> None:
    first = Training.start(TINY)
    for _ in range(2):
        first.play_round(ONE)
    first.save(tmp_path / CHECKPOINT)
    resumed = Training.resume(TINY, tmp_path / CHECKPOINT)
    while not resumed.is_over:
        resumed.play_round(TWO)
    assert bytes_of(resumed) == bytes_of(trained(TINY, ONE))


def test_a_checkpoint_of_another_plan_is_refused(tmp_path: Path) -> None:
    Training.start(TINY).save(tmp_path / CHECKPOINT)
    with pytest.raises(ForeignCheckpoint):
        Training.resume(replace(TINY, seed=9), tmp_path / CHECKPOINT)


def test_a_step_moves_the_value_towards_its_target() -> None:
    training = Training.start(TINY)
    work = empty_work()
    for net in training.weights:
        rows = np.arange(0, MOST_ROWS, 4, dtype=np.int64)
        errors = [learn(net, rows, len(rows), 0.9, 0.01, work) for _ in range(200)]
        assert errors[-1] < 0.01 < errors[0]


def test_exploration_and_step_size_fall_and_the_last_rounds_cool_down() -> None:
    plan = Plan(deals=4_000_000)
    courses = [plan.course(number) for number in range(plan.rounds)]
    assert (courses[0].exploration, courses[0].rate) == pytest.approx((0.10, 1e-2))
    assert courses[250].rate == pytest.approx(1e-2 / 2**0.5)
    assert courses[-1].rate == pytest.approx(3e-4)
    assert all(a.rate > b.rate and a.exploration >= b.exploration for a, b in pairwise(courses))


def test_a_training_can_be_made_longer_until_it_cools(tmp_path: Path) -> None:
    longer = replace(TINY, deals=TINY.deals + TINY.round_deals)
    begun = Training.start(TINY)
    for _ in range(TINY.hot):
        begun.play_round(ONE)
    begun.save(tmp_path / CHECKPOINT)
    resumed = Training.resume(longer, tmp_path / CHECKPOINT)
    while not resumed.is_over:
        resumed.play_round(ONE)
    assert bytes_of(resumed) == bytes_of(trained(longer, ONE))
    begun.play_round(ONE)
    begun.save(tmp_path / CHECKPOINT)
    with pytest.raises(ForeignCheckpoint):
        Training.resume(longer, tmp_path / CHECKPOINT)


def test_R3_every_deal_has_forty_cards_of_which_twelve_lie_in_each_hand() -> None:
    work = empty_work()
    state = 1
    for options in range(8):
        state = deal_cards(work.deck, work.world, options, state)
        assert sorted(work.deck.tolist()) == sorted(rank for rank in range(10) for _ in range(4))
        assert [int(work.world[HAND + seat]).bit_count() for seat in (0, 1)] == [12, 12]
        assert work.world[CARDS:].tolist() == work.deck[28:].tolist()
        flags = (int(work.world[RUN_RANKS]).bit_length() > 36, not work.world[FACE_UP], bool(work.world[TURN_SKIP]))
        assert flags == tuple(bool(options >> place & 1) for place in range(3))


@pytest.mark.parametrize("cards", [4, 40])
def test_the_shares_of_a_network_against_itself_are_one_half_in_every_pair(cards: int) -> None:
    net = Training.start(TINY).weights.actions
    assert pair_scores(net, net, scaled(cards, 2), seed=3).tolist() == [0.5] * scaled(cards, 2)


@pytest.mark.skipif(INTERPRETED, reason="needs thousands of deals")
def test_twenty_thousand_deals_beat_random_clearly() -> None:
    training = trained(Plan(deals=20_000, seed=1, round_deals=500), TWO)
    score = Score(tuple(pair_scores(training.blended.actions, RANDOM, 400, seed=4).tolist()))
    assert score.share - score.margin > 0.8


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(INTERPRETED, reason="needs thousands of deals")
def test_two_hundred_thousand_deals_beat_greedy_clearly() -> None:
    training = trained(Plan(deals=200_000, seed=1), TWO)
    score = Score(tuple(pair_scores(training.blended.actions, GREEDY, 1_000, seed=4).tolist()))
    assert score.share - score.margin > 0.7


@pytest.mark.jit
def test_a_finished_folder_whose_log_is_gone_gives_the_weights_again(tmp_path: Path) -> None:
    options = [str(tmp_path), "--deals", str(scaled(8_000, 160))]
    assert main(options) == 0
    weights = (tmp_path / WEIGHTS).read_bytes()
    for name in (LOG, WEIGHTS):
        (tmp_path / name).unlink()
    assert main(options) == 0
    assert (tmp_path / WEIGHTS).read_bytes() == weights


@pytest.mark.parametrize(
    "options", ["--threads 0", "--threads 65", "--every 0", "--seed -1", "--deals 0", "--deals many", "--from-frozen"]
)
def test_impossible_options_are_refused(options: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([str(tmp_path / "folder"), *options.split()])
    assert exit_.value.code == 2
    assert not (tmp_path / "folder").exists()


def test_a_folder_that_is_a_file_is_refused_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("something else")
    assert main([str(file)]) == 2
    assert str(file) in capsys.readouterr().err
    assert file.read_text() == "something else"


@pytest.mark.parametrize("name", [CHECKPOINT, LOG])
@pytest.mark.parametrize("content", [b"something else\n", b"PK\x03\x04 torn", b"[1]\n", b'{"deals": 1}\n'])
def test_what_no_training_wrote_is_refused_and_left_alone(
    tmp_path: Path, name: str, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main([str(tmp_path)]) == 2
    assert name in capsys.readouterr().err
    assert (tmp_path / name).read_bytes() == content


def test_two_trainings_in_one_folder_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with kept(tmp_path / LOG):
        assert main([str(tmp_path)]) == 2
    assert "in use" in capsys.readouterr().err


def test_a_last_line_that_was_torn_is_taken_off_the_log(tmp_path: Path) -> None:
    log = tmp_path / LOG
    whole = [{"deals": 4000, "seconds": 1.5}, {"deals": 8000, "seconds": 3.0}]
    log.write_text("".join(json.dumps(line) + "\n" for line in whole) + '{"deals": 12')
    assert logged(log) == whole
    log.write_text("")
    assert logged(log) == []


@pytest.mark.jit
def test_the_command_carries_on_where_it_stopped_and_logs_strength(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    deals = str(scaled(8_000, 160))
    assert Plan(deals=int(deals)).rounds >= 1
    assert main([str(whole), "--deals", deals, "--every", "1", "--threads", "1"]) == 0
    plan = replace(Plan(), deals=int(deals))
    cut.mkdir()
    begun = Training.start(plan)
    begun.play_round(ONE)
    begun.save(cut / CHECKPOINT)
    assert main([str(cut), "--deals", deals, "--threads", "2"]) == 0
    assert (whole / WEIGHTS).read_bytes() == (cut / WEIGHTS).read_bytes()
    assert (whole / PLOT).exists() == plots.available()
    lines = [json.loads(line) for line in (whole / LOG).read_text().splitlines()]
    assert [line["deals"] for line in lines] == sorted(line["deals"] for line in lines)
    assert all(0 <= line["greedy"] <= 1 and line["seconds"] > 0 for line in lines)
    assert arrays_of(load(whole / WEIGHTS)).keys() == arrays_of(empty_weights()).keys()
    assert main([str(cut), "--deals", deals, "--seed", "2"]) == 2
    assert win_chance(0.0) == 0.5
