"""Imports point down only, and each library stays on its floor."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Lowest first; a module may import those above it in this list, and no others of the project.
FLOORS = [
    "jo_env",
    "jo_env.jit",
    "jo_env.cards",
    "jo_env.errors",
    "jo_env.checks",
    "jo_env.rng",
    "jo_env.records",
    "jo_env.bits",
    "jo_env.masks",
    "jo_env.seats",
    "jo_env.rewards",
    "jo_env.fields",
    "jo_env.shoes",
    "jo_env.refusals",
    "jo_env.drawing",
    "jo_env.jo.goals",
    "jo_env.jo.points",
    "jo_env.jo.state",
    "jo_env.jo.actions",
    "jo_env.jo.tables",
    "jo_env.jo.groups",
    "jo_env.jo.turn",
    "jo_env.jo.bits",
    "jo_env.jo.runs",
    "jo_env.jo.solver",
    "jo_env.jo.rules",
    "jo_env.jo.view",
    "jo_env.jo.legal",
    "jo_env.jo.notation",
    "jo_env.jo.worlds",
    "jo_env.jo.settings",
    "jo_env.jo.writing",
    "jo_env.jo.reading",
    "jo_env.jo.moves",
    "jo_env.jo.render",
    "jo_env.jo.engine",
    "jo_env.jo",
    "jo_env.rummy_bo.state",
    "jo_env.rummy_bo.actions",
    "jo_env.rummy_bo.bits",
    "jo_env.rummy_bo.groups",
    "jo_env.rummy_bo.turn",
    "jo_env.rummy_bo.payment",
    "jo_env.rummy_bo.tables",
    "jo_env.rummy_bo.rules",
    "jo_env.rummy_bo.view",
    "jo_env.rummy_bo.legal",
    "jo_env.rummy_bo.notation",
    "jo_env.rummy_bo.worlds",
    "jo_env.rummy_bo.settings",
    "jo_env.rummy_bo.writing",
    "jo_env.rummy_bo.reading",
    "jo_env.rummy_bo.moves",
    "jo_env.rummy_bo.render",
    "jo_env.rummy_bo.engine",
    "jo_env.rummy_bo",
    "jo_env.rooms",
    "jo_env.bots",
    "jo_env.envs",
    "jo_env.envs.table",
    "jo_env.envs.aec",
    "jo_env.envs.single_seat",
    "jo_env.envs.vector",
    "jo_env.jo_v0",
    "jo_env.rummy_bo_v0",
]
LIBRARIES = {
    "gymnasium": ("jo_env/envs/", "jo_env/__init__.py"),
    "pettingzoo": ("jo_env/envs/", "jo_env/__init__.py"),
    "torch": ("agents/", "scripts/benchmark_training.py"),
    "hydra": ("scripts/",),
}
FILES = [path for folder in ("jo_env", "agents", "scripts") for path in sorted((ROOT / folder).rglob("*.py"))]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, top_level_only: bool = False) -> set[str]:
    """Full names of the modules that a file imports, `from package import module` resolved."""
    tree = ast.parse(path.read_text())
    names = set()
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names.add(inner if inner in FLOORS else str(node.module))
    return names


def test_every_module_has_its_floor():
    assert {module_name(path) for path in FILES if path.is_relative_to(ROOT / "jo_env")} == set(FLOORS)


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_point_down(path):
    name, top = module_name(path), module_name(path).split(".")[0]
    for imported in imports(path, top_level_only=True):
        package = imported.split(".")[0]
        if package == top == "jo_env":
            assert FLOORS.index(imported) < FLOORS.index(name), f"{name} imports {imported}"
        elif package in ("jo_env", "agents", "scripts"):
            order = ["jo_env", "agents", "scripts"]
            assert order.index(package) <= order.index(top), f"{name} imports {imported}"


@pytest.mark.parametrize("room, other", [("jo", "rummy_bo"), ("rummy_bo", "jo")])
def test_no_game_knows_of_the_other(room, other):
    for path in (ROOT / "jo_env" / room).rglob("*.py"):
        assert not [name for name in imports(path) if name.split(".")[:2] == ["jo_env", other]], path


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_stay_on_their_floor(library):
    users = [str(p.relative_to(ROOT)) for p in FILES if library in {n.split(".")[0] for n in imports(p)}]
    assert all(user.startswith(LIBRARIES[library]) for user in users), users


def test_every_package_is_installed():
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = [path.parent for path in FILES if path.name == "__init__.py"]
    assert set(tools["packages"]) == {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    data = {f"{name}/{file}" for name, files in tools["package-data"].items() for file in files}
    found = [path for folder in ("jo_env", "agents") for path in (ROOT / folder).rglob("*.npz")]
    assert data == {f"{'.'.join(path.parent.relative_to(ROOT).parts)}/{path.name}" for path in found}


def is_compiled(function: ast.AST) -> bool:
    return isinstance(function, ast.FunctionDef) and any(
        "jit" in ast.unparse(decorator) for decorator in function.decorator_list
    )


def test_no_compiled_record_outlives_its_array():
    # numba frees `np.zeros(1, VIEW)` at the end of the statement: a record taken of it there is lost memory.
    found = [
        f"{module_name(path)}:{node.lineno}"
        for path in FILES
        for function in filter(is_compiled, ast.walk(ast.parse(path.read_text())))
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) in ("np.zeros", "np.empty", "np.ones", "np.full")
    ]
    assert not found
