"""Make a bundle of a policy: ONNX model, manifest and test vectors, playable without torch.

python scripts/export.py checkpoints/jo.safetensors bundles/jo
python scripts/play.py --opponents policy:bundles/jo
"""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.checkpoint import CheckpointError
from agents.export import ExportError, export_policy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkpoint", type=Path, help="a policy, .safetensors")
    parser.add_argument("bundle", type=Path, help="the folder or .zip to write; one of that name is replaced")
    parser.add_argument("--figures", type=Path, nargs="*", default=[], help="evaluations of it, for its card")
    args = parser.parse_args()
    try:
        figures = [json.loads(path.read_text()) for path in args.figures]
        manifest = export_policy(args.checkpoint, args.bundle, figures)
    except KeyboardInterrupt:
        sys.exit(130)
    except (CheckpointError, ExportError, OSError, json.JSONDecodeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    size = sum(entry["bytes"] for entry in manifest["files"].values())
    print(
        f"{args.bundle}: {size / 1e6:.1f} MB; logits as torch's within {manifest['tolerance']:.2g}, "
        f"{manifest['num_vectors']} test vectors replayed"
    )


if __name__ == "__main__":
    main()
