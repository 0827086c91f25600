"""What the tests of the service share: a few views, small bundles, and a server that plays one of them."""

import pytest
from tiny import tiny_checkpoint
from web import PATIENCE, client, serving

from agents import export
from agents import jo as jo_agents
from agents.export import export_policy, sample_views
from agents.serving.service import load_service


@pytest.fixture(scope="module")
def game_views():
    return sample_views(jo_agents)[::5]


@pytest.fixture(scope="module")
def bundles(game_views, tmp_path_factory):
    """Bundles of three policies with random weights; not to be changed."""
    folder = tmp_path_factory.mktemp("bundles")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "sample_views", lambda game: game_views)
        for seed in (1, 2, 3):
            export_policy(tiny_checkpoint(folder / "net.safetensors", seed), folder / str(seed))
    return [folder / str(seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def service(bundles):
    return load_service(bundles[0], PATIENCE)


@pytest.fixture(scope="module")
def port(service):
    with serving(service) as port:
        yield port


@pytest.fixture
def web(port):
    with client(port) as web:
        yield web
