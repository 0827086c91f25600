"""Imitation: a net learns to prefer the moves that a teacher prefers, as strongly as the teacher does.

Where the teacher can say how much each of its candidates is worth, the target is not its move alone but a
softmax of these worths (distillation, Hinton et al., 2015): a net then spends nothing on moves between
which the teacher hardly chooses, and more on those that it thinks dear.
"""

from dataclasses import dataclass, fields
from types import ModuleType

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from agents.candidates import MOST_MOVES, NO_MOVE, best_of
from agents.policy import ILLEGAL, legal_lists
from agents.rollout import Tables
from jo_env.bots import BatchBot


@dataclass
class CloneConfig:
    """Warm start: imitate a teacher's decisions, then fit the critic to the clone's own play."""

    teacher: str = "planner-improved"
    share: float = 0.15  # of the run; 0 for none
    critic_share: float = 0.02  # likewise, after it
    lr: float = 1e-3
    num_minibatches: int = 32  # small ones: imitation is short of steps, not of decisions
    temperature: float = 0.5  # of the softmax over its candidates' worths, in points; 0: its move alone


@dataclass
class Lessons:
    """Decisions to imitate, one a row."""

    features: Tensor  # int8[N, NUM_FEATURES]
    masks: Tensor  # int8[N, NUM_ACTIONS]
    moves: Tensor  # int64[N, MOST_MOVES] the teacher's candidates, padded with NO_MOVE
    worths: Tensor  # float32[N, MOST_MOVES] what it thinks of them, in points

    @classmethod
    def empty(cls, game: ModuleType, size: int) -> "Lessons":
        return cls(
            features=torch.zeros(size, game.LAYOUT.num_features, dtype=torch.int8),
            masks=torch.zeros(size, game.room.NUM_ACTIONS, dtype=torch.int8),
            moves=torch.zeros(size, MOST_MOVES, dtype=torch.int64),
            worths=torch.zeros(size, MOST_MOVES),
        )

    def __len__(self) -> int:
        return len(self.moves)

    def __getitem__(self, rows: Tensor) -> "Lessons":
        return Lessons(*(getattr(self, field.name).index_select(0, rows) for field in fields(self)))

    def to(self, device: torch.device) -> "Lessons":
        return Lessons(*(getattr(self, field.name).to(device) for field in fields(self)))


def collect(tables: Tables, teacher: BatchBot, lessons: Lessons) -> None:
    """Fill `lessons` from tables at which the teacher has every seat; their number divides its length."""
    num_games = len(tables.games)
    rewards = np.zeros((num_games, tables.game.room.MAX_SEATS), np.float32)
    ended = np.zeros(num_games, np.int8)
    steps = (field.numpy().reshape(-1, num_games, field.shape[1]) for field in vars(lessons).values())
    for features, mask, moves, worths in zip(*steps, strict=True):
        tables.game.features_of(tables.views, out=features)
        mask[:] = tables.masks
        moves[:], worths[:] = ask(teacher, tables)
        tables.advance(best_of(moves, worths), rewards, ended)


def ask(teacher: BatchBot, tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """The teacher's candidates int64[N, MOST_MOVES] and their worths; of one that only chooses, its move."""
    judge = getattr(teacher, "judge", None)
    if judge is not None:
        return judge(tables.views, tables.masks)
    every = np.arange(len(tables.games))
    moves = np.full((len(every), MOST_MOVES), NO_MOVE, np.int64)
    moves[:, 0] = tables.ask_bot(teacher, every)
    return moves, np.zeros(moves.shape, np.float32)


def targets_of(moves: Tensor, worths: Tensor, temperature: float) -> Tensor:
    """Probabilities float32[B, K] with which to play the candidates; the padding gets 0."""
    worths = worths.masked_fill(moves == NO_MOVE, -torch.inf)
    if temperature == 0:
        return F.one_hot(worths.argmax(1), worths.shape[1]).float()
    return F.softmax(worths / temperature, dim=1)


def clone_loss(logits: Tensor, part: Lessons, temperature: float) -> tuple[Tensor, dict[str, Tensor]]:
    """Cross-entropy to the teacher's targets, and how often the likeliest action is the teacher's.

    `regret` is how many points a decision the likeliest action costs in the teacher's eyes, where it is one
    of its candidates.
    """
    moves, worths = part.moves, part.worths
    legal = legal_lists(part.masks)
    legal_logits = logits.gather(1, legal.clamp_min(0)).masked_fill(legal < 0, ILLEGAL)
    log_probs = logits.gather(1, moves.clamp_min(0)) - legal_logits.logsumexp(1, keepdim=True)
    loss = -(targets_of(moves, worths, temperature) * log_probs).sum(1).mean()
    with torch.no_grad():
        likeliest = legal.gather(1, legal_logits.argmax(1, keepdim=True))
        worths = worths.masked_fill(moves == NO_MOVE, -torch.inf)
        best, first = worths.max(1)
        is_hit = moves == likeliest
        regret = torch.where(is_hit, best[:, None] - worths, 0).sum(1)
        agreement = is_hit.gather(1, first[:, None]).float()
    return loss, {"agreement": agreement.mean(), "regret": regret.mean()}
