"""The PettingZoo AEC environment: every seat is an agent, and the one asked is on turn."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from jo_env.envs.table import Table, check_seed, make_observation_space
from jo_env.errors import SettingsError, TableError

AgentID = str


class TableEnv(Table, AECEnv):
    """Agents `player_0` on; `last()` gives an observation and a mask of the actions legal now.

    Rewards fall at the end of a hand (`reward="points"`) or of the game (`"win"`), to all agents at
    once. The games of successive unseeded resets follow from the last seed, as those of a batch do.
    """

    def __init__(self, reward: str = "points", render_mode: str | None = None, **settings: Any) -> None:
        super().__init__(reward, render_mode, settings)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {a: make_observation_space(self.room) for a in self.possible_agents}
        self.action_spaces = {a: spaces.Discrete(self.room.NUM_ACTIONS) for a in self.possible_agents}
        self.agents: list[AgentID] = []

    def observation_space(self, agent: AgentID) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: AgentID) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Options, both optional: `dealer`, a seat; `shoes`, a list of cards for a round.

        Raises `SettingsError` or `UnknownCardError` and changes nothing if they make no game.
        """
        self._deal(self._next_seed() if seed is None else check_seed(seed), options)
        self._seat_agents()

    def _seat_agents(self) -> None:
        """All agents at the table, as after a reset."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[AgentID, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0 if self.is_over else self._acting[0]]
        self._show()

    def step(self, action: Any) -> None:
        """Play for the agent selected; raises `IllegalActionError` and changes nothing if it may not."""
        self._need_game()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._check(action)
        has_rewards = self._hand_ended[0]
        self._cumulative_rewards[agent] = 0.0
        if self._play(action):
            self.rewards = dict(zip(self.agents, self._rewards[0].tolist(), strict=True))
            self._accumulate_rewards()
            if self.is_over:
                self.terminations = dict.fromkeys(self.agents, True)
        elif has_rewards:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self.agent_selection = self.agents[0 if self.is_over else self._acting[0]]
        self._show()

    def observe(self, agent: AgentID) -> dict[str, np.ndarray]:
        """What an agent sees, whether or not it is the one asked."""
        self._need_game()
        return self._observe(self._seat(agent))

    def _seat(self, agent: AgentID) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise SettingsError(
                f"{agent!r} is no agent here; give one of {', '.join(self.possible_agents)}"
            ) from None

    def snapshot(self) -> dict[str, Any]:
        """The whole table, hidden cards and luck included, as JSON-ready data (docs/protocol.md)."""
        self._need_game()
        return self.room.snapshot(self.games[0], self.events)

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Bring a table back exactly; raises `TableError` and changes nothing if it breaks the rules.

        Its settings hold until the next reset; the number of seats must be that of this environment.
        """
        games, events = self.room.restore(snapshot)
        num_seats = int(games["num_seats"][0])
        if num_seats != self.num_seats:
            raise TableError(f"seats: {num_seats} in the snapshot, but this environment has {self.num_seats}")
        self._hand_ended[:] = 0
        self._lay_out(games, events)
        self._seat_agents()

    def view(self, agent: AgentID) -> dict[str, Any]:
        """What an agent may know, as a game server sends it to a bot (docs/protocol.md)."""
        self._need_game()
        return self.room.view_json(self.games[0], self._seat(agent), self.events)

    def close(self) -> None:
        """Nothing is held open."""


class InOrder(OrderEnforcingWrapper):
    """PettingZoo's guard against calls in the wrong order, with a quicker `last`."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The base class fetches five attributes through the wrapper; here one call goes through."""
        return self.env.last(observe) if self._has_reset else super().last(observe)
