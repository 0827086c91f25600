"""Advantages worked by hand, masked distributions, and an update that learns."""

import numpy as np
import pytest
import torch

from agents import jo as jo_agents
from agents import ppo
from agents.embedding import CardHead, TableEmbedding
from agents.jo.features import LAYOUT, NUM_DESCRIBED
from agents.jo.hidden import HIDDEN_SIZE
from agents.layout import arrange
from agents.levels import Level
from agents.policy import NetConfig, PolicyNet, entropy, legal_lists, legal_log_probs
from agents.sampling import best, choose, sample
from jo_env.cards import NUM_FACES
from jo_env.jo.actions import BUY, DISCARD, TAKE_DISCARD

TINY = NetConfig(8, 4, 8, width=16, blocks=1, critic=16)


def advantages(seats, values, rewards, ended, gae_lambda):
    """compute_advantages for one table, from lists over time."""
    shape = (len(seats), 1)
    out = [np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.int8)]
    rows = np.zeros((*shape, 4), np.float32)
    for t, row in rewards.items():
        rows[t, 0, : len(row)] = row
    marks = np.zeros(shape, np.int8)
    marks[list(ended)] = 1
    ppo.compute_advantages(
        np.array(values, np.float32).reshape(shape),
        rows,
        marks,
        np.array(seats, np.int32).reshape(shape),
        np.float32(gae_lambda),
        *out,
    )
    return [array[:, 0] for array in out]


def test_a_seats_next_decision_is_its_own():
    # Seats 0 and 1 take turns; the hand ends with the last decision: +1 for seat 0, -1 for seat 1.
    # Seat 0 decides at t = 0, 2 with values 0.5, 0.8; seat 1 at t = 1, 3 with values -0.2, -0.6.
    # Seat 0, t = 2: 1 - 0.8 = 0.2.              t = 0: (0.8 - 0.5) + 0.9 * 0.2 = 0.48.
    # Seat 1, t = 3: -1 - (-0.6) = -0.4.         t = 1: (-0.6 + 0.2) + 0.9 * -0.4 = -0.76.
    found, returns, valid = advantages(
        [0, 1, 0, 1], [0.5, -0.2, 0.8, -0.6], {3: [1.0, -1.0]}, {3}, gae_lambda=0.9
    )
    np.testing.assert_allclose(found, [0.48, -0.76, 0.2, -0.4], atol=1e-6)
    np.testing.assert_allclose(returns, [0.98, -0.96, 1.0, -1.0], atol=1e-6)
    assert valid.tolist() == [1, 1, 1, 1]


def test_buy_windows_of_other_seats_do_not_count_as_steps():
    # Seat 2 decides at t = 0 and t = 4; three buy windows of seats 0, 1, 3 lie in between. With lambda
    # counted in the seat's own decisions its advantage is as if they were not there.
    apart, _, _ = advantages([2, 3, 0, 1, 2], [0.1, 0, 0, 0, 0.3], {4: [0, 0, 1.0, 0]}, {4}, 0.5)
    alone, _, _ = advantages([2, 2], [0.1, 0.3], {1: [0, 0, 1.0, 0]}, {1}, 0.5)
    assert apart[0] == pytest.approx(0.2 + 0.5 * 0.7)
    np.testing.assert_allclose(apart[[0, 4]], alone, atol=1e-6)


def test_rewards_that_fall_between_belong_to_the_seats_last_decision():
    # Seat 1 goes out at t = 1, long after seat 0's last decision at t = 0; seat 2 never decided.
    found, _, valid = advantages([0, 1], [0.25, 0.5], {1: [-0.75, 1.25, -0.5]}, {1}, 1.0)
    np.testing.assert_allclose(found, [-0.75 - 0.25, 1.25 - 0.5], atol=1e-6)
    assert valid.tolist() == [1, 1]


def test_nothing_flows_back_from_the_next_hand():
    # t = 0, 1 end a hand; t = 2, 3 belong to the next, which pays seat 0 five.
    found, _, _ = advantages([0, 1, 0, 1], [0.0] * 4, {1: [1.0, -1.0], 3: [5.0, -5.0]}, {1, 3}, 1.0)
    np.testing.assert_allclose(found, [1, -1, 5, -5], atol=1e-6)


def test_a_decision_without_a_successor_is_only_a_bootstrap():
    # The buffer ends in the middle of a hand: each seat's last decision stands in for what follows.
    found, returns, valid = advantages([0, 1, 0], [0.2, 0.4, 0.9], {}, set(), 0.95)
    assert valid.tolist() == [1, 0, 0]
    assert found[0] == pytest.approx(0.7)
    assert returns[0] == pytest.approx(0.9)


def test_masks_leave_only_legal_actions():
    masks = torch.zeros(3, 432, dtype=torch.int8)
    masks[0, [2, 3]] = 1
    masks[1, 7] = 1
    masks[2, [0, 5, 431]] = 1
    logits = torch.full((3, 432), 1e4)
    logits[0, 2], logits[0, 3] = 1.0, 1.0 + np.log(3)
    logits[2, [0, 5, 431]] = -2.0
    legal = legal_lists(masks)
    assert legal.tolist() == [[2, 3, -1], [7, -1, -1], [0, 5, 431]]
    log_probs = legal_log_probs(logits, legal)
    assert log_probs.dtype == torch.float32
    np.testing.assert_allclose(log_probs[0, :2].exp(), [0.25, 0.75], rtol=1e-5)
    assert log_probs[1].exp().tolist() == [1, 0, 0]
    expected = [-(0.25 * np.log(0.25) + 0.75 * np.log(0.75)), 0, np.log(3)]
    np.testing.assert_allclose(entropy(log_probs), expected, atol=1e-5)


def test_masked_loss_has_finite_gradients_and_none_for_illegal_actions():
    logits = torch.randn(2, 432).mul_(50).requires_grad_()
    masks = torch.zeros(2, 432, dtype=torch.int8)
    masks[:, [4, 9, 400]] = 1
    entropy(legal_log_probs(logits, legal_lists(masks))).sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert set(logits.grad.abs().sum(0).nonzero().flatten().tolist()) <= {4, 9, 400}


def test_sampling_follows_the_distribution():
    logits = np.full((20_000, 432), 9, np.float32)
    logits[:, 10], logits[:, 11], logits[:, 12] = 0, np.log(2), np.log(5)
    masks = np.zeros((20_000, 432), np.int8)
    masks[:, 10:13] = 1
    actions, (log_probs, tops) = np.zeros(20_000, np.int32), np.zeros((2, 20_000), np.float32)
    sample(logits, masks, np.arange(20_000).astype(np.uint64), actions, log_probs, tops)
    shares = np.bincount(actions, minlength=13)[10:13] / 20_000
    np.testing.assert_allclose(shares, [1 / 8, 2 / 8, 5 / 8], atol=0.015)
    np.testing.assert_allclose(log_probs, np.log([1 / 8, 2 / 8, 5 / 8])[actions - 10], atol=1e-5)
    np.testing.assert_allclose(tops, 5 / 8, atol=1e-5)


def test_choice_depends_on_the_seed_alone():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(50, 432)).astype(np.float32)
    masks = (rng.random((50, 432)) < 0.1).astype(np.int8)
    seeds = np.arange(50).astype(np.uint64)
    level = Level(temperature=1.0, top_p=0.9)
    together = choose(logits, masks, seeds, level)
    alone = [choose(logits[i : i + 1], masks[i : i + 1], seeds[i : i + 1], level)[0] for i in range(50)]
    assert together.tolist() == alone
    greedy = np.zeros(50, np.int32)
    best(logits, masks, greedy)
    assert (greedy == np.where(masks == 1, logits, -np.inf).argmax(1)).all()
    assert (choose(logits, masks, seeds, Level(temperature=1e-3)) == greedy).all()


def test_draws_are_among_the_likeliest():
    logits = np.full((20_000, 432), 9, np.float32)
    chances = np.array([0.1, 0.5, 0.15, 0.25])
    logits[:, 10:14] = 2 * np.log(chances)  # at temperature 2 these are the chances
    masks = np.zeros((20_000, 432), np.int8)
    masks[:, 10:14] = 1
    seeds = np.arange(20_000).astype(np.uint64)
    for top_p, kept in ((0.4, [1]), (0.7, [1, 3]), (0.8, [1, 2, 3]), (1.0, [0, 1, 2, 3])):
        actions = choose(logits, masks, seeds, Level(temperature=2.0, top_p=top_p))
        wanted = np.zeros(4)
        wanted[kept] = chances[kept] / chances[kept].sum()
        shares = np.bincount(actions - 10, minlength=4) / 20_000
        np.testing.assert_allclose(shares, wanted, atol=0.015)
    assert masks[:, 10:14].all()


def test_the_card_layers_share_their_weights_among_suits_and_among_ranks():
    torch.manual_seed(0)
    face_blocks = LAYOUT.face_blocks
    embed, head = TableEmbedding(LAYOUT, 6, 5, 7), CardHead(len(face_blocks), 6, 5, 4, 8)
    rows = np.zeros((3, NUM_DESCRIBED), np.int8)
    hand = next(offset for name, offset, _ in LAYOUT.blocks if name == "own.hand")
    rows[1, hand + 13 * 2 + 3] = 1  # a card of rank 3 in suit 2
    rows[2, hand + 13 * 0 + 3] = 1  # and in suit 0
    x = torch.zeros(3, LAYOUT.num_features, dtype=torch.int8)
    for row, features in zip(rows, x.numpy(), strict=True):
        arrange(row, LAYOUT.face_places, LAYOUT.other_places, features)
    assert x[1].nonzero().flatten().tolist() == [
        (2 * len(face_blocks) + face_blocks.index("own.hand")) * 13 + 3,
        LAYOUT.by_rank + 3 * len(face_blocks) + face_blocks.index("own.hand"),
    ]
    faces, suits, ranks, others = embed(x)
    assert faces[1].nonzero().tolist() == [[2, 3, face_blocks.index("own.hand")]]
    assert (suits[1] != suits[0]).any(1).tolist() == [False, False, True, False]
    assert (ranks[1] != ranks[0]).any(1).nonzero().flatten().tolist() == [3]
    assert torch.equal(others[1], others[0])
    assert torch.equal(suits[1, 2], suits[2, 0])
    worths = head(faces, suits, ranks, torch.zeros(3, 4)).view(3, 4, 13, 2)
    differs = (worths[1] != worths[0]).any(2)
    # What a card is worth follows from its suit, its rank and itself; the others' worth is left alone.
    assert differs[2].all() and differs[:, 3].all()
    assert not differs[[0, 1, 3]][:, [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]].any()
    assert torch.allclose(worths[1, 2], worths[2, 0], atol=1e-7)
    other_table = head(faces, suits, ranks, torch.ones(3, 4)).view(3, 4, 13, 2)
    assert (other_table != worths).any(3).all()


def test_taking_the_top_is_judged_by_the_card_on_top():
    torch.manual_seed(0)
    net = PolicyNet(jo_agents, TINY)
    with torch.no_grad():
        net.cards.worth.weight.normal_()
        net.cards.table.weight.zero_()  # so that each card speaks for itself
    row, features = np.zeros(NUM_DESCRIBED, np.int8), np.zeros((2, LAYOUT.num_features), np.int8)
    top = next(offset for name, offset, _ in LAYOUT.blocks if name == "table.top")
    row[top + 13 + 7] = 1
    arrange(row, LAYOUT.face_places, LAYOUT.other_places, features[0])
    faces, suits, ranks, _ = net.embed(torch.from_numpy(features))
    worths = net.cards(faces, suits, ranks, torch.zeros(2, TINY.width))
    x, logits = net.trunk(torch.from_numpy(features))
    added = logits - net.policy(x)
    assert torch.allclose(added[0, [BUY, TAKE_DISCARD]], worths[0, 13 + 7, 1], atol=1e-5)
    assert not added[1, [BUY, TAKE_DISCARD]].any()  # nothing on top
    assert torch.allclose(added[:, DISCARD:], worths[:, :, 0], atol=1e-5)
    assert torch.count_nonzero(added[:, :DISCARD]) == 2


def test_features_hold_all_that_is_described_by_suit_by_rank_and_the_rest():
    for scale in LAYOUT.scales:
        assert (scale > 0).all() and (scale <= 1).all()
    rng = np.random.default_rng(5)
    row, features = (
        rng.integers(-60, 60, NUM_DESCRIBED).astype(np.int8),
        np.zeros(LAYOUT.num_features, np.int8),
    )
    arrange(row, LAYOUT.face_places, LAYOUT.other_places, features)
    offsets = [offset for _, offset, size in LAYOUT.blocks if size == NUM_FACES]
    by_face = np.stack([row[offset : offset + 52].reshape(4, 13) for offset in offsets]).astype(int)
    assert (features[: LAYOUT.by_rank].reshape(4, -1, 13) == by_face.transpose(1, 0, 2)).all()
    assert (
        features[LAYOUT.by_rank : LAYOUT.others].reshape(13, -1) == by_face.sum(1).T.clip(-127, 127)
    ).all()
    rest = [row[offset : offset + size] for _, offset, size in LAYOUT.blocks if size != NUM_FACES]
    assert (features[LAYOUT.others :] == np.concatenate(rest)).all()


def test_advantages_are_normalized_within_each_kind_of_hand():
    rows = torch.zeros(6)
    advantages = torch.tensor([1.0, 3.0, 10.0, 20.0, 30.0, 5.0])
    kinds = torch.tensor([0, 0, 20, 20, 20, 7])
    batch = ppo.Batch(rows, rows, rows, rows, rows, rows, advantages, rows, kinds)
    step = 1.5**0.5
    expected = torch.tensor([-1, 1, -step, 0, step, 0])
    assert torch.allclose(ppo.normalize(batch, jo_agents.NUM_KINDS, lambda sums: sums), expected, atol=1e-4)
    # Another rank with the same hands but values higher by 2 in the first kind.
    other = torch.zeros(3, 21, dtype=torch.float64)
    other[:, 0] = torch.tensor([2, 3 + 5, 9 + 25])
    shared = ppo.normalize(batch, jo_agents.NUM_KINDS, lambda sums: (sums + other) / 2)
    assert torch.allclose(shared[:2], torch.tensor([-2, 0]) / 2**0.5, atol=1e-4)


def test_updates_find_the_better_action():
    # A bandit in Jo's clothes: whatever is seen, action 1 pays +1 and action 0 pays -1.
    torch.manual_seed(0)
    net = PolicyNet(jo_agents, TINY)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    config = ppo.PpoConfig(kl=0.0, num_minibatches=2)
    rng = np.random.default_rng(0)
    generator = torch.Generator().manual_seed(0)
    features = torch.from_numpy(rng.integers(0, 2, (256, LAYOUT.num_features)).astype(np.int8))
    hidden = torch.zeros(256, HIDDEN_SIZE, dtype=torch.int8)
    masks = torch.zeros(256, 432, dtype=torch.int8)
    masks[:, :2] = 1
    legal = legal_lists(masks)
    now = ppo.coefficients(config, 0.0)

    @torch.no_grad()
    def share_of_action_1() -> float:
        return float(legal_log_probs(net.logits(features), legal)[:, 1].exp().mean())

    assert share_of_action_1() == pytest.approx(0.5, abs=0.05)
    for _ in range(30):
        with torch.no_grad():
            log_probs = legal_log_probs(net.logits(features), legal)
        actions = torch.multinomial(log_probs.exp(), 1, generator=generator).squeeze(1)
        returns = 2.0 * actions - 1
        batch = ppo.Batch(
            features,
            masks,
            hidden,
            actions,
            log_probs.gather(1, actions[:, None]).squeeze(1),
            torch.zeros(256),
            returns - returns.mean(),
            returns,
            torch.zeros(256, dtype=torch.int64),
        )
        for rows in ppo.minibatches(len(batch), 2, generator):
            loss, _ = ppo.ppo_loss(net, batch[rows], config, now, None)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert share_of_action_1() > 0.95


def test_schedules_reach_their_ends():
    config = ppo.PpoConfig()
    first, last = ppo.coefficients(config, 0.0), ppo.coefficients(config, 1.0)
    assert (first.lr, last.lr) == pytest.approx(config.lr)
    assert (first.clip, last.clip) == pytest.approx(config.clip)
    assert (first.kl, last.kl) == pytest.approx((config.kl, 0.0))
    assert ppo.coefficients(config, config.kl_until).kl == pytest.approx(0.0)
