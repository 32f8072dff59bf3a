"""Models by their name on the Hugging Face hub."""

from __future__ import annotations

#: Where a name without an owner is looked for first, as sentence-transformers does.
_OWNER = "sentence-transformers"
_ANSWER_S = 10.0


def known_to_hub(name: str) -> bool:
    """Whether a model lies in the hub's local cache, or the hub answers that it has it.

    It is asked once. What loads a model asks a hub that cannot be reached again and again, for
    half a minute.
    """
    import httpx2
    from huggingface_hub import HfApi, try_to_load_from_cache

    names = [name] if "/" in name else [f"{_OWNER}/{name}", name]
    for repository in names:
        try:
            if isinstance(try_to_load_from_cache(repository, "config.json"), str):
                return True
            HfApi().model_info(repository, timeout=_ANSWER_S)
        except (httpx2.HTTPError, OSError, ValueError):
            continue
        return True
    return False
