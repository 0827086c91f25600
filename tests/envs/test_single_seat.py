"""The Gymnasium environment: one seat learns, bots hold the others."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from games import JO, both, hand_rewards, win_rewards
from gymnasium.utils.env_checker import check_env
from players import JsonPickBot, LuckyBot, PickBot, pick

import jo_env
from jo_env.bots import BotError
from jo_env.errors import IllegalActionError, SettingsError, TableError


def make(game=JO, **settings):
    return gymnasium.make(game.name, **({"opponents": PickBot()} | settings))


def play(env, num_decisions, seed=None):
    """Play `pick` for the learner, on into further games; everything seen, done and earned."""
    observation, info = env.reset(seed=seed) if seed is not None else env.reset()
    story = []
    for _ in range(num_decisions):
        action = pick(observation["observation"], info["action_mask"])
        story.append((env.unwrapped.seat, observation["observation"].tobytes(), action))
        observation, reward, is_over, is_truncated, info = env.step(action)
        story.append((reward, is_over))
        assert is_truncated is False
        assert is_over != info["action_mask"].any()
        assert (env.unwrapped.action_masks() == info["action_mask"]).all()
        if is_over:
            observation, info = env.reset()
    return story


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seat", [None, 0, 1])
@both
def test_gymnasiums_checker(game, seats, seat):
    check_env(make(game, seats=seats, seat=seat).unwrapped)


@both
def test_a_random_learner_needs_no_mask(game):
    env = make(game, opponents=LuckyBot(), **game.short)
    env.action_space.seed(1)
    env.reset(seed=1)
    rewards = []
    while len(rewards) < 3:
        _, reward, is_over, _, _ = env.step(env.action_space.sample())
        if is_over:
            rewards.append(reward)
            env.reset()
    assert any(rewards)


@pytest.mark.parametrize("opponents", [PickBot(), LuckyBot()])
@both
def test_a_seed_fixes_the_game(game, opponents):
    one, other = make(game, opponents=opponents), make(game, opponents=opponents)
    assert play(one, 150, seed=8) == play(other, 150, seed=8)
    assert play(one, 150, seed=8) != play(other, 150, seed=9)


def test_a_bot_plays_the_same_as_json_and_as_arrays():
    settings = {"seats": 2, "rounds": (2, 5), "max_turns": 60}
    assert play(make(opponents=JsonPickBot(), **settings), 200, seed=3) == play(make(**settings), 200, seed=3)


def test_the_seat_is_drawn_from_the_seed_unless_it_is_named():
    drawn = make(seats=3)
    seats = []
    for seed in range(30):
        drawn.reset(seed=seed)
        seats.append(drawn.unwrapped.seat)
    assert set(seats) == {0, 1, 2}
    drawn.reset(seed=4)
    assert drawn.unwrapped.seat == seats[4]
    named = make(seats=3, seat=2)
    for seed in range(5):
        named.reset(seed=seed)
        assert named.unwrapped.seat == named.unwrapped.games[0].acting == 2


@pytest.mark.parametrize("reward", ["points", "win"])
@both
def test_the_learner_is_paid_all_that_it_earned(game, reward):
    env = make(game, seats=3, seat=1, reward=reward, **game.short)
    for seed in range(4):
        story = play_one_game(env, seed)
        record = env.unwrapped.games[0]
        if reward == "points":
            expected = sum(hand_rewards(game, points)[1] for points in record.points[:2, :3])
        else:
            expected = win_rewards(game, record.scores[:3])[1]
        assert sum(story) == pytest.approx(expected, abs=1e-6)


def play_one_game(env, seed):
    observation, info = env.reset(seed=seed)
    rewards, is_over = [], False
    while not is_over:
        action = pick(observation["observation"], info["action_mask"])
        observation, reward, is_over, _, info = env.step(action)
        rewards.append(reward)
    return rewards


def test_opponents_sit_leftwards_from_the_learner():
    class Named(PickBot):
        def __init__(self, name):
            self.name, self.seats = name, set()

        def choose(self, views, masks, seeds):
            self.seats.add(int(views[0].seat))
            return super().choose(views, masks, seeds)

    bots = [Named("left"), Named("across"), Named("right")]
    env = jo_env.jo_v0.JoSeatEnv(opponents=bots, seat=2)
    env.reset(seed=0)
    for _ in range(20):
        env.step(env.action_space.sample())
    assert [bot.seats for bot in bots] == [{3}, {0}, {1}]


def test_options_are_those_of_the_aec_environment():
    env = make(seats=4, seat=0)
    env.reset(seed=1, options={"dealer": 3})
    assert env.unwrapped.games[0].dealer == 3
    before = env.unwrapped.games.copy()
    with pytest.raises(SettingsError, match="dealer=9"):
        env.reset(options={"dealer": 9})
    with pytest.raises(SettingsError, match="'delear' is unknown; options are dealer, shoes"):
        env.reset(options={"delear": 1})
    assert (env.unwrapped.games == before).all()


@both
def test_illegal_actions_raise_and_change_nothing(game):
    env = make(game)
    env.reset(seed=2)
    for _ in range(20):
        before = env.unwrapped.games.tobytes()
        mask = env.unwrapped.action_masks()
        for action in [*np.flatnonzero(~mask)[::50], len(mask), -1, None, 0.0, np.array(-1), np.array(0.0)]:
            with pytest.raises(IllegalActionError):
                env.step(action)
        assert env.unwrapped.games.tobytes() == before
        env.step(np.array(env.action_space.sample()))


def test_a_sample_from_before_a_reset_is_drawn_again_but_no_other_action_is():
    env = make(seats=2, seat=0)
    env.reset(seed=1, options={"dealer": 1})
    early = env.action_space.sample()
    env.reset(seed=1, options={"dealer": 0})
    with pytest.raises(IllegalActionError):
        env.step(int(early))
    env.step(early)


def test_no_game_before_the_first_reset():
    with pytest.raises(TableError, match=r"no game has begun; call reset\(\) first"):
        make().unwrapped.step(0)


def test_a_finished_game_must_be_reset():
    env = make(rounds=(1,), max_turns=1)
    play_one_game(env, 0)
    with pytest.raises(IllegalActionError, match=r"the game is over; call reset\(\)"):
        env.step(0)


class Answering:
    """A bot that gives the same answer to all views."""

    def __init__(self, move=None, chosen=None):
        self.move = move
        if chosen is not None:
            self.choose = lambda views, masks, seeds: chosen

    def act(self, view):
        return self.move


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (Answering({"type": "discard", "card": "AC"}), r"player_1 may not play 380 \(discard AC\)"),
        (Answering({"type": "discard", "card": "XX"}), "player_1: move discard: 'XX' is not a card"),
        (Answering("pass"), "player_1: 'pass' is no move"),
        (Answering(chosen=np.array([380])), r"player_1 may not play 380 \(discard AC\)"),
        (Answering(chosen=[-1]), "player_1: -1 is no action; give an integer from 0 to 431"),
        (
            Answering(chosen=[0.0]),
            r"player_1: choose.. gave float64\[1\]; give integers, one for each of",
        ),
        (Answering(chosen=0), r"player_1: choose.. gave int64\[\]"),
    ],
)
def test_a_bot_that_breaks_the_rules_is_named(bot, words):
    env = make(opponents=bot, seats=2, seat=0)
    with pytest.raises(IllegalActionError, match=f"^Answering: {words}"):
        env.reset(seed=0, options={"dealer": 1})
        while True:
            env.step(env.action_space.sample())


def test_a_bot_is_batched_if_it_has_choose():
    class Loose:
        def act(self, view):
            raise AssertionError("asked in JSON")

        def choose(self, views, masks, seeds):
            return PickBot().choose(views, masks, seeds)

    assert play(make(opponents=Loose()), 50, seed=2) == play(make(), 50, seed=2)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"seat": 4}, SettingsError, "seat=4; give a seat from 0 to 3, or None"),
        ({"opponents": [PickBot()] * 2}, SettingsError, "opponents: 2 bots for 3 seats"),
        ({"opponents": "nobody"}, BotError, "'nobody' is no bot"),
        ({"opponents": 3}, BotError, "3 is no bot"),
        ({"reward": "money"}, SettingsError, "reward='money'"),
    ],
)
def test_bad_settings(settings, error, words):
    with pytest.raises(error, match=words):
        make(**settings)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
@both
def test_a_copy_plays_on_by_itself(game, copied):
    env = make(game, opponents=LuckyBot())
    play(env, 60, seed=5)
    other = copied(env)
    rng = other.action_space.np_random.bit_generator.state
    rewards = [other.step(other.action_space.sample())[0]["observation"].tobytes() for _ in range(80)]
    env.action_space.np_random.bit_generator.state = rng
    again = [env.step(env.action_space.sample())[0]["observation"].tobytes() for _ in range(80)]
    assert again == rewards


@both
def test_rendering(game):
    assert "player_3" in make_and_render(game, "ansi")
    assert make_and_render(game, "rgb_array").shape == (640, 960, 3)


def make_and_render(game, mode):
    env = make(game, render_mode=mode)
    env.reset(seed=0)
    return env.render()


def test_human_mode_prints_the_table(capsys):
    env = make(render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out.count("stock") == 1
    env.step(env.action_space.sample())
    assert capsys.readouterr().out.count("stock") == 1


@both
def test_observation_is_within_its_space(game):
    env = make(game)
    observation, info = env.reset(seed=0)
    assert set(observation) == {"observation", "action_mask"}
    assert observation["observation"].shape == (game.room.OBSERVATION_SIZE,)
    assert env.observation_space.contains(observation)
    assert (observation["action_mask"] == info["action_mask"]).all()
